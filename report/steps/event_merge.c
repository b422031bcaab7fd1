/* SPDX-License-Identifier: MIT */
/* Streams compete in a tournament: a complete binary tree whose leaves are the
 * streams, and whose inner nodes hold the better of their two children. The
 * root is the stream to provide next; the second best is among the streams that
 * lost against it. Only the current stream and held ones change, so each choice
 * needs one path from a leaf to the root.
 */
#include "report/steps/event_merge.h"

#include "common/array.h"
#include "common/error.h"

#include <stdlib.h>

struct merge_stream {
	event_batch_next *pull;
	void *ctx;
	const struct function_event *next; /* NULL: at its end */
	uint64_t next_ns; /* its time, when the tournament last played */
	const struct function_event *end;
	bool switches_alone;
	bool is_held;
	uint32_t holder;
};

struct event_merge {
	event_merge_holds *holds;
	void *ctx;
	struct array streams; /* struct merge_stream */
	/* the tournament: node N has the children 2N and 2N + 1; node 1 is the
	 * root, and stream I is node leaves + I
	 */
	uint32_t *winners; /* stream numbers, or NO_STREAM */
	uint32_t leaves;   /* a power of two */
	uint32_t held;	   /* number of streams that are held */
	uint32_t current;
	uint64_t ahead_ns; /* see event_merge_run_ahead() */
	/* the current stream may emit switches up to this time */
	uint64_t switch_limit_ns;
	/* the current stream may emit other events up to this time */
	uint64_t limit_ns;
	bool must_choose;
};

enum { NO_STREAM = UINT32_MAX };

struct event_merge *event_merge_new(event_merge_holds *holds, void *ctx)
{
	struct event_merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->holds = holds;
	merge->ctx = ctx;
	merge->streams = ARRAY_OF(struct merge_stream);
	merge->must_choose = true;
	return merge;
}

void event_merge_free(struct event_merge *merge)
{
	if (!merge)
		return;
	array_free(&merge->streams);
	free(merge->winners);
	free(merge);
}

void event_merge_run_ahead(struct event_merge *merge, uint64_t ahead_ns)
{
	merge->ahead_ns = ahead_ns;
}

static struct merge_stream *stream_at(const struct event_merge *merge,
				      uint32_t index)
{
	return (struct merge_stream *)merge->streams.items + index;
}

static int refill(struct merge_stream *stream)
{
	int count = stream->pull(stream->ctx, &stream->next);

	if (count < 0)
		return count;
	if (!count)
		stream->next = NULL;
	stream->end = count ? stream->next + count : NULL;
	return 0;
}

static bool is_before(const struct merge_stream *a,
		      const struct merge_stream *b)
{
	if (a->is_held != b->is_held)
		return b->is_held;
	return a->next_ns < b->next_ns;
}

/* Returns the stream that precedes the other one: @a if they are equal, or if
 * there is no @b.
 */
static uint32_t better(const struct event_merge *merge, uint32_t a, uint32_t b)
{
	if (a == NO_STREAM || b == NO_STREAM)
		return a == NO_STREAM ? b : a;
	return is_before(stream_at(merge, b), stream_at(merge, a)) ? b : a;
}

/* Plays the matches of stream @index again, which has changed. */
static void play(const struct event_merge *merge, uint32_t index)
{
	struct merge_stream *stream = stream_at(merge, index);
	uint32_t node = merge->leaves + index;

	merge->winners[node] = stream->next ? index : NO_STREAM;
	if (stream->next)
		stream->next_ns = stream->next->time_ns;
	while (node /= 2)
		merge->winners[node] = better(merge, merge->winners[2 * node],
					      merge->winners[2 * node + 1]);
}

/* Makes a tournament with twice as many leaves. Returns 0 or -ERROR_MEMORY. */
static int grow(struct event_merge *merge)
{
	uint32_t leaves = merge->leaves ? 2 * merge->leaves : 1;
	uint32_t *winners = malloc(2 * leaves * sizeof(*winners));

	if (!winners)
		return -ERROR_MEMORY;
	free(merge->winners);
	merge->winners = winners;
	merge->leaves = leaves;
	for (uint32_t i = 0; i < 2 * leaves; i++)
		winners[i] = NO_STREAM;
	for (uint32_t i = 0; i < merge->streams.count; i++)
		play(merge, i);
	return 0;
}

int event_merge_add(struct event_merge *merge, event_batch_next *next,
		    void *ctx, bool switches_alone)
{
	uint32_t index = (uint32_t)merge->streams.count;
	struct merge_stream *stream;
	int status;

	if (index == merge->leaves && grow(merge) < 0)
		return -ERROR_MEMORY;
	stream = array_add(&merge->streams);
	if (!stream)
		return -ERROR_MEMORY;
	stream->pull = next;
	stream->ctx = ctx;
	stream->switches_alone = switches_alone;
	status = refill(stream);
	play(merge, index);
	return status;
}

/* Returns the best of the streams that lost against @best, or NO_STREAM. */
static uint32_t second_best(const struct event_merge *merge, uint32_t best)
{
	uint32_t second = NO_STREAM;

	for (uint32_t node = merge->leaves + best; node > 1; node /= 2)
		second = better(merge, second, merge->winners[node ^ 1]);
	return second;
}

/* Returns the time up to which a stream may run ahead of one at @time_ns. */
static uint64_t limit_of(const struct event_merge *merge, uint64_t time_ns)
{
	return time_ns < UINT64_MAX - merge->ahead_ns ?
		       time_ns + merge->ahead_ns :
		       UINT64_MAX;
}

/* Chooses the next stream, and sets its limits. Held streams are last: if all
 * are held, the recording contradicts itself, and time decides.
 */
static bool choose(struct event_merge *merge)
{
	const struct merge_stream *other = NULL;
	uint32_t best;
	uint32_t second;

	if (!merge->streams.count)
		return false;
	play(merge, merge->current);
	best = merge->winners[1];
	if (best == NO_STREAM)
		return false;
	second = second_best(merge, best);
	if (second != NO_STREAM)
		other = stream_at(merge, second);
	merge->current = best;
	merge->switch_limit_ns = other && !other->is_held ? other->next_ns :
							    UINT64_MAX;
	merge->limit_ns = limit_of(merge, merge->switch_limit_ns);
	merge->must_choose = false;
	return true;
}

static void release(struct event_merge *merge, uint32_t holder)
{
	for (uint32_t i = 0; merge->held && i < merge->streams.count; i++) {
		struct merge_stream *stream = stream_at(merge, i);

		if (!stream->is_held || stream->holder != holder)
			continue;
		stream->is_held = false;
		merge->held--;
		play(merge, i);
	}
	merge->must_choose = true;
}

/* Returns whether the switch at the head of the current stream must wait. If
 * the stream is held already, all streams are, and the switch is emitted.
 */
static bool hold(struct event_merge *merge, struct merge_stream *stream)
{
	if (stream->is_held) {
		stream->is_held = false;
		merge->held--;
		return false;
	}
	if (!merge->holds(merge->ctx, merge->current, stream->next,
			  &stream->holder))
		return false;
	stream->is_held = true;
	merge->held++;
	merge->must_choose = true;
	return true;
}

static bool ends_run(const struct function_event *event)
{
	return event->kind == FUNCTION_SWITCH || event->kind == FUNCTION_END;
}

/* Returns whether the current stream must not emit @event yet. */
static bool is_too_late(const struct event_merge *merge,
			const struct function_event *event)
{
	return event->time_ns >
	       (ends_run(event) ? merge->switch_limit_ns : merge->limit_ns);
}

static struct merge_stream *first_stream(struct event_merge *merge)
{
	for (;;) {
		struct merge_stream *stream;

		if (merge->must_choose && !choose(merge))
			return NULL;
		stream = stream_at(merge, merge->current);
		if (!stream->next || is_too_late(merge, stream->next)) {
			merge->must_choose = true;
			continue;
		}
		if (stream->next->kind != FUNCTION_SWITCH ||
		    merge->streams.count == 1 || !hold(merge, stream))
			return stream;
	}
}

/* Returns the first event from @at on, before @end, that is later than
 * @time_ns; @end if there is none. Looks at the nearest ones first: with many
 * CPUs runs are short, and the events far ahead not in the CPU's cache.
 */
static const struct function_event *
first_after(const struct function_event *at, const struct function_event *end,
	    uint64_t time_ns)
{
	for (size_t step = 1; step < (size_t)(end - at); step *= 2) {
		if (at[step].time_ns > time_ns) {
			end = at + step;
			break;
		}
		at += step;
	}
	while (at < end) {
		const struct function_event *middle = at + (end - at) / 2;

		if (middle->time_ns > time_ns)
			end = middle;
		else
			at = middle + 1;
	}
	return at;
}

/* Returns the end of the run at the head of @stream. A run ends after a switch,
 * for which another stream may have waited.
 */
static const struct function_event *run_end(const struct event_merge *merge,
					    const struct merge_stream *stream)
{
	const struct function_event *end = stream->next;

	if (ends_run(end))
		return end + 1;
	if (stream->switches_alone)
		return first_after(end, stream->end, merge->limit_ns);
	while (end < stream->end && end->time_ns <= merge->limit_ns &&
	       !ends_run(end))
		end++;
	return end;
}

/* How many events ahead memory is prefetched. */
enum { AHEAD = 8 };

int event_merge_next(struct event_merge *merge, uint32_t *index,
		     const struct function_event **events)
{
	struct merge_stream *stream = stream_at(merge, merge->current);
	const struct function_event *end;

	/* Refilled only now, since the last events provided had to stay valid
	 * until this call.
	 */
	if (merge->streams.count && stream->next &&
	    stream->next == stream->end) {
		int status = refill(stream);

		if (status < 0)
			return status;
	}
	stream = first_stream(merge);
	if (!stream)
		return 0;
	end = run_end(merge, stream);
	if (ends_run(stream->next))
		release(merge, merge->current);
	*index = merge->current;
	*events = stream->next;
	stream->next = end;
	/* The other CPUs' events leave no room for these in the CPU's cache. */
	if (merge->streams.count > 1)
		__builtin_prefetch(end + AHEAD);
	return (int)(end - *events);
}

uint64_t event_merge_time(const struct event_merge *merge)
{
	uint64_t time_ns = UINT64_MAX;

	for (uint32_t i = 0; i < merge->streams.count; i++) {
		const struct merge_stream *stream = stream_at(merge, i);
		const struct function_event *next = stream->next;

		if (!next)
			continue;
		/* The batch is used up and its successor unknown: use the last
		 * event's time.
		 */
		if (next == stream->end)
			next--;
		if (next->time_ns < time_ns)
			time_ns = next->time_ns;
	}
	return time_ns;
}

uint64_t event_merge_left(const struct event_merge *merge, uint32_t index)
{
	const struct merge_stream *stream = stream_at(merge, index);

	return stream->next ? (uint64_t)(stream->end - stream->next) : 0;
}
