/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_RECORD_MAKER_H
#define KT_INBAND_RECORD_MAKER_H

#include "common/array.h"
#include "inband/ktrace_hw.h"

struct arena;
struct call_record;
struct call_record_context;
struct call_step;

/* Puts the library's record together of what attribution found. */
struct record_maker {
	struct arena *arena; /* of the record; NULL before the first */
	struct array calls;  /* struct ktrace_hw_call */
	struct ktrace_hw_record record;
};

#define RECORD_MAKER_EMPTY \
	((struct record_maker){ .calls = ARRAY_OF(struct ktrace_hw_call) })

void record_maker_free(struct record_maker *maker);

/* Forgets the record before; one of all between the two times begins.  Returns
 * 0 or -ERROR_MEMORY.
 */
int record_maker_begin(struct record_maker *maker, uint64_t begin_ns,
		       uint64_t end_ns);

/* Adds a call; names stay @context's.  Returns 0 or -ERROR_MEMORY. */
int record_maker_call(struct record_maker *maker,
		      const struct call_record_context *context,
		      const struct call_record *call);

/* Takes a STEP_GAP; other steps do not matter. */
void record_maker_step(struct record_maker *maker,
		       const struct call_step *step);

/* Returns the record, valid until the next begins. */
const struct ktrace_hw_record *record_maker_end(struct record_maker *maker,
						uint64_t lost_records);

#endif
