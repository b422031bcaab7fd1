/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_RECORDING_DATA_H
#define KT_DECODER_RECORDING_RECORDING_DATA_H

#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct recording;

/* Opens and closes recordings: the uppermost file of this folder.
 *
 *	recording_new() ─► a reader fills in the facts ─► recording_close()
 *	                     │
 *	recording_data_read(): perf.data; trace_dat.h and snapshot.h read theirs
 *	                     │
 *	    events, features ─► records (one scan) ─► streams ─► generated code
 *
 * 1. Facts change only in the reader, before recording_open() returns; the root
 *    folder also by recording_set_root().
 * 2. recording_close() accepts a recording that a reader has left half done.
 * 3. A part (recording_part_open()) shares all facts with its whole except the
 *    counts, streams and records, and must be closed before it.
 *
 * Errors name the file, and the offset where there is one, in the recording's
 * log. A file that ends too early is not an error: the facts note that it is
 * cut.
 */

/* Reads the perf.data file of @recording into it: events, features, records,
 * streams of trace. Returns 0 or a negative enum error, which was logged.
 */
int recording_data_read(struct recording *recording);

/* Returns a new recording with only path and log set, to be filled in by a
 * reader and closed by recording_close(); NULL when out of memory.
 */
struct recording *recording_new(const char *path, const struct log *log);

/* Closes a recording of recording_open(); NULL is allowed. */
void recording_close(struct recording *recording);

/* Opens @size bytes of records at @bytes, AUXTRACE with its trace included, as
 * a recording of its own with the events, clock and files of @whole: data that
 * was recorded later by the same events. The records' file offsets are relative
 * to @bytes.
 *
 * Borrows all arguments. Pages of @bytes may be returned to the system, so they
 * must be a shared mapping or less than 4 MiB. Returns 0 and *@part, to be
 * closed by recording_part_close() before @whole is; -ERROR_MEMORY; or
 * -ERROR_SYSTEM.
 */
int recording_part_open(const struct recording *whole, const uint8_t *bytes,
			size_t size, struct recording **part);

/* Replaces the bytes of @part, another part of @whole, like closing it and
 * opening a new one, but keeps its memory. Borrows and returns like
 * recording_part_open(); after an error, @part can only be closed.
 */
int recording_part_reopen(const struct recording *whole, const uint8_t *bytes,
			  size_t size, struct recording *part);

/* Closes @part, which may be NULL. */
void recording_part_close(struct recording *part);

#endif
