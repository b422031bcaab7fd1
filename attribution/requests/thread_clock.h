/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_THREAD_CLOCK_H
#define KT_ATTRIBUTION_THREAD_CLOCK_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct time_span;

/* The kind of a thread's time, relative to the request that it works for. */
enum request_part {
	PART_KERNEL, /* system calls, faults, other kernel work */
	PART_USER,
	PART_INTERRUPT,
	PART_TRACER,
	PART_GUEST, /* in a virtual machine, as its virtual CPU */
	PART_RUNNABLE,
	PART_ASLEEP,
	PART_IDLE, /* asleep, waiting for the next message */
	PART_UNKNOWN,
	REQUEST_PARTS,
};

/* Returns the part that @span is. @is_idle: if it is a sleep, the thread waits
 * for a message.
 */
enum request_part request_part_of(const struct time_span *span, bool is_idle);

/* A point in a thread's life, with the parts of its time until then. The parts
 * are known only once the span that contains the point arrives, since the
 * reason of time off the CPU is known only afterwards. Reference counted.
 */
struct clock_mark {
	uint64_t time_ns;
	uint64_t parts[REQUEST_PARTS]; /* if is_known */
	bool is_known;
	uint32_t references;
};

struct clock_mark *clock_mark_refer(struct clock_mark *mark);
void clock_mark_drop(struct clock_mark *mark); /* NULL is allowed. */

/* An interval that a thread was off its CPU. */
struct away_span {
	enum request_part part; /* PART_RUNNABLE, PART_ASLEEP or PART_IDLE */
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* The parts of one thread's time so far, from its spans. Initialise a zeroed
 * one with THREAD_CLOCK_NEW.
 */
struct thread_clock {
	uint64_t parts[REQUEST_PARTS];
	uint64_t end_ns;    /* of the last span */
	struct array marks; /* struct clock_mark *: not known yet, by time */
	struct array away;  /* struct away_span: the last few hundred */
};

#define THREAD_CLOCK_NEW \
	((struct thread_clock){ \
		.marks = ARRAY_OF(struct clock_mark *), \
		.away = ARRAY_OF(struct away_span), \
	})

/* Creates a mark at @time_ns, or at the end of the last span if that is later.
 *
 * Returns it with one reference, which the caller owns; NULL when out of
 * memory.
 */
struct clock_mark *thread_clock_mark(struct thread_clock *clock,
				     uint64_t time_ns);

/* Adds the thread's next span, which is @part. Returns whether a mark became
 * known. When out of memory, the interval off the CPU is not recorded.
 */
bool thread_clock_take(struct thread_clock *clock, const struct time_span *span,
		       enum request_part part);

/* Sets @parts to the time off the CPU in [@begin_ns, @end_ns), as far as it is
 * still recorded.
 */
void thread_clock_away(const struct thread_clock *clock, uint64_t begin_ns,
		       uint64_t end_ns, uint64_t parts[REQUEST_PARTS]);

/* Ends the clock: marks that are still unknown are set to its end. */
void thread_clock_end(struct thread_clock *clock);

/* Like thread_clock_end(), and frees the members. */
void thread_clock_free(struct thread_clock *clock);

#endif
