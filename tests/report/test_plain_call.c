/* SPDX-License-Identifier: MIT */
#include "attribution/events/call_skips_internal.h"
#include "attribution/events/event_handler.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "report/profile/profile.h"
#include "report/steps/call_frames.h"
#include "report/steps/step_select.h"
#include "report/steps/task_stacks.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/random.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

enum { FUNCTIONS = 12, EVENTS = 4000, DEEPEST = 60, BATCH = 64 };

static const struct time_window window = { 500, 3000 };

/* A profile, or a selection, and the stacks that feed it. */
struct side {
	struct step_callback callback; /* hides the fast path of next */
	struct step_callback *next;
	struct profile *profile;
	struct step_select *select;
	struct task_stacks *stacks;
};

static void pass_on(struct step_callback *callback,
		    const struct call_step *step)
{
	struct step_callback *next = ((struct side *)callback)->next;

	next->consume(next, step);
}

/* @functions may be NULL: then none has a role (call_frames.h). */
static void open_stacks_of(struct side *side, struct step_callback *next,
			   bool is_step_by_step,
			   const struct function_table *functions)
{
	side->callback = (struct step_callback){ .consume = pass_on };
	side->next = next;
	ck_assert_ptr_nonnull(next->consume_plain);
	side->stacks = task_stacks_new(
		window, is_step_by_step ? &side->callback : next);
	if (functions)
		task_stacks_set_functions(side->stacks, functions);
	ck_assert_int_eq(task_stacks_add_cpu(side->stacks, 0, 7, 7), 0);
}

static void open_stacks(struct side *side, struct step_callback *next,
			bool is_step_by_step)
{
	open_stacks_of(side, next, is_step_by_step, NULL);
}

static void begin(struct side *side, bool is_step_by_step)
{
	const struct profile_options options = { .window = window };

	side->profile = profile_new(&options);
	open_stacks(side, profile_callback(side->profile), is_step_by_step);
}

static void end(struct side *side)
{
	task_stacks_free(side->stacks);
	profile_free(side->profile);
}

/* The calls that are open, so that most returns are from one of them. */
struct story {
	uint32_t seed;
	uint64_t time_ns;
	uint32_t depth;
	uint64_t addresses[DEEPEST];
};

static struct function_event event_of(struct story *story, uint8_t kind)
{
	return (struct function_event){
		.time_ns = story->time_ns += next_random(&story->seed) % 3,
		.kind = kind,
		.function = next_random(&story->seed) % FUNCTIONS,
	};
}

static struct function_event next_usual(struct story *story)
{
	uint32_t what = next_random(&story->seed) % 8;
	struct function_event event;

	if (what < 4 && story->depth < DEEPEST) {
		event = event_of(story, FUNCTION_CALL);
		event.address = 1 + next_random(&story->seed) % 8;
		story->addresses[story->depth++] = event.address;
	} else if (what < 7 && story->depth) {
		event = event_of(story, FUNCTION_RETURN);
		event.address = story->addresses[--story->depth];
	} else {
		event = event_of(story, FUNCTION_TAIL_CALL);
	}
	return event;
}

static struct function_event next_odd(struct story *story)
{
	static const uint8_t kinds[] = {
		FUNCTION_LOCAL_CALL,
		FUNCTION_RETURN,
		FUNCTION_EXCEPTION,
		FUNCTION_EXCEPTION_RETURN,
		FUNCTION_GAP,
		FUNCTION_TRACE_START,
		FUNCTION_TRACE_STOP,
		FUNCTION_SWITCH,
		FUNCTION_LOCAL_EXCEPTION,
	};
	struct function_event event = event_of(
		story, kinds[next_random(&story->seed) % sizeof(kinds)]);

	event.address = next_random(&story->seed) % 9;
	event.detail = next_random(&story->seed) % 2;
	if (event.kind == FUNCTION_SWITCH)
		event.address =
			UINT64_C(0x100000001) * (next_random(&story->seed) % 3);
	return event;
}

/* Sends the same events to @count sides; without odd ones there is one task. */
static void send_to(struct side *sides, int count, uint32_t seed, bool has_odd)
{
	struct story story = { .seed = seed, .time_ns = 1 };

	for (int sent = 0; sent < EVENTS; sent += BATCH) {
		struct function_event events[BATCH];

		for (int i = 0; i < BATCH; i++)
			events[i] = next_random(&story.seed) % 40 || !has_odd ?
					    next_usual(&story) :
					    next_odd(&story);
		for (int i = 0; i < count; i++)
			ck_assert_int_eq(task_stacks_consume(sides[i].stacks, 0,
							     events, BATCH),
					 0);
	}
}

static void send(struct side *sides, uint32_t seed)
{
	send_to(sides, 2, seed, true);
}

static void check_trees(const struct profile *a, const struct profile *b)
{
	const struct call_tree *one = profile_tree(a);
	const struct call_tree *other = profile_tree(b);

	ck_assert_uint_gt(call_tree_count(one), FUNCTIONS);
	ck_assert_uint_eq(call_tree_count(one), call_tree_count(other));
	ck_assert_mem_eq(one->nodes, other->nodes,
			 call_tree_count(one) * sizeof(struct call_node));
	ck_assert_mem_eq(one->links, other->links,
			 call_tree_count(one) * sizeof(struct call_links));
	ck_assert_uint_eq(one->more_count, other->more_count);
	ck_assert_mem_eq(one->more, other->more,
			 one->more_count * sizeof(struct call_more));
}

/* Compares the tasks' complete state: their clocks and open functions, too. */
static void check_stacks(struct task_stacks *a, struct task_stacks *b)
{
	struct pack one = pack_to_write();
	struct pack other = pack_to_write();

	task_stacks_pack(a, &one, FUNCTIONS);
	task_stacks_pack(b, &other, FUNCTIONS);
	ck_assert(pack_is_whole(&one) && pack_is_whole(&other));
	ck_assert_uint_eq(one.out.size, other.out.size);
	ck_assert_mem_eq(one.out.bytes, other.out.bytes, one.out.size);
	pack_free(&one);
	pack_free(&other);
}

START_TEST(at_once_is_as_step_by_step)
{
	struct side sides[2];

	begin(&sides[0], false);
	begin(&sides[1], true);
	send(sides, (uint32_t)_i + 1);
	check_stacks(sides[0].stacks, sides[1].stacks);
	for (int i = 0; i < 2; i++)
		task_stacks_close(sides[i].stacks);
	check_trees(sides[0].profile, sides[1].profile);
	end(&sides[0]);
	end(&sides[1]);
}
END_TEST

/* Counts and adds up the selected call events. */
struct sum {
	struct step_callback callback;
	uint64_t count;
	uint64_t hash;
};

static void add_up(struct step_callback *callback, const struct call_step *step)
{
	const uint64_t values[] = { step->time_ns,  step->clock_ns,
				    step->wall_ns,  step->on_cpu_ns,
				    step->function, step->depth,
				    step->kind,	    step->how,
				    step->unseen };
	struct sum *sum = (struct sum *)callback;

	sum->count++;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		sum->hash = sum->hash * 31 + values[i];
}

/* In the second loop the window's calls are cut at two levels. */
START_TEST(a_selection_at_once_is_as_step_by_step)
{
	const struct step_select_options options = {
		.window = window,
		.max_depth = _i % 2 ? 2 : UINT32_MAX,
		.max_count = UINT64_MAX,
	};
	struct function_table *functions = function_table_new();
	struct sum sums[2] = { { .callback = { .consume = add_up } },
			       { .callback = { .consume = add_up } } };
	struct side sides[2];

	for (int i = 0; i < 2; i++) {
		sides[i].select =
			step_select_new(&options, functions, &sums[i].callback);
		open_stacks(&sides[i], step_select_callback(sides[i].select),
			    i);
	}
	send(sides, (uint32_t)_i + 1);
	check_stacks(sides[0].stacks, sides[1].stacks);
	ck_assert_uint_gt(sums[0].count, 100);
	ck_assert_uint_eq(sums[0].count, sums[1].count);
	ck_assert_uint_eq(sums[0].hash, sums[1].hash);
	for (int i = 0; i < 2; i++) {
		task_stacks_free(sides[i].stacks);
		step_select_free(sides[i].select);
	}
	function_table_free(functions);
}
END_TEST

/* A handler of attribution that needs some functions and the outermost frames,
 * and the callback that skips all other calls.
 */
struct skipper {
	struct step_callback callback;
	struct event_handler handler;
	struct event_handler *handlers[1];
	struct call_skips skips;
	struct sum sum;	  /* of the steps that the handler needs */
	uint64_t skipped; /* number of events */
	bool has_role;	  /* ROLE_FUNCTION has a role */
};

enum { NEEDED_FRAMES = 2, ROLE_FUNCTION = 7 };

static uint8_t needs_some(const struct event_handler *handler,
			  uint32_t function)
{
	(void)handler;
	return function % 5 == 3;
}

static void needs_outermost(const struct event_handler *handler,
			    const struct call_step *step,
			    struct skip_limits *limits)
{
	(void)handler;
	(void)step;
	skip_limits_raise(limits, NEEDED_FRAMES);
}

static void note_skipped(struct event_handler *handler,
			 const struct skipped_calls *skipped)
{
	struct skipper *skipper =
		container_of(handler, struct skipper, handler);

	skipper->skipped += skipped->event_count;
	for (uint32_t i = 0; i < skipped->event_count && skipper->has_role; i++)
		ck_assert(skipped->events[i].kind == FUNCTION_RETURN ||
			  skipped->events[i].function != ROLE_FUNCTION);
	ck_assert_uint_ge(skipped->unchanged, NEEDED_FRAMES);
	ck_assert_uint_le(skipped->unchanged, skipped->frame_count);
}

static void consume_needed(struct step_callback *callback,
			   const struct call_step *step)
{
	struct skipper *skipper = (struct skipper *)callback;

	if (step->kind > STEP_EXIT || step->depth < NEEDED_FRAMES ||
	    needs_some(&skipper->handler, step->function))
		add_up(&skipper->sum.callback, step);
}

static uint32_t skip_plain(struct step_callback *callback,
			   const struct call_step *step,
			   struct call_stack *stack,
			   const struct function_event *events, uint32_t count,
			   struct call_times *times)
{
	struct skipper *skipper = (struct skipper *)callback;

	return call_skips_consume(&skipper->skips, step, stack, events, count,
				  UINT64_MAX, times);
}

static void open_skipper(struct skipper *skipper, struct side *side,
			 bool is_step_by_step,
			 const struct function_table *functions)
{
	*skipper = (struct skipper){
		.callback = { .consume = consume_needed,
			      .consume_plain = skip_plain },
		.handler = { .needs = needs_some,
			     .limit = needs_outermost,
			     .skip = note_skipped },
		.handlers = { &skipper->handler },
		.has_role = functions,
	};
	skipper->skips = call_skips_of(skipper->handlers, 1);
	open_stacks_of(side, &skipper->callback, is_step_by_step, functions);
}

/* In the second loop a function has a role. */
START_TEST(skipping_calls_is_as_step_by_step)
{
	struct function_table *functions = function_table_new();
	const char *module = function_table_module(functions, "program", 7);
	struct skipper skippers[2];
	struct side sides[2];

	for (uint32_t i = 1; i < FUNCTIONS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "function%d", (int)i);
		if (i == ROLE_FUNCTION)
			strcpy(name, "runtime.mcall");
		ck_assert_uint_eq(function_table_add(functions, name,
						     strlen(name), module, 'u'),
				  i);
	}
	for (int i = 0; i < 2; i++)
		open_skipper(&skippers[i], &sides[i], i,
			     _i % 2 ? functions : NULL);
	send(sides, (uint32_t)_i + 1);
	check_stacks(sides[0].stacks, sides[1].stacks);
	ck_assert_uint_gt(skippers[0].skipped, EVENTS / 4);
	ck_assert_uint_eq(skippers[0].sum.count, skippers[1].sum.count);
	ck_assert_uint_eq(skippers[0].sum.hash, skippers[1].sum.hash);
	for (int i = 0; i < 2; i++) {
		task_stacks_free(sides[i].stacks);
		call_skips_free(&skippers[i].skips);
	}
	function_table_free(functions);
}
END_TEST

START_TEST(a_reset_leaves_nothing)
{
	struct sum sums[2] = { { .callback = { .consume = add_up } },
			       { .callback = { .consume = add_up } } };
	struct side sides[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		sides[i].stacks = task_stacks_new(window, &sums[i].callback);
		task_stacks_add_cpu(sides[i].stacks, 0, 7, 7);
	}
	send_to(&sides[1], 1, (uint32_t)_i + 100, _i % 2);
	task_stacks_reset(sides[1].stacks);
	sums[1].count = 0;
	sums[1].hash = 0;
	ck_assert_int_eq(task_stacks_add_cpu(sides[1].stacks, 0, 7, 7), 0);
	send(sides, (uint32_t)_i + 1);
	check_stacks(sides[0].stacks, sides[1].stacks);
	ck_assert_uint_gt(sums[0].count, 100);
	ck_assert_uint_eq(sums[0].count, sums[1].count);
	ck_assert_uint_eq(sums[0].hash, sums[1].hash);
	for (int i = 0; i < 2; i++)
		task_stacks_free(sides[i].stacks);
}
END_TEST

static struct function_event event(uint8_t kind, uint32_t function,
				   uint64_t address)
{
	return (struct function_event){
		.kind = kind,
		.function = function,
		.address = address,
	};
}

/* An event that needs a search, or is ambiguous, is not plain. */
START_TEST(invariant_2_other_events_change_nothing)
{
	struct call_frame frames[3] = { { .function = 1 } };
	struct call_stack stack = { .frames = frames, .count = 1, .room = 3 };
	struct plain_frames open = plain_frames_of(&stack);
	const struct function_event call = event(FUNCTION_CALL, 2, 100);
	const struct function_event back = event(FUNCTION_RETURN, 1, 100);
	const struct function_event jump = event(FUNCTION_TAIL_CALL, 4, 0);
	const struct function_event other = event(FUNCTION_RETURN, 1, 101);
	const struct function_event exception = event(FUNCTION_EXCEPTION, 1, 5);

	ck_assert(plain_call_consume(&open, &call, 10, 5));
	ck_assert_uint_eq(frames[1].start_ns, 10);
	ck_assert_uint_eq(frames[1].start_clock_ns, 5);
	ck_assert(!plain_call_consume(&open, &other, 11, 6));
	ck_assert(!plain_call_consume(&open, &exception, 11, 6));
	frames[0].may_have_ended = true;
	ck_assert(plain_call_consume(&open, &call, 12, 7));
	ck_assert(!plain_call_consume(&open, &call, 12, 7)); /* no room */
	ck_assert(plain_call_consume(&open, &back, 13, 8));
	ck_assert(!frames[0].is_confirmed && frames[1].is_confirmed);
	ck_assert(plain_call_consume(&open, &jump, 14, 9));
	ck_assert_uint_eq(frames[1].function, 4);
	ck_assert_uint_eq(frames[1].return_address, 100);
	frames[0].function = 3; /* it may have changed */
	ck_assert(!plain_call_consume(&open, &back, 15, 10));
	ck_assert_ptr_eq(open.next, frames + 2);
	frames[0].function = 1;
	ck_assert(plain_call_consume(&open, &back, 15, 10));
	ck_assert(!plain_call_consume(&open, &back, 16, 11));
	plain_frames_put_back(&open, &stack);
	ck_assert_uint_eq(stack.count, 1);
}
END_TEST

SUITE("plain_call")
{
	TEST_TIMES(at_once_is_as_step_by_step, 30);
	TEST_TIMES(a_reset_leaves_nothing, 10);
	TEST_TIMES(skipping_calls_is_as_step_by_step, 30);
	TEST_TIMES(a_selection_at_once_is_as_step_by_step, 30);
	TEST(invariant_2_other_events_change_nothing);
}
