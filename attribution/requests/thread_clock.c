/* SPDX-License-Identifier: MIT */
#include "attribution/requests/thread_clock.h"

#include "attribution/time/time_span.h"

#include <stdlib.h>
#include <string.h>

/* A request contains far fewer sleeps of a thread than this. */
enum { MOST_AWAY = 256 };

struct clock_mark *clock_mark_refer(struct clock_mark *mark)
{
	mark->references++;
	return mark;
}

void clock_mark_drop(struct clock_mark *mark)
{
	if (mark && !--mark->references)
		free(mark);
}

static void know(const struct thread_clock *clock, struct clock_mark *mark)
{
	memcpy(mark->parts, clock->parts, sizeof(mark->parts));
	mark->is_known = true;
}

struct clock_mark *thread_clock_mark(struct thread_clock *clock,
				     uint64_t time_ns)
{
	struct clock_mark *mark = calloc(1, sizeof(*mark));

	if (!mark)
		return NULL;
	mark->references = 1;
	mark->time_ns = time_ns > clock->end_ns ? time_ns : clock->end_ns;
	if (time_ns <= clock->end_ns) {
		know(clock, mark);
		return mark;
	}
	if (!array_append(&clock->marks, &mark))
		return clock_mark_refer(mark);
	free(mark);
	return NULL;
}

enum request_part request_part_of(const struct time_span *span, bool is_idle)
{
	static const enum request_part parts[TIME_CLASSES] = {
		[TIME_USER] = PART_USER,
		[TIME_SYSTEM_CALL] = PART_KERNEL,
		[TIME_FAULT] = PART_KERNEL,
		[TIME_KERNEL] = PART_KERNEL,
		[TIME_INTERRUPT] = PART_INTERRUPT,
		[TIME_TRACER] = PART_TRACER,
		[TIME_GUEST] = PART_GUEST,
		[TIME_RUNNABLE] = PART_RUNNABLE,
		[TIME_THROTTLED] = PART_RUNNABLE,
		[TIME_ASLEEP] = PART_ASLEEP,
		[TIME_NOT_ASKED] = PART_UNKNOWN,
		[TIME_UNKNOWN] = PART_UNKNOWN,
	};
	enum request_part part = parts[time_span_account(span)];

	return part == PART_ASLEEP && is_idle ? PART_IDLE : part;
}

/* Removes the first @count marks. */
static void forget(struct thread_clock *clock, size_t count)
{
	struct clock_mark **marks = clock->marks.items;

	for (size_t i = 0; i < count; i++)
		clock_mark_drop(marks[i]);
	array_remove(&clock->marks, 0, count);
}

static bool is_away(enum request_part part)
{
	return part == PART_RUNNABLE || part == PART_ASLEEP ||
	       part == PART_IDLE;
}

static void keep_away(struct thread_clock *clock, enum request_part part,
		      const struct time_span *span)
{
	const struct away_span away = { part, span->begin_ns, span->end_ns };

	if (clock->away.count == 2 * MOST_AWAY)
		array_remove(&clock->away, 0, MOST_AWAY);
	(void)array_append(&clock->away, &away);
}

bool thread_clock_take(struct thread_clock *clock, const struct time_span *span,
		       enum request_part part)
{
	struct clock_mark **marks = clock->marks.items;
	size_t count = 0;

	for (; count < clock->marks.count &&
	       marks[count]->time_ns <= span->end_ns;
	     count++) {
		know(clock, marks[count]);
		if (marks[count]->time_ns > span->begin_ns)
			marks[count]->parts[part] +=
				marks[count]->time_ns - span->begin_ns;
	}
	if (is_away(part))
		keep_away(clock, part, span);
	clock->parts[part] += span->end_ns - span->begin_ns;
	clock->end_ns = span->end_ns;
	forget(clock, count);
	return count;
}

void thread_clock_away(const struct thread_clock *clock, uint64_t begin_ns,
		       uint64_t end_ns, uint64_t parts[REQUEST_PARTS])
{
	const struct away_span *away = clock->away.items;

	memset(parts, 0, REQUEST_PARTS * sizeof(*parts));
	for (size_t i = clock->away.count;
	     i-- > 0 && away[i].end_ns > begin_ns;) {
		uint64_t from = away[i].begin_ns > begin_ns ? away[i].begin_ns :
							      begin_ns;
		uint64_t to = away[i].end_ns < end_ns ? away[i].end_ns : end_ns;

		if (to > from)
			parts[away[i].part] += to - from;
	}
}

void thread_clock_end(struct thread_clock *clock)
{
	struct clock_mark **marks = clock->marks.items;

	for (size_t i = 0; i < clock->marks.count; i++)
		know(clock, marks[i]);
	forget(clock, clock->marks.count);
	array_free(&clock->marks);
}

void thread_clock_free(struct thread_clock *clock)
{
	thread_clock_end(clock);
	array_free(&clock->away);
}
