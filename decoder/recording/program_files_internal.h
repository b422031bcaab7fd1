/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_PROGRAM_FILES_INTERNAL_H
#define KT_DECODER_RECORDING_PROGRAM_FILES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct arena;
struct sideband_mmap;

/* The files of the traced programs: finds the copies in the recording, and
 * checks whether a file of this machine is the mapped one. recording_facts.c
 * uses both for recording.h. Threads may share both: the copies are constant,
 * the build IDs have a lock.
 */

/* The programs' files that a recording contains, because their paths would not
 * lead to them later: common/formats/program_key.h. Read-only: threads may
 * share it.
 */
struct cached_programs;

/* Lists the files of the recording in the folder @recording; none if that is a
 * file. Symbolic links are ignored: in a recording made by another user they
 * could lead to any file of this user. Returns NULL when out of memory.
 */
struct cached_programs *cached_programs_new(const char *recording);
void cached_programs_free(struct cached_programs *programs);

/* Returns the absolute path of the copy of the file that @map maps; NULL if
 * there is none.
 */
const char *cached_programs_find(const struct cached_programs *programs,
				 const struct sideband_mmap *map);

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

/* Returns the build id of @name in that table; an empty one if it has none. */
struct elf_build_id program_ids_recorded(struct program_ids *ids,
					 const char *name);

/* Returns the path, in @arena, of the file with the build id that @map has, in
 * perf's cache (perf-buildid-cache(1)); "" if it has none or the file is not
 * there; NULL when out of memory.
 */
const char *program_ids_find_cached(struct program_ids *ids,
				    const struct sideband_mmap *map,
				    struct arena *arena);

/* Returns whether the current file at @path is the one that @map maps; true if
 * the build ID of one of the two is unknown. Logs a mismatch to @log, once for
 * each file.
 */
bool program_ids_fit(struct program_ids *ids, const struct sideband_mmap *map,
		     const char *path, const struct log *log);

#endif
