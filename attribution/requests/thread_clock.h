/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_THREAD_CLOCK_H
#define KT_ATTRIBUTION_THREAD_CLOCK_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct time_span;

/* What a thread's time is to a request that it works for. */
enum request_part {
	PART_KERNEL, /* system calls, faults, other kernel work */
	PART_USER,
	PART_INTERRUPT,
	PART_TRACER,
	PART_GUEST, /* in a virtual machine, as its CPU */
	PART_RUNNABLE,
	PART_ASLEEP,
	PART_IDLE, /* asleep, waiting for the next message */
	PART_UNKNOWN,
	REQUEST_PARTS,
};

/* Returns what @span is; @is_idle: of a sleep, that it waits for a message. */
enum request_part request_part_of(const struct time_span *span, bool is_idle);

/* A moment of a thread's life, and what its time went to until then, which is
 * known only when the span comes that it lies in: a thread off its CPU tells
 * afterwards why.  Several may hold a mark.
 */
struct clock_mark {
	uint64_t time_ns;
	uint64_t parts[REQUEST_PARTS]; /* if is_known */
	bool is_known;
	uint32_t references;
};

struct clock_mark *clock_mark_refer(struct clock_mark *mark);
void clock_mark_drop(struct clock_mark *mark); /* NULL is allowed */

/* A thread was off its CPU. */
struct away_span {
	enum request_part part; /* PART_RUNNABLE, PART_ASLEEP or PART_IDLE */
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* What one thread's time went to so far, as its spans tell.  A zeroed one with
 * THREAD_CLOCK_NEW is new.
 */
struct thread_clock {
	uint64_t parts[REQUEST_PARTS];
	uint64_t end_ns;    /* of the last span */
	struct array marks; /* struct clock_mark *: not known yet, by time */
	struct array away;  /* struct away_span: some hundred last ones */
};

#define THREAD_CLOCK_NEW \
	((struct thread_clock){ \
		.marks = ARRAY_OF(struct clock_mark *), \
		.away = ARRAY_OF(struct away_span), \
	})

/* Makes a mark at @time_ns, or at the end of the last span if that is later.
 *
 * Returns it with one reference, the caller's; NULL when out of memory.
 */
struct clock_mark *thread_clock_mark(struct thread_clock *clock,
				     uint64_t time_ns);

/* Takes the thread's next span, which is @part.  Returns whether a mark became
 * known.  When out of memory, it is forgotten when the thread was off its CPU.
 */
bool thread_clock_take(struct thread_clock *clock, const struct time_span *span,
		       enum request_part part);

/* Sets @parts to the time off its CPU from @begin_ns to @end_ns, as far as that is
 * kept.
 */
void thread_clock_away(const struct thread_clock *clock, uint64_t begin_ns,
		       uint64_t end_ns, uint64_t parts[REQUEST_PARTS]);

/* No span follows: what is not known yet was at the end. */
void thread_clock_end(struct thread_clock *clock);

/* The same, and frees what it keeps. */
void thread_clock_free(struct thread_clock *clock);

#endif
