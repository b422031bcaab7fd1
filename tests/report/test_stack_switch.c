/* SPDX-License-Identifier: MIT */
/* Jumps of user code to other stacks, and to code without names. */
#include "report/steps/call_frames.h"
#include "report/steps/call_stack.h"
#include "report/steps/stack_switch_internal.h"
#include "report/steps/task_stacks.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps as text: "+1" function 1 is called, "~1" it is resumed, "?1" inferred,
 * ">1" entered by a jump, "-1" it ends.
 */
static char text[4096];
static uint32_t last_fiber;

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	static const char marks[] = {
		[HOW_CALL] = '+',      [HOW_TAIL] = '>',
		[HOW_EXCEPTION] = '!', [HOW_SYSTEM_CALL] = '!',
		[HOW_START] = '=',     [HOW_INFERRED] = '?',
		[HOW_RESUMED] = '~',
	};
	size_t used = strlen(text);

	(void)callback;
	last_fiber = step->fiber;
	if (step->kind == STEP_ENTER)
		snprintf(text + used, sizeof(text) - used, "%c%u ",
			 marks[step->how], step->function);
	else if (step->kind == STEP_EXIT)
		snprintf(text + used, sizeof(text) - used, "-%u ",
			 step->function);
}

static struct step_callback callback = { .consume = consume };
static struct task_stacks *stacks;
static uint64_t now_ns;

static void set_up(void)
{
	static const struct time_window all = { 0, UINT64_MAX };

	stacks = task_stacks_new(all, &callback);
	ck_assert_ptr_nonnull(stacks);
	ck_assert_int_eq(task_stacks_add_cpu(stacks, 0, 7, 7), 0);
	ck_assert_int_eq(task_stacks_add_cpu(stacks, 1, 7, 8), 1);
	now_ns = 1;
}

static void tear_down(void)
{
	task_stacks_free(stacks);
}

static void send(uint32_t cpu, uint8_t kind, uint32_t function,
		 uint64_t address, uint8_t detail)
{
	const struct function_event event = {
		.time_ns = now_ns++,
		.kind = kind,
		.function = function,
		.address = address,
		.detail = detail,
		.is_user = 1,
	};

	ck_assert_int_eq(task_stacks_consume(stacks, cpu, &event, 1), 0);
}

/* Function 1 begins on @cpu. */
static void start(uint32_t cpu)
{
	send(cpu, FUNCTION_TRACE_START, 1, 0x100, 1);
	text[0] = 0;
}

static void call(uint32_t cpu, uint32_t function, uint64_t back_to)
{
	send(cpu, FUNCTION_CALL, function, back_to, 0);
}

/* In unnamed code longjmp() leads to a function that is open: all functions
 * above it end.
 */
START_TEST(a_jump_to_an_open_unnamed_function_ends_the_frames_above)
{
	start(0);
	call(0, 2, 0x101);
	call(0, 3, 0x201);
	send(0, FUNCTION_FAR_JUMP, 1, 0x150, 1);
	call(0, 2, 0x151);
	ck_assert_str_eq(text, "+2 +3 -3 -2 +2 ");
}
END_TEST

/* If no function in unnamed code is open, the jump enters it. */
START_TEST(a_jump_to_unnamed_code_that_is_not_open_is_a_tail_call)
{
	start(0);
	call(0, 2, 0x101);
	send(0, FUNCTION_FAR_JUMP, 4, 0x450, 1);
	send(0, FUNCTION_RETURN, 1, 0x101, 0);
	ck_assert_str_eq(text, "+2 -2 >4 -4 ");
}
END_TEST

/* A library function jumps to a callback in unnamed code, where main is, too:
 * the return to the library shows that no function was left.
 */
START_TEST(a_return_to_an_ended_frame_resumes_it)
{
	start(0);
	call(0, 2, 0x101);
	call(0, 3, 0x201);
	send(0, FUNCTION_FAR_JUMP, 1, 0x150, 1);
	send(0, FUNCTION_RETURN, 2, 0x201, 0);
	send(0, FUNCTION_RETURN, 1, 0x101, 0);
	ck_assert_str_eq(text, "+2 +3 -3 -2 ~2 -2 ");
}
END_TEST

/* A jump to the middle of a named function that is not open changes nothing. */
START_TEST(a_jump_to_a_named_function_that_is_not_open_stays)
{
	start(0);
	call(0, 2, 0x101);
	send(0, FUNCTION_FAR_JUMP, 4, 0x450, 0);
	ck_assert_str_eq(text, "+2 ");
}
END_TEST

/* A stack that one thread suspends continues in another thread of the process.
 */
START_TEST(a_stack_moves_between_threads)
{
	start(0);
	call(0, 2, 0x101);
	call(0, 9, 0x201);
	send(0, FUNCTION_RETURN, 3, 0x300, 1);
	start(1);
	call(1, 9, 0x102);
	send(1, FUNCTION_RETURN, 2, 0x201, 0);
	send(1, FUNCTION_RETURN, 1, 0x101, 0);
	ck_assert_str_eq(text, "+9 -9 -1 ~1 ~2 -2 ");
}
END_TEST

/* Function 9 jumps to the entries of 3 and 5, then back to the stack of 3: none
 * of them is part of another one.
 */
START_TEST(a_routine_that_jumps_between_stacks_divides_them)
{
	start(0);
	call(0, 9, 0x101);
	send(0, FUNCTION_TAIL_CALL, 3, 0x300, 0);
	call(0, 4, 0x301);
	call(0, 9, 0x401);
	send(0, FUNCTION_TAIL_CALL, 5, 0x500, 0);
	call(0, 9, 0x501);
	ck_assert_str_eq(text, "+9 -9 >3 +4 +9 -9 >5 +9 ");
	text[0] = 0;
	send(0, FUNCTION_FAR_JUMP, 4, 0x401, 0);
	ck_assert_str_eq(text, "-9 -5 -4 -3 -1 ~3 ~4 ");
	text[0] = 0;
	send(0, FUNCTION_RETURN, 3, 0x301, 0);
	call(0, 9, 0x302);
	send(0, FUNCTION_FAR_JUMP, 1, 0x101, 0);
	ck_assert_str_eq(text, "-4 +9 -9 -3 ~1 ");
	text[0] = 0;
	call(0, 9, 0x102);
	send(0, FUNCTION_FAR_JUMP, 5, 0x501, 0);
	ck_assert_str_eq(text, "+9 -9 -1 ~5 ");
}
END_TEST

/* The address is that of a stack, but the function is another one. */
START_TEST(a_jump_to_an_address_of_another_function_starts_a_stack)
{
	start(0);
	call(0, 9, 0x101);
	send(0, FUNCTION_TAIL_CALL, 3, 0x300, 0);
	call(0, 9, 0x301);
	text[0] = 0;
	send(0, FUNCTION_FAR_JUMP, 6, 0x101, 0);
	ck_assert_str_eq(text, "-9 -3 -1 ?6 ");
}
END_TEST

/* boost.context resumes a stack like this. */
START_TEST(a_jump_to_where_a_stack_waits_resumes_it)
{
	start(0);
	call(0, 9, 0x101);
	send(0, FUNCTION_RETURN, 3, 0x300, 1);
	call(0, 9, 0x301);
	send(0, FUNCTION_FAR_JUMP, 1, 0x101, 0);
	call(0, 9, 0x102);
	send(0, FUNCTION_FAR_JUMP, 3, 0x301, 0);
	ck_assert_str_eq(text, "+9 -9 -1 >3 +9 -9 -3 ~1 +9 -9 -1 ~3 ");
}
END_TEST

/* The oldest are dropped, and resuming one of them shows functions that were
 * open before.
 */
START_TEST(suspended_stacks_have_a_bound)
{
	start(0);
	for (uint32_t i = 0; i < STACK_POOL_STACKS + 10; i++) {
		call(0, 9, 0x1000 + i);
		text[0] = 0;
		send(0, FUNCTION_RETURN, 3, 0x300, 1);
	}
	call(0, 9, 0x301);
	text[0] = 0;
	send(0, FUNCTION_RETURN, 3, 0x1000 + STACK_POOL_STACKS, 0);
	ck_assert_str_eq(text, "-9 -3 ~3 ");
	call(0, 9, 0x302);
	text[0] = 0;
	send(0, FUNCTION_RETURN, 1, 0x1000, 0);
	ck_assert_ptr_null(strchr(text, '~'));
}
END_TEST

/* Fills the pool with stacks of function 1 that wait in function 9, for the
 * addresses from 0x1000 on. Function 3 runs on a stack of its own.
 */
static void fill_pool(void)
{
	start(0);
	for (uint32_t i = 0; i < STACK_POOL_STACKS; i++) {
		call(0, 9, 0x1000 + i);
		text[0] = 0;
		send(0, FUNCTION_RETURN, i < STACK_POOL_STACKS - 1 ? 1 : 3,
		     0x100, 1);
	}
	text[0] = 0;
}

/* One stack more than the pool has room for, each resumed in turn: the oldest
 * is resumed, so none has to be dropped.
 */
START_TEST(the_oldest_of_a_full_pool_can_be_resumed)
{
	fill_pool();
	for (uint32_t i = 0; i < STACK_POOL_STACKS; i++) {
		call(0, 9, 0x9000 + i);
		text[0] = 0;
		send(0, FUNCTION_RETURN, 1, 0x1000 + i, 0);
		ck_assert_str_eq(text, i ? "-9 -1 ~1 " : "-9 -3 ~1 ");
	}
}
END_TEST

/* In a signal handler no frame is above the handler's own one. */
START_TEST(a_handler_resumes_the_oldest_of_a_full_pool)
{
	fill_pool();
	send(0, FUNCTION_EXCEPTION, 5, 0x350, 0);
	send(0, FUNCTION_EXCEPTION_RETURN, 4, 0x400, 1);
	text[0] = 0;
	send(0, FUNCTION_RETURN, 1, 0x1000, 0);
	ck_assert_str_eq(text, "-4 -3 ~1 ");
}
END_TEST

/* Suspends @count stacks that wait in function 5, called by 4 or by 6, and
 * resumes one of them: function 5 is all that they share. Its return to 4
 * leaves stacks that are equal.
 */
static void resume_one_of(uint32_t count)
{
	start(0);
	call(0, 9, 0x101);
	for (uint32_t i = 0; i < count; i++) {
		send(0, FUNCTION_RETURN, 4, 0x400, 1);
		if (i % 2)
			call(0, 6, 0x411);
		call(0, 5, i % 2 ? 0x601 : 0x401);
		call(0, 9, 0x501);
		text[0] = 0;
	}
	send(0, FUNCTION_RETURN, 7, 0x700, 1);
	call(0, 9, 0x701);
	text[0] = 0;
	send(0, FUNCTION_RETURN, 5, 0x501, 0);
	send(0, FUNCTION_RETURN, 4, 0x401, 0);
}

/* A search of a large pool compares only some of the stacks. */
START_TEST(a_large_pool_is_searched_like_a_small_one)
{
	resume_one_of(4);
	ck_assert_str_eq(text, "-9 -7 ?5 -5 ?4 ");
	tear_down();
	set_up();
	resume_one_of(100);
	ck_assert_str_eq(text, "-9 -7 ?5 -5 ?4 ");
}
END_TEST

/* The state is as after a checkpoint. */
START_TEST(an_open_function_is_emitted_with_its_fiber)
{
	start(0);
	call(0, 9, 0x101);
	send(0, FUNCTION_RETURN, 3, 0x300, 1);
	ck_assert_uint_eq(last_fiber, 1);
	text[0] = 0;
	last_fiber = 0;
	task_stacks_emit_open(stacks);
	ck_assert_str_eq(text, ">3 ");
	ck_assert_uint_eq(last_fiber, 1);
}
END_TEST

/* A stack that tests pass to the functions of stack_switch.c themselves. */
static struct call_stack own;
static const struct task own_task = { .pid = 7, .tid = 7 };
static struct call_stack_output own_output = {
	.callback = &callback,
	.step = { .task = &own_task },
};

static void push_own(uint8_t how)
{
	struct call_frame *frame = frames_next(&own);

	ck_assert_ptr_nonnull(frame);
	*frame = (struct call_frame){
		.function = 2,
		.return_address = 0x200,
		.jumped_from = 9,
		.how = how,
	};
	frames_begin(&own, how, 0, &own_output);
}

static void set_up_own(void)
{
	own = (struct call_stack){ .pool = stack_pool_new() };
	ck_assert_ptr_nonnull(own.pool);
	push_own(HOW_CALL);
}

static void tear_down_own(void)
{
	stack_pool_free(own.pool);
	call_stack_free(&own);
}

/* Adds a stack of function @function that waits for @address. */
static void add_suspended(uint32_t function, uint64_t address)
{
	struct call_stack *stack = stack_pool_add(own.pool);

	ck_assert_ptr_nonnull(stack);
	stack->frames = calloc(1, sizeof(*stack->frames));
	ck_assert_ptr_nonnull(stack->frames);
	stack->frames[0].function = function;
	stack->frames[0].return_address = address;
	stack->count = 1;
	stack_pool_added(own.pool);
}

static bool may_fit(uint32_t function, uint64_t address)
{
	bool has_function = stack_pool_may_fit(own.pool, 0, 0, function);

	ck_assert(!stack_pool_may_fit(own.pool, 1, 0, function));
	ck_assert_int_eq(stack_pool_may_fit(own.pool, 0, address, function),
			 has_function);
	return has_function;
}

START_TEST(a_pool_reports_which_frames_its_stacks_have)
{
	for (uint32_t i = 0; i < 100; i++)
		add_suspended(i, 0x1000 + i);
	for (uint32_t i = 0; i < 100; i++)
		ck_assert(may_fit(i, 0x1000 + i));
	ck_assert(!may_fit(100, 0x1100));
	add_suspended(100, 0x1100);
	stack_pool_renew(own.pool, 7);
	ck_assert(may_fit(7, 0x1007) && may_fit(100, 0x1100));
	ck_assert_uint_eq(stack_pool_at(own.pool, 100)->frames[0].function, 7);
	stack_pool_forget(own.pool, 100);
	ck_assert(!may_fit(7, 0x1007));
	ck_assert(may_fit(8, 0x1008) && may_fit(100, 0x1100));
	stack_pool_clear(own.pool);
	add_suspended(1, 0x1001);
	ck_assert(stack_pool_may_fit(own.pool, 0, 0x1001, 1));
}
END_TEST

START_TEST(stacks_with_equal_frames_have_the_same_shape)
{
	for (uint32_t i = 0; i < 100; i++)
		add_suspended(i % 2, 0x1000);
	ck_assert(stack_pool_may_fit(own.pool, 0, 0x1000, 1));
	for (uint32_t i = 0; i < 98; i++) {
		uint64_t shape = stack_pool_shape(own.pool, i);

		ck_assert(shape);
		ck_assert_uint_eq(shape, stack_pool_shape(own.pool, i + 2));
		ck_assert_uint_ne(shape, stack_pool_shape(own.pool, i + 1));
	}
}
END_TEST

START_TEST(a_stack_larger_than_the_pool_is_dropped)
{
	const struct function_event event = {
		.kind = FUNCTION_RETURN,
		.function = 3,
		.detail = 1,
	};

	for (uint32_t i = 0; i < STACK_POOL_FRAMES; i++)
		push_own(HOW_CALL);
	ck_assert_int_eq(stack_switch_begin(&own, &event, &own_output), 1);
	ck_assert_uint_eq(own.count, 1);
	ck_assert_uint_eq(stack_pool_count(own.pool), 0);
}
END_TEST

/* Makes the own stack partial, assumed to be the one in the pool. */
static void make_partial(void)
{
	struct call_stack *guess = stack_pool_add(own.pool);

	ck_assert_ptr_nonnull(guess);
	guess->frames = calloc(1, sizeof(*guess->frames));
	ck_assert_ptr_nonnull(guess->frames);
	guess->count = 1;
	stack_pool_added(own.pool);
	guess->fiber = 5;
	guess->is_guessed = true;
	own.fiber = 5;
	own.partial.gone = 1;
}

/* The unknown frames are those below the oldest frame. */
START_TEST(the_outer_part_of_a_split_stack_stays_partial)
{
	make_partial();
	push_own(HOW_TAIL);
	ck_assert_int_eq(stack_switch_split(&own, 1, &own_output), 0);
	ck_assert_uint_eq(own.partial.gone, 1);
	ck_assert_uint_eq(stack_pool_at(own.pool, 1)->partial.gone, 0);
}
END_TEST

START_TEST(unwound_frames_of_a_partial_stack_are_not_partial)
{
	const struct function_event event = {
		.kind = FUNCTION_FAR_JUMP,
		.function = 2,
	};

	make_partial();
	push_own(HOW_CALL);
	own.frames[1].function = 4;
	ck_assert_int_eq(stack_switch_unwind(&own, &event, &own_output), 1);
	ck_assert_uint_eq(own.partial.gone, 1);
	ck_assert_uint_eq(stack_pool_at(own.pool, 1)->partial.gone, 0);
}
END_TEST

START_TEST(the_outermost_of_divided_stacks_stays_partial)
{
	const struct function_event event = {
		.kind = FUNCTION_FAR_JUMP,
		.function = 6,
		.address = 0x600,
	};

	make_partial();
	push_own(HOW_TAIL);
	push_own(HOW_CALL);
	own.frames[2].function = 9;
	ck_assert_int_eq(stack_switch_part(&own, 1, &event, &own_output), 1);
	ck_assert_uint_eq(own.partial.gone, 0);
	ck_assert_uint_eq(stack_pool_at(own.pool, 1)->partial.gone, 1);
	ck_assert_uint_eq(stack_pool_at(own.pool, 2)->partial.gone, 0);
	ck_assert(stack_pool_at(own.pool, 0)->is_guessed);
}
END_TEST

/* The trace starts again: nothing is known about the earlier frames, nor about
 * those that the trace reports as open.
 */
START_TEST(a_stack_that_has_ended_is_not_partial)
{
	static const struct function_event events[] = {
		{ .kind = FUNCTION_TRACE_START, .function = 4, .detail = 1 },
		{ .kind = FUNCTION_OPEN, .function = 4, .detail = 0 },
	};

	for (size_t i = 0; i < 2; i++) {
		tear_down_own();
		set_up_own();
		make_partial();
		ck_assert_int_eq(
			call_stack_consume(&own, &events[i], &own_output), 0);
		ck_assert_uint_eq(own.partial.gone, 0);
		ck_assert(!stack_pool_at(own.pool, 0)->is_guessed);
	}
}
END_TEST

SUITE("stack_switch")
{
	CASE("events");
	FIXTURE(set_up, tear_down);
	TEST(a_jump_to_an_open_unnamed_function_ends_the_frames_above);
	TEST(a_jump_to_unnamed_code_that_is_not_open_is_a_tail_call);
	TEST(a_return_to_an_ended_frame_resumes_it);
	TEST(a_jump_to_a_named_function_that_is_not_open_stays);
	TEST(a_stack_moves_between_threads);
	TEST(a_routine_that_jumps_between_stacks_divides_them);
	TEST(a_jump_to_an_address_of_another_function_starts_a_stack);
	TEST(a_jump_to_where_a_stack_waits_resumes_it);
	TEST(suspended_stacks_have_a_bound);
	TEST(the_oldest_of_a_full_pool_can_be_resumed);
	TEST(a_handler_resumes_the_oldest_of_a_full_pool);
	TEST(a_large_pool_is_searched_like_a_small_one);
	TEST(an_open_function_is_emitted_with_its_fiber);
	CASE("own stack");
	FIXTURE(set_up_own, tear_down_own);
	TEST(a_pool_reports_which_frames_its_stacks_have);
	TEST(stacks_with_equal_frames_have_the_same_shape);
	TEST(a_stack_larger_than_the_pool_is_dropped);
	TEST(the_outer_part_of_a_split_stack_stays_partial);
	TEST(unwound_frames_of_a_partial_stack_are_not_partial);
	TEST(the_outermost_of_divided_stacks_stays_partial);
	TEST(a_stack_that_has_ended_is_not_partial);
}
