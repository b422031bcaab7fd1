/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROGRAM_IDS_H
#define KT_DECODER_PROGRAM_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct sideband_mmap;

/* The build IDs of the program files in a recording: as recorded, and of the
 * files present now. A program that was rebuilt or reinstalled since has
 * different code, which would not match the trace, and wrong symbols. Threads
 * may share it.
 */
struct program_ids;

/* Returns NULL when out of memory. */
struct program_ids *program_ids_new(void);
void program_ids_free(struct program_ids *ids);

/* Adds the build IDs in perf's header: the payload of its feature BUILD_ID, or
 * of records of that type (perf's tools/perf/util/build-id.c). Skips malformed
 * entries. Returns 0 or -ERROR_MEMORY.
 */
int program_ids_add_table(struct program_ids *ids, const uint8_t *bytes,
			  size_t size);

/* Returns whether the current file at @path is the one that @map is of, as far
 * as both have a build ID. Logs a mismatch to @log, once for each file.
 */
bool program_ids_fit(struct program_ids *ids, const struct sideband_mmap *map,
		     const char *path, const struct log *log);

#endif
