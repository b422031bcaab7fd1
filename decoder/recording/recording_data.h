/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_RECORDING_DATA_H
#define KT_DECODER_RECORDING_RECORDING_DATA_H

#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct data_file;
struct log;
struct record_store;
struct recording;
struct recording_facts;
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

/* Reads all records of @store once and fills in the facts of the whole
 * recording: counts, streams, time conversion, events of pipe mode.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int recording_scan(struct recording_facts *facts,
		   const struct record_store *store);

/* Reads the perf.data file of @recording into it: events, features, records,
 * streams of trace. Returns 0 or a negative enum error, which was logged.
 */
int recording_data_read(struct recording *recording);

/* Opens the file at the path in @facts and its records, as @file and @store,
 * and reads their contents into @facts. Returns 0 or a negative enum error,
 * which was logged. @file and @store must be closed in any case.
 */
int recording_data_open(struct recording_facts *facts, struct data_file *file,
			struct record_store *store);

/* Sets the origin of the clock of @facts from the times of the records, unless
 * it is set: a TSC packet has only 56 bits of the counter.
 */
void recording_place_conversion(struct recording_facts *facts);

#endif
