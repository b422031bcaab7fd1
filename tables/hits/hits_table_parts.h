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

/* The system call that a task was in when a trigger hit. */
struct hit_call {
	bool is_known;
	uint32_t function;
	struct call_times times;
	char *text; /* all of its record, for people */
	size_t size;
	/* What calls like it took, as all of the recording has them, and how many
	 * these are: hits_table_compare().
	 */
	bool is_compared;
	struct call_times typical;
	uint64_t others;
};

/* report --hits: what made triggers hit, against calls that are like it. */
struct hits_table {
	struct event_handler handler;
	struct attribution_input input;
	struct call_recorder recorder;
	struct call_record_context context;
	struct array hits;  /* struct hit */
	struct array calls; /* struct hit_call, by the hit's place */
	struct typical_calls typical;
	struct array shown; /* size_t: places of hits in the window */
	struct kept_file_writer *writer; /* NULL: calls are not kept */
};

/* Compares the calls that are known with others, once these are. */
void hits_table_compare(struct hits_table *table);

/* Writes a call that is known and compared, or reads it into one without text: that
 * is to be freed.  There are @functions functions.
 */
void hit_call_pack(struct pack *pack, struct hit_call *call,
		   uint32_t functions);

/* How hits' calls are kept for windows. */
extern const struct table_records hits_table_records;

/* Writes shown hit number @index of @ctx, a struct hits_table, as a row. */
void hits_table_row(struct record_writer *writer, const void *ctx,
		    uint64_t index);

/* Writes it for people to read. */
void hits_table_print(const struct hits_table *table, size_t index, FILE *out);

#endif
