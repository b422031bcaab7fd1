/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_RECORD_MAKER_H
#define KT_INBAND_RECORD_MAKER_H

#include "common/array.h"
#include "inband/ktrace_hw.h"

struct arena;
struct call_record;
struct call_record_context;
struct call_step;

/* Builds the library's record from the results of attribution. */
struct record_maker {
	struct arena *arena; /* owns the record; NULL before the first */
	struct array calls;  /* struct ktrace_hw_call */
	struct ktrace_hw_record record;
};

#define RECORD_MAKER_EMPTY \
	((struct record_maker){ .calls = ARRAY_OF(struct ktrace_hw_call) })

void record_maker_free(struct record_maker *maker);

/* Discards the previous record and starts one for the time from @begin_ns to
 * @end_ns. Returns 0 or -ERROR_MEMORY.
 */
int record_maker_begin(struct record_maker *maker, uint64_t begin_ns,
		       uint64_t end_ns);

/* Adds a call; its names are borrowed from @context. Returns 0 or
 * -ERROR_MEMORY.
 */
int record_maker_call(struct record_maker *maker,
		      const struct call_record_context *context,
		      const struct call_record *call);

/* Counts a STEP_GAP; ignores other steps. */
void record_maker_step(struct record_maker *maker,
		       const struct call_step *step);

/* Returns the record, valid until the next record_maker_begin(). */
const struct ktrace_hw_record *record_maker_end(struct record_maker *maker,
						uint64_t lost_records);

#endif
