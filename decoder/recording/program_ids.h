/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROGRAM_IDS_H
#define KT_DECODER_PROGRAM_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct sideband_mmap;

/* The build ids of the programs' files that a recording names: as recorded, and
 * of the files that are there now.  A program that was built or installed anew
 * since is another one: its code would not lead where the trace says, and its
 * names would be wrong.  Threads may share it.
 */
struct program_ids;

/* Returns NULL when out of memory. */
struct program_ids *program_ids_new(void);
void program_ids_free(struct program_ids *ids);

/* Adds what perf's header says of files: the payload of its feature BUILD_ID, or
 * of records of that type (perf's tools/perf/util/build-id.c).  What is malformed
 * is left out.  Returns 0 or -ERROR_MEMORY.
 */
int program_ids_add_table(struct program_ids *ids, const uint8_t *bytes,
			  size_t size);

/* Returns whether the file at @path now is the one that @map is of, as far as
 * both have a build id; if not, @log is told, once for each file.
 */
bool program_ids_fit(struct program_ids *ids, const struct sideband_mmap *map,
		     const char *path, const struct log *log);

#endif
