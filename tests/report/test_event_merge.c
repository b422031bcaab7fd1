/* SPDX-License-Identifier: MIT */
#include "report/steps/event_merge.h"
#include "tests/fixtures/random.h"
#include "tests/run_suite.h"

#include <string.h>

enum { STREAMS = 3, EVENTS = 2000, BATCH = 7 };

/* A stream that emits a few events at a time, as decoders do. */
struct stream {
	struct function_event events[EVENTS];
	int count;
	int next;
	bool switches_alone;
	int batch; /* 0: BATCH */
};

struct merged {
	struct function_event events[STREAMS * EVENTS];
	uint32_t streams[STREAMS * EVENTS];
	int count;
	int runs;
};

static bool stands_alone(const struct function_event *event)
{
	return event->kind == FUNCTION_SWITCH || event->kind == FUNCTION_END;
}

/* Returns how many events to emit from a stream that emits switches separately:
 * one, or those before the next switch.
 */
static int count_alone(const struct function_event *events, int count)
{
	for (int i = 0; i < count; i++)
		if (stands_alone(&events[i]))
			return i ? i : 1;
	return count;
}

static int next_batch(void *ctx, const struct function_event **batch)
{
	struct stream *stream = ctx;
	int left = stream->count - stream->next;
	int most = stream->batch ? stream->batch : BATCH;
	int count = left < most ? left : most;

	if (stream->switches_alone)
		count = count_alone(&stream->events[stream->next], count);
	*batch = &stream->events[stream->next];
	stream->next += count;
	return count;
}

static void add(struct stream *stream, uint64_t time_ns, uint8_t kind)
{
	stream->events[stream->count++] = (struct function_event){
		.time_ns = time_ns,
		.kind = kind,
	};
}

static bool holds_none(void *ctx, uint32_t index,
		       const struct function_event *event, uint32_t *where)
{
	(void)ctx;
	(void)index;
	(void)event;
	(void)where;
	return false;
}

/* The task runs in stream 1 until that has had a switch. */
static bool holds_first(void *ctx, uint32_t index,
			const struct function_event *event, uint32_t *where)
{
	const struct merged *merged = ctx;

	(void)event;
	for (int i = 0; i < merged->count; i++)
		if (merged->streams[i] == 1 &&
		    merged->events[i].kind == FUNCTION_SWITCH)
			return false;
	*where = 1;
	return index == 0;
}

static void check_run(const struct function_event *events, int count)
{
	for (int i = 0; i < count; i++)
		ck_assert(count == 1 || !stands_alone(&events[i]));
}

static void merge_all(struct stream *streams, int count, uint64_t ahead_ns,
		      event_merge_holds *holds, struct merged *merged)
{
	struct event_merge *merge = event_merge_new(holds, merged);
	const struct function_event *events;
	uint64_t reached_ns = 0;
	uint32_t index;
	int size;

	event_merge_run_ahead(merge, ahead_ns);
	memset(merged, 0, sizeof(*merged));
	for (int i = 0; i < count; i++)
		ck_assert_int_eq(event_merge_add(merge, next_batch, &streams[i],
						 streams[i].switches_alone),
				 0);
	while ((size = event_merge_next(merge, &index, &events)) > 0) {
		check_run(events, size);
		ck_assert_uint_ge(events->time_ns, reached_ns);
		reached_ns = event_merge_time(merge);
		for (int i = 0; i < size; i++) {
			merged->streams[merged->count] = index;
			merged->events[merged->count++] = events[i];
		}
		merged->runs++;
	}
	ck_assert_int_eq(size, 0);
	event_merge_free(merge);
}

/* _i: streams provide switches alone. */
START_TEST(invariant_2_events_are_in_order_of_time)
{
	static struct stream streams[STREAMS];
	static struct merged merged;
	int next[STREAMS] = { 0 };
	uint32_t state = 1;

	for (int i = 0; i < STREAMS; i++) {
		uint64_t now_ns = 1;

		streams[i] = (struct stream){ .switches_alone = _i };
		for (int j = 1; j < EVENTS; j++) {
			/* Some alone, some many between others' two. */
			now_ns += next_random(&state) % 50 ? 1 : 200;
			add(&streams[i], now_ns,
			    next_random(&state) % 20 ? FUNCTION_CALL :
						       FUNCTION_SWITCH);
		}
		add(&streams[i], now_ns + 1, FUNCTION_END);
	}
	merge_all(streams, STREAMS, 0, holds_none, &merged);
	ck_assert_int_eq(merged.count, STREAMS * EVENTS);
	for (int i = 0; i < merged.count; i++) {
		uint32_t from = merged.streams[i];

		if (i)
			ck_assert_uint_ge(merged.events[i].time_ns,
					  merged.events[i - 1].time_ns);
		ck_assert_mem_eq(&merged.events[i],
				 &streams[from].events[next[from]++],
				 sizeof(*merged.events));
	}
}
END_TEST

START_TEST(events_without_others_between_are_one_run)
{
	static struct stream streams[2];
	static struct merged merged;

	memset(streams, 0, sizeof(streams));
	for (uint64_t i = 0; i < BATCH; i++)
		add(&streams[0], 10 + i, FUNCTION_CALL);
	add(&streams[1], 100, FUNCTION_CALL);
	merge_all(streams, 2, 0, holds_none, &merged);
	ck_assert_int_eq(merged.count, BATCH + 1);
	ck_assert_int_eq(merged.runs, 2);
}
END_TEST

/* CPU 0's clock is ahead: its switch waits, its earlier events do not. */
START_TEST(invariant_2_a_task_leaves_before_it_arrives)
{
	static const uint32_t expected[] = { 0, 1, 1, 1, 0, 0 };
	static struct stream streams[2];
	static struct merged merged;

	memset(streams, 0, sizeof(streams));
	add(&streams[0], 10, FUNCTION_CALL);
	add(&streams[0], 20, FUNCTION_SWITCH);
	add(&streams[0], 50, FUNCTION_CALL);
	add(&streams[1], 25, FUNCTION_CALL);
	add(&streams[1], 30, FUNCTION_RETURN);
	add(&streams[1], 40, FUNCTION_SWITCH);
	merge_all(streams, 2, 0, holds_first, &merged);
	ck_assert_int_eq(merged.count, 6);
	ck_assert_mem_eq(merged.streams, expected, sizeof(expected));
}
END_TEST

/* _i: the number of events in a batch, which must not matter (invariant 3). */
START_TEST(invariant_2_only_events_between_switches_run_ahead)
{
	static const struct {
		uint64_t ahead_ns;
		uint32_t streams[11];
	} rows[] = {
		{ 0, { 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0 } },
		{ 3, { 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0 } },
		{ 100, { 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0 } },
	};
	static struct stream streams[2];
	static struct merged merged;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		memset(streams, 0, sizeof(streams));
		streams[0].batch = streams[1].batch = _i;
		add(&streams[0], 10, FUNCTION_CALL);
		add(&streams[0], 13, FUNCTION_CALL);
		add(&streams[0], 14, FUNCTION_RETURN);
		add(&streams[0], 16, FUNCTION_CALL);
		add(&streams[0], 20, FUNCTION_SWITCH);
		add(&streams[0], 22, FUNCTION_CALL);
		add(&streams[1], 11, FUNCTION_CALL);
		add(&streams[1], 12, FUNCTION_RETURN);
		add(&streams[1], 15, FUNCTION_CALL);
		add(&streams[1], 18, FUNCTION_SWITCH);
		add(&streams[1], 21, FUNCTION_SWITCH);
		merge_all(streams, 2, rows[i].ahead_ns, holds_none, &merged);
		ck_assert_int_eq(merged.count, 11);
		ck_assert_mem_eq(merged.streams, rows[i].streams,
				 sizeof(rows[i].streams));
	}
}
END_TEST

SUITE("event_merge")
{
	TEST_TIMES(invariant_2_events_are_in_order_of_time, 2);
	TEST(events_without_others_between_are_one_run);
	TEST(invariant_2_a_task_leaves_before_it_arrives);
	TEST_RANGE(invariant_2_only_events_between_switches_run_ahead, 1,
		   BATCH);
}
