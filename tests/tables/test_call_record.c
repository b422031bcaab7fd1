/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"
#include "attribution/events/event_handler.h"
#include "attribution/sleeps/sleeps.h"
#include "report/profile/call_tree.h"
#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/call_record.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

static const struct task task = { .tid = 8, .pid = 7 };

/* A read() that slept twice in pipe_read. */
struct story {
	struct function_table *functions;
	uint32_t read;
	uint32_t pipe_read;
	uint32_t schedule;
	uint32_t pipe_write;
	struct wakers wakers;
	struct call_tree *stacks;
	uint32_t stack;
	struct task_names *names;
	struct system_call call;
	struct call_trace trace;
	struct sleep_places places;
	struct call_record_context context;
};

static uint32_t add_function(struct story *story, const char *name)
{
	const char *module = function_table_module(story->functions, "", 0);

	return function_table_add(story->functions, name, strlen(name), module,
				  'k');
}

static void add_sleep(struct story *story, uint64_t asleep_ns, uint32_t waker)
{
	const struct sleep sleep = {
		.task = &task,
		.asleep_ns = asleep_ns,
		.runnable_ns = 5,
		.label = story->pipe_read,
		.stack = story->stack,
		.inner = story->schedule,
		.waker = waker,
		.others_at_begin = asleep_ns > 100 ? 2 : 0,
		.others_at_end = 1,
		.same_at_begin = -1,
		.same_at_end = -1,
	};

	ck_assert_int_eq(sleep_places_add(&story->places, &sleep), 0);
}

static void add_step(struct story *story, uint8_t kind, uint32_t function,
		     uint32_t depth, uint64_t wall_ns)
{
	const struct call_step step = {
		.kind = kind,
		.function = function,
		.depth = depth,
		.time_ns = wall_ns,
		.whole_ns = kind == STEP_EXIT ? 60 : 0,
	};

	ck_assert_int_eq(call_trace_consume(&story->trace, &step), 0);
}

static void add_sleeps(struct story *story)
{
	struct waker waker = {
		.earlier = WAKER_NONE,
		.function = story->schedule,
		.interrupt = story->schedule,
	};

	waker.earlier = wakers_add(&story->wakers, &waker);
	waker.interrupt = FUNCTION_NONE;
	waker.function = story->pipe_write;
	waker.pid = 9;
	waker.tid = 10;
	add_sleep(story, 100, wakers_add(&story->wakers, &waker));
	add_sleep(story, 300, WAKER_NONE);
}

static void tell(struct story *story, FILE *out)
{
	*story = (struct story){
		.functions = function_table_new(),
		.wakers = WAKERS_NONE,
		.stacks = call_tree_new(),
		.names = task_names_empty(),
		.trace = CALL_TRACE_EMPTY,
		.places = SLEEP_PLACES_EMPTY,
	};
	story->read = add_function(story, "__x64_sys_read");
	story->pipe_read = add_function(story, "pipe_read");
	story->schedule = add_function(story, "schedule");
	story->pipe_write = add_function(story, "pipe_write");
	story->call = (struct system_call){
		.task = &task,
		.begin_ns = 1000000500,
		.end_ns = 1000001000,
		.function = story->read,
		.class_ns = { [TIME_SYSTEM_CALL] = 80,
			      [TIME_ASLEEP] = 400,
			      [TIME_RUNNABLE] = 10,
			      [TIME_INTERRUPT] = 10 },
	};
	story->stack = call_tree_root(story->stacks, -1);
	story->stack = call_tree_child(story->stacks, story->stack, story->read,
				       false);
	story->stack = call_tree_child(story->stacks, story->stack,
				       story->pipe_read, false);
	add_sleeps(story);
	call_trace_begin(&story->trace, 0);
	add_step(story, STEP_ENTER, story->read, 0, 0);
	add_step(story, STEP_ENTER, story->pipe_read, 1, 0);
	add_step(story, STEP_EXIT, story->pipe_read, 1, 450);
	add_step(story, STEP_EXIT, story->read, 0, 500);
	story->context = (struct call_record_context){
		.functions = story->functions,
		.arch = &arch_x86_64,
		.names = story->names,
		.wakers = &story->wakers,
		.stacks = story->stacks,
		.max_depth = UINT32_MAX,
		.has_off_cpu = true,
		.out = out,
	};
}

static void forget(struct story *story)
{
	call_trace_free(&story->trace);
	sleep_places_free(&story->places);
	wakers_free(&story->wakers);
	call_tree_free(story->stacks);
	task_names_close(story->names);
	function_table_free(story->functions);
}

static void nothing(struct story *story)
{
	(void)story;
}

static void with_tracepoints(struct story *story)
{
	story->call.has_enter = true;
	story->call.number = 0;
	story->call.arguments[0] = UINT64_MAX;
	story->call.has_exit = true;
	story->call.result = -4;
	story->context.max_depth = 1;
}

static void without_scheduler(struct story *story)
{
	story->context.has_off_cpu = false;
	story->context.max_depth = 0;
	story->call.end = CALL_CUT;
	story->call.function = FUNCTION_UNKNOWN;
}

#define SLEEPS \
	"\"sleeps\":[{\"label\":\"pipe_read\",\"function\":\"schedule\"," \
	"\"line\":null,\"count\":2,\"asleep_ns\":400,\"max_ns\":300," \
	"\"runnable_ns\":10,\"others_at_begin\":2,\"others_at_end\":1," \
	"\"same_object_at_begin\":null,\"same_object_at_end\":null," \
	"\"wakers\":[{\"count\":1,\"chain\":[{\"pid\":9,\"tid\":10," \
	"\"comm\":\"?\",\"interrupt\":null,\"function\":\"pipe_write\"}," \
	"{\"pid\":null,\"tid\":null,\"comm\":null," \
	"\"interrupt\":\"schedule\",\"function\":\"schedule\"}]}," \
	"{\"count\":1,\"chain\":[]}]," \
	"\"stack\":\"__x64_sys_read;pipe_read\"}],"
#define TRACED \
	"\"trace\":[{\"depth\":0,\"function\":\"__x64_sys_read\"," \
	"\"calls\":1,\"wall_ns\":500,\"on_cpu_ns\":60,\"interrupt\":false}"
#define TIMES(asleep, runnable) \
	"\"on_cpu_ns\":80,\"asleep_ns\":" asleep ",\"runnable_ns\":" runnable \
	",\"stolen_ns\":10,\"tracer_ns\":0,\"unknown_ns\":0,\"faults\":0,\"fault_ns\":0,"

#define DATA(call) "\"text\":\"" call "\",\"path\":null,\"file\":null,"

static const struct {
	void (*change)(struct story *story);
	const char *json;
} cases[] = {
	{ nothing,
	  "{\"number\":null,\"name\":\"read\",\"function\":"
	  "\"__x64_sys_read\",\"pid\":7,\"tid\":8,\"comm\":\"?\","
	  "\"start_ns\":1000000500,\"wall_ns\":500,\"end\":\"returned\","
	  "\"arguments\":null,\"result\":null," DATA("read(...) = ?")
		  TIMES("400", "10") SLEEPS TRACED
	  ",{\"depth\":1,\"function\":\"pipe_read\",\"calls\":1,"
	  "\"wall_ns\":450,\"on_cpu_ns\":60,\"interrupt\":false}]}" },
	{ with_tracepoints,
	  "{\"number\":0,\"name\":\"read\",\"function\":\"__x64_sys_read\","
	  "\"pid\":7,\"tid\":8,\"comm\":\"?\",\"start_ns\":1000000500,"
	  "\"wall_ns\":500,\"end\":\"returned\",\"arguments\":["
	  "\"0xffffffffffffffff\",\"0x0\",\"0x0\",\"0x0\",\"0x0\",\"0x0\"],"
	  "\"result\":-4," DATA(
		  "read(-1, NULL, 0) = -1 EINTR (Interrupted system call)")
		  TIMES("400", "10") SLEEPS TRACED "]}" },
	{ without_scheduler,
	  "{\"number\":null,\"name\":\"?\",\"function\":null,\"pid\":7,"
	  "\"tid\":8,\"comm\":\"?\",\"start_ns\":1000000500,\"wall_ns\":500,"
	  "\"end\":\"cut\",\"arguments\":null,\"result\":null," DATA(
		  "?(...) = ?")
		  TIMES("null", "null") "\"sleeps\":null,\"trace\":[]}" },
};

typedef void write_record(const struct call_record_context *context,
			  const struct call_record *record);

/* Returns the output of @write for the story, changed by @change unless that is
 * NULL; the caller frees it.
 */
static char *written(write_record *write, void (*change)(struct story *))
{
	struct story story;
	struct call_record record = { &story.call, &story.trace,
				      &story.places };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	tell(&story, out);
	if (change)
		change(&story);
	write(&story.context, &record);
	fclose(out);
	forget(&story);
	return text;
}

START_TEST(json_is_as_documented)
{
	char *text = written(call_record_json, cases[_i].change);

	ck_assert_str_eq(text, cases[_i].json);
	free(text);
}
END_TEST

START_TEST(text_says_the_same)
{
	static const char expected[] =
		"     1.000000500  ?-8  read(...) = ?\n"
		"    500 ns: on CPU 80 ns, asleep 400 ns, runnable 10 ns, "
		"taken by interrupts 10 ns\n"
		"    slept 2 times, 400 ns, in pipe_read (by schedule)\n"
		"        stack pipe_read\n"
		"              __x64_sys_read\n"
		"        other threads there: 2 at its start, 1 at its end\n"
		"        woken 1x by ?-10 pipe_write < interrupt schedule\n"
		"       calls     wall   on CPU  function\n"
		"           1   500 ns    60 ns  __x64_sys_read\n"
		"           1   450 ns    60 ns    pipe_read\n\n";
	char *text = written(call_record_text, NULL);

	ck_assert_str_eq(text, expected);
	free(text);
}
END_TEST

START_TEST(a_line_says_the_most_of_it)
{
	char *text = written(call_line_text, _i ? with_tracepoints : NULL);

	ck_assert_str_eq(
		text, _i ? "     1.000000500  ?-8                     500 ns  "
			   "read(-1, "
			   "NULL, 0) = -1 EINTR (Interrupted system call)  "
			   "[asleep 400 ns, in pipe_read]\n" :
			   "     1.000000500  ?-8                     500 ns  "
			   "read(...) = ?"
			   "  [asleep 400 ns, in pipe_read]\n");
	free(text);
}
END_TEST

/* Calls, jumps and returns below a system call's entry, function 1: function 2
 * is called twice, 4 after the first of these calls, and 3 jumps to 4.
 */
static const struct function_event plain[] = {
	{ .time_ns = 10, .kind = FUNCTION_CALL, .function = 2 },
	{ .time_ns = 13, .kind = FUNCTION_CALL, .function = 3 },
	{ .time_ns = 17, .kind = FUNCTION_TAIL_CALL, .function = 4 },
	{ .time_ns = 24, .kind = FUNCTION_RETURN },
	{ .time_ns = 25, .kind = FUNCTION_RETURN },
	{ .time_ns = 31, .kind = FUNCTION_CALL, .function = 4 },
	{ .time_ns = 32, .kind = FUNCTION_RETURN },
	{ .time_ns = 40, .kind = FUNCTION_CALL, .function = 2 },
	{ .time_ns = 45, .kind = FUNCTION_RETURN },
};

enum {
	PLAIN_COUNT = sizeof(plain) / sizeof(*plain),
	BASE = 3,
	AHEAD_NS = 1000, /* of the task's clock */
};

static void step_at(struct call_trace *trace, uint8_t kind, uint32_t function,
		    uint32_t depth, uint64_t time_ns)
{
	const struct call_step step = {
		.kind = kind,
		.function = function,
		.depth = depth,
		.time_ns = time_ns,
		.whole_ns = time_ns + AHEAD_NS,
	};

	ck_assert_int_eq(call_trace_consume(trace, &step), 0);
}

static void consume_steps(struct call_trace *trace)
{
	uint32_t depth = BASE + 1;

	for (size_t i = 0; i < PLAIN_COUNT; i++) {
		const struct function_event *event = &plain[i];

		if (event->kind != FUNCTION_CALL)
			step_at(trace, STEP_EXIT, 0, --depth, event->time_ns);
		if (event->kind != FUNCTION_RETURN)
			step_at(trace, STEP_ENTER, event->function, depth++,
				event->time_ns);
	}
}

/* Applies the events @from to @until as a run that leaves @depth frames open. */
static void consume_run(struct call_trace *trace, uint32_t from, uint32_t until,
			uint32_t depth)
{
	const uint64_t last_ns = plain[until - 1].time_ns;
	const struct call_step last = { .time_ns = last_ns,
					.whole_ns = last_ns + AHEAD_NS };
	const struct skipped_calls skipped = {
		.last = &last,
		.events = plain + from,
		.event_count = until - from,
		.frame_count = depth,
	};

	ck_assert_int_eq(call_trace_skip(trace, &skipped), 0);
}

static void check_same(const struct traced_function *a,
		       const struct traced_function *b)
{
	ck_assert_uint_eq(a->function, b->function);
	ck_assert_uint_eq(a->depth, b->depth);
	ck_assert_uint_eq(a->parent, b->parent);
	ck_assert_uint_eq(a->next_sibling, b->next_sibling);
	ck_assert_uint_eq(a->calls, b->calls);
	ck_assert_uint_eq(a->wall_ns, b->wall_ns);
	ck_assert_uint_eq(a->on_cpu_ns, b->on_cpu_ns);
}

/* In the second loop the runs are cut after function 3 has started. */
START_TEST(a_run_is_like_its_steps)
{
	struct call_trace traces[2] = { CALL_TRACE_EMPTY, CALL_TRACE_EMPTY };

	for (int i = 0; i < 2; i++) {
		call_trace_begin(&traces[i], BASE);
		step_at(&traces[i], STEP_ENTER, 1, BASE, 5);
	}
	consume_steps(&traces[0]);
	if (_i)
		consume_run(&traces[1], 0, 2, BASE + 3);
	consume_run(&traces[1], _i ? 2 : 0, PLAIN_COUNT, BASE + 1);
	ck_assert_uint_eq(traces[0].functions.count, 5);
	ck_assert_uint_eq(traces[1].functions.count, 5);
	for (uint32_t i = 0; i < 5; i++)
		check_same(call_trace_at(&traces[0], i),
			   call_trace_at(&traces[1], i));
	ck_assert_uint_eq(call_trace_at(&traces[1], 1)->calls, 2);
	ck_assert_uint_eq(call_trace_at(&traces[1], 1)->wall_ns, 15 + 5);
	call_trace_free(&traces[0]);
	call_trace_free(&traces[1]);
}
END_TEST

SUITE("call_record")
{
	TEST_EACH(json_is_as_documented, cases);
	TEST(text_says_the_same);
	TEST_TIMES(a_line_says_the_most_of_it, 2);
	TEST_TIMES(a_run_is_like_its_steps, 2);
}
