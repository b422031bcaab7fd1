/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_HITS_TABLE_PARTS_H
#define KT_TABLES_HITS_TABLE_PARTS_H

#include "common/array.h"
#include "tables/calls/call_record.h"
#include "tables/calls/call_recorder.h"
#include "tables/hits/typical_calls.h"
#include "tables/table.h"

struct kept_file_writer;
struct pack;

/* The system call that a task was in at a hit. */
struct hit_call {
	bool is_known;
	uint32_t function;
	struct call_times times;
	char *text; /* its whole record as text */
	size_t size;
	/* Set by hits_table_compare(): the typical times of similar calls in
	 * the recording, and the number of these calls.
	 */
	bool is_compared;
	struct call_times typical;
	uint64_t others;
};

/* report --hits: the calls in which triggers hit, compared with similar calls.
 */
struct hits_table {
	struct event_handler handler;
	struct attribution_input input;
	struct call_recorder recorder;
	struct call_record_context context;
	struct array hits;  /* struct hit */
	struct array calls; /* struct hit_call, by index of the hit */
	struct typical_calls typical;
	struct array shown; /* size_t: indices of the hits in the window */
	struct kept_file_writer *writer; /* NULL: records are not written */
};

/* Compares the known calls with others. Must be called after all calls were
 * added.
 */
void hits_table_compare(struct hits_table *table);

/* Writes a known and compared call, or reads it into one without text, which
 * the caller frees. @functions: number of functions.
 */
void hit_call_pack(struct pack *pack, struct hit_call *call,
		   uint32_t functions);

/* The records of the hits' calls, for windows. */
extern const struct table_records hits_table_records;

/* Writes shown hit number @index of @ctx, a struct hits_table, as a row. */
void hits_table_row(struct record_writer *writer, const void *ctx,
		    uint64_t index);

/* Writes shown hit number @index as text. */
void hits_table_print(const struct hits_table *table, size_t index, FILE *out);

#endif
