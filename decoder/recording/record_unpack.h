/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORD_UNPACK_H
#define KT_DECODER_RECORD_UNPACK_H

#include "decoder/recording/record_walk.h"

struct log;

/* Unpacks the COMPRESSED records of a file (perf record -z) into a temporary
 * file. They are one zstd stream, split into records at arbitrary positions.
 */
struct record_unpack;

/* Returns NULL when out of memory. */
struct record_unpack *record_unpack_new(const struct log *log);
void record_unpack_free(struct record_unpack *unpack);

/* Unpacks @record. *@offset and *@size are the range of unpacked bytes with the
 * records that it completes; *@size may be 0.
 *
 * Returns NULL or a text that describes the error.
 */
const char *record_unpack_add(struct record_unpack *unpack,
			      const struct record *record, uint64_t *offset,
			      uint64_t *size);

/* Maps all unpacked bytes. Returns 0 or a negative enum error. */
int record_unpack_finish(struct record_unpack *unpack, struct file_map *map);

#endif
