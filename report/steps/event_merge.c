/* SPDX-License-Identifier: MIT */
#include "report/steps/event_merge.h"

#include "common/array.h"
#include "common/error.h"

#include <stdlib.h>

struct merge_stream {
	event_batch_next *pull;
	void *ctx;
	const struct function_event *next; /* NULL: at its end */
	const struct function_event *end;
	bool switches_alone;
	bool is_held;
	uint32_t holder;
};

struct event_merge {
	event_merge_holds *holds;
	void *ctx;
	struct array streams; /* struct merge_stream */
	uint32_t current;
	uint64_t limit_ns; /* current may emit events up to this time */
	bool must_choose;
};

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
	free(merge);
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

int event_merge_add(struct event_merge *merge, event_batch_next *next,
		    void *ctx, bool switches_alone)
{
	struct merge_stream *stream = array_add(&merge->streams);

	if (!stream)
		return -ERROR_MEMORY;
	stream->pull = next;
	stream->ctx = ctx;
	stream->switches_alone = switches_alone;
	return refill(stream);
}

static bool is_before(const struct merge_stream *a,
		      const struct merge_stream *b)
{
	if (!b)
		return true;
	if (a->is_held != b->is_held)
		return b->is_held;
	return a->next->time_ns < b->next->time_ns;
}

/* Chooses the next stream, and sets its limit. Held streams are last: if all
 * are held, the recording contradicts itself, and time decides.
 */
static bool choose(struct event_merge *merge)
{
	const struct merge_stream *best = NULL;
	const struct merge_stream *second = NULL;

	for (uint32_t i = 0; i < merge->streams.count; i++) {
		const struct merge_stream *stream = stream_at(merge, i);

		if (!stream->next)
			continue;
		if (is_before(stream, best)) {
			second = best;
			best = stream;
			merge->current = i;
		} else if (is_before(stream, second)) {
			second = stream;
		}
	}
	merge->limit_ns = second && !second->is_held ? second->next->time_ns :
						       UINT64_MAX;
	merge->must_choose = false;
	return best;
}

static void release(struct event_merge *merge, uint32_t holder)
{
	for (uint32_t i = 0; i < merge->streams.count; i++) {
		struct merge_stream *stream = stream_at(merge, i);

		if (stream->is_held && stream->holder == holder)
			stream->is_held = false;
	}
	merge->must_choose = true;
}

/* Returns whether the switch at the head of the current stream must wait. */
static bool hold(struct event_merge *merge, struct merge_stream *stream)
{
	if (stream->is_held || !merge->holds(merge->ctx, merge->current,
					     stream->next, &stream->holder)) {
		stream->is_held = false;
		return false;
	}
	stream->is_held = true;
	merge->must_choose = true;
	return true;
}

static struct merge_stream *first_stream(struct event_merge *merge)
{
	for (;;) {
		struct merge_stream *stream;

		if (merge->must_choose && !choose(merge))
			return NULL;
		stream = stream_at(merge, merge->current);
		if (!stream->next || stream->next->time_ns > merge->limit_ns) {
			merge->must_choose = true;
			continue;
		}
		if (stream->next->kind != FUNCTION_SWITCH ||
		    merge->streams.count == 1 || !hold(merge, stream))
			return stream;
	}
}

static bool ends_run(const struct function_event *event)
{
	return event->kind == FUNCTION_SWITCH || event->kind == FUNCTION_END;
}

/* Returns the first event from @at on, before @end, that is later than
 * @time_ns; @end if there is none.
 */
static const struct function_event *
first_after(const struct function_event *at, const struct function_event *end,
	    uint64_t time_ns)
{
	if (end[-1].time_ns <= time_ns)
		return end;
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
