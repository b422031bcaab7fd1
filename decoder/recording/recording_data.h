/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_DATA_H
#define KT_DECODER_RECORDING_DATA_H

struct data_file;
struct record_store;
struct recording;
struct recording_facts;

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
