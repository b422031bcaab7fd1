/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALLS_HITS_TABLE_H
#define KT_TABLES_CALLS_HITS_TABLE_H

/* The calls that made triggers hit, compared with typical calls of that kind.
 *
 *	hits of the recording ─┐
 *	                       ├─► struct hit_call: the call that each hit was in
 *	system calls, sleeps ──┤         │ hits_table_compare()
 *	                       └─► struct typical_calls: medians by kind
 *
 * 1. A hit belongs to the call that its task was in; without one, is_known is
 *    false, and the hit is shown alone.
 * 2. Typical times are medians of the calls that were traced from start to end
 *    and in which no trigger hit.
 *
 * One thread. Errors: -ERROR_MEMORY.
 */

#include "common/array.h"
#include "common/formats/recording_events.h"
#include "tables/calls/call_record.h"
#include "tables/calls/call_records_table.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_file_writer;
struct pack;
struct recording;
struct system_call;

/* Parts of a system call's time. */
enum call_part_name {
	CALL_WALL, /* the whole call */
	CALL_ON_CPU,
	CALL_ASLEEP,
	CALL_RUNNABLE,
	CALL_STOLEN, /* by interrupts */
	CALL_TRACER,
	CALL_UNKNOWN,
	CALL_PART_NAMES,
};

struct call_times {
	uint64_t ns[CALL_PART_NAMES];
};

/* The typical times of each kind of call: the median of each part. */
struct typical_calls {
	struct keyed_array kinds; /* struct kind (hits_table.c) by function */
};

/* Returns an empty struct. */
struct typical_calls typical_calls_none(void);
void typical_calls_free(struct typical_calls *calls);

/* Adds @call, which was traced from start to end. Returns 0 or -ERROR_MEMORY.
 */
int typical_calls_add(struct typical_calls *calls,
		      const struct system_call *call);

/* Sets *@times to the medians of all added calls of @function, or to 0 if there
 * are none. Returns the number of these calls.
 */
uint64_t typical_calls_of(const struct typical_calls *calls, uint32_t function,
			  struct call_times *times);

/* A hit of a trigger, for which the trace before it was saved. */
struct hit {
	struct trigger_hit what; /* its text is NUL-terminated */
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	uint64_t frozen_ns; /* when tracing had stopped on all CPUs */
};

/* Returns whether @recording was made with triggers, even if none hit. */
bool hit_list_is_wanted(const struct recording *recording);

/* Returns the index of the first of @hits at @time_ns or later. */
size_t hit_list_from(const struct array *hits, uint64_t time_ns);

/* The system call that a task was in at a hit. */
struct hit_call {
	bool is_known;
	uint32_t function;
	struct call_times times;
	char *text; /* its whole record as text; owned */
	size_t size;
	/* Set by hits_table_compare(): the typical times of similar calls in
	 * the recording, and the number of these calls.
	 */
	bool is_compared;
	struct call_times typical;
	uint64_t others;
};

/* report --hits: the calls during which triggers hit, compared with similar
 * calls.
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
	struct cache_file_writer *writer; /* NULL: records are not written */
};

/* Writes @call, which must be known and compared; or reads it into @call, which
 * must have no text, and whose text the caller must free. Fails the pack if its
 * function is not below @functions, the number of functions.
 */
void hit_call_pack(struct pack *pack, struct hit_call *call,
		   uint32_t functions);

#endif
