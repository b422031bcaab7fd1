/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"
#include "report/steps/task_stacks.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/random.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

enum {
	FUNCTIONS = 20,
	SITES = 9,
	CPUS = 2,
	BEFORE = 2000,
	BEHIND = 1000,
	STEPS_ROOM = 40000
};

/* Steps as they come; tasks by index, as they lie elsewhere each time. */
struct steps {
	struct step_callback callback;
	struct call_step all[STEPS_ROOM];
	uint32_t tasks[STEPS_ROOM];
	size_t count;
};

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct steps *steps = (struct steps *)callback;

	ck_assert_uint_lt(steps->count, STEPS_ROOM);
	steps->all[steps->count] = *step;
	steps->all[steps->count].task = NULL;
	steps->tasks[steps->count++] = step->task->index;
}

static struct function_table *functions;

/* Inlined calls of up to three levels. */
static void add_functions(void)
{
	functions = function_table_new();
	while (function_count(functions) < FUNCTIONS)
		ck_assert_uint_ne(function_table_add_inlined(functions, "f",
							     "/program"),
				  FUNCTION_NONE);
	for (uint32_t i = 1; i <= SITES; i++)
		ck_assert_uint_eq(function_table_add_site(functions, i,
							  i > 3 ? i - 3 : 0),
				  i);
}

static void free_functions(void)
{
	function_table_free(functions);
}

static struct task_stacks *new_stacks(struct steps *steps, uint64_t since_ns)
{
	const struct time_window window = { since_ns, UINT64_MAX };
	struct task_stacks *stacks;

	steps->callback.consume = consume;
	steps->count = 0;
	stacks = task_stacks_new(window, &steps->callback);
	for (int i = 0; i < CPUS; i++)
		ck_assert_int_eq(task_stacks_add_cpu(stacks, i, 0, 0), i);
	task_stacks_set_functions(stacks, functions);
	return stacks;
}

static struct function_event random_event(uint32_t *state, uint64_t time_ns)
{
	static const uint8_t kinds[] = {
		FUNCTION_CALL,
		FUNCTION_CALL,
		FUNCTION_CALL,
		FUNCTION_RETURN,
		FUNCTION_RETURN,
		FUNCTION_EXCEPTION,
		FUNCTION_EXCEPTION_RETURN,
		FUNCTION_TAIL_CALL,
		FUNCTION_FAR_JUMP,
		FUNCTION_INLINED,
		FUNCTION_INLINED,
		FUNCTION_INLINED,
		FUNCTION_INLINED,
		FUNCTION_GAP,
		FUNCTION_TRACE_START,
		FUNCTION_TRACE_STOP,
		FUNCTION_SWITCH,
		FUNCTION_NEW_PROGRAM,
	};
	struct function_event event = {
		.time_ns = time_ns,
		.kind = kinds[next_random(state) % sizeof(kinds)],
		.function = next_random(state) % FUNCTIONS / 4,
		.address = next_random(state) % 8,
		.is_user = next_random(state) % 4 != 0,
	};

	if (event.kind == FUNCTION_SWITCH)
		event.address =
			UINT64_C(0x100000001) * (next_random(state) % 5);
	if (event.kind == FUNCTION_INLINED)
		event.address = next_random(state) % (SITES + 1) |
				(uint64_t)(next_random(state) % 8) << 32;
	return event;
}

/* Sends @count events from @time_ns on, of either CPU. */
static void send(struct task_stacks *stacks, uint32_t seed, uint64_t time_ns,
		 int count)
{
	for (int i = 0; i < count; i++) {
		struct function_event event =
			random_event(&seed, time_ns + (uint64_t)i);

		ck_assert_int_eq(task_stacks_consume(stacks,
						     next_random(&seed) % CPUS,
						     &event, 1),
				 0);
	}
}

static struct pack write_stacks(struct task_stacks *stacks)
{
	struct pack pack = pack_to_write();

	task_stacks_pack(stacks, &pack, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	return pack;
}

static void check_accounts(const struct task_stacks *a,
			   const struct task_stacks *b)
{
	for (uint32_t i = 0; i < CPUS; i++)
		ck_assert_mem_eq(task_stacks_account(a, i),
				 task_stacks_account(b, i),
				 sizeof(struct cpu_account));
}

/* A window that starts after the checkpoint gives the same steps as decoding
 * from the start: every field of every step.
 */
START_TEST(events_after_a_checkpoint_are_the_same)
{
	static struct steps whole;
	static struct steps rest;
	uint32_t seed = (uint32_t)_i * 1000 + 1;
	uint64_t since_ns = 1 + BEFORE + BEHIND / 2;
	struct task_stacks *a = new_stacks(&whole, since_ns);
	struct task_stacks *b = new_stacks(&rest, since_ns);
	struct pack written;
	struct pack pack;
	size_t before;

	send(a, seed, 1, BEFORE);
	before = whole.count;
	written = write_stacks(a);
	pack = pack_to_read(written.out.bytes, written.out.size);
	task_stacks_pack(b, &pack, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	ck_assert_uint_eq(rest.count, 0);
	send(a, seed + 1, 1 + BEFORE, BEHIND);
	send(b, seed + 1, 1 + BEFORE, BEHIND);
	task_stacks_close(a);
	task_stacks_close(b);
	ck_assert_uint_eq(whole.count - before, rest.count);
	for (size_t i = 0; i < rest.count; i++) {
		/* This clock starts where decoding does. */
		whole.all[before + i].whole_ns = rest.all[i].whole_ns;
		ck_assert_mem_eq(&whole.all[before + i], &rest.all[i],
				 sizeof(rest.all[i]));
	}
	ck_assert_mem_eq(whole.tasks + before, rest.tasks,
			 rest.count * sizeof(*rest.tasks));
	check_accounts(a, b);
	pack_free(&written);
	task_stacks_free(a);
	task_stacks_free(b);
}
END_TEST

/* Open functions are reported outermost first, before the window. */
START_TEST(open_functions_are_emitted)
{
	static struct steps whole;
	static struct steps rest;
	struct task_stacks *a = new_stacks(&whole, 0);
	struct task_stacks *b = new_stacks(&rest, 100);
	const struct function_event events[] = {
		{ .time_ns = 1,
		  .kind = FUNCTION_TRACE_START,
		  .function = 3,
		  .detail = 1 },
		{ .time_ns = 2,
		  .kind = FUNCTION_CALL,
		  .function = 4,
		  .address = 9 },
		{ .time_ns = 3,
		  .kind = FUNCTION_CALL,
		  .function = 5,
		  .address = 8 },
		{ .time_ns = 4,
		  .kind = FUNCTION_RETURN,
		  .function = 4,
		  .address = 8 },
	};
	struct pack written;
	struct pack pack;

	for (size_t i = 0; i < 4; i++)
		task_stacks_consume(a, 1, &events[i], 1);
	written = write_stacks(a);
	pack = pack_to_read(written.out.bytes, written.out.size);
	task_stacks_pack(b, &pack, FUNCTIONS);
	task_stacks_emit_open(b);
	ck_assert_uint_eq(rest.count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(rest.all[i].kind, STEP_ENTER);
		ck_assert_uint_eq(rest.all[i].function, 3 + i);
		ck_assert_uint_eq(rest.all[i].depth, i);
		ck_assert_uint_eq(rest.all[i].time_ns, 1 + i);
		ck_assert_uint_eq(rest.all[i].cpu, 1);
		ck_assert_uint_eq(rest.all[i].clock_ns, 0);
	}
	pack_free(&written);
	task_stacks_free(a);
	task_stacks_free(b);
}
END_TEST

/* Reading damaged data either fails or gives stacks that can be continued. */
START_TEST(damage_is_refused_or_tolerated)
{
	static struct steps steps;
	struct task_stacks *stacks = new_stacks(&steps, 0);
	struct pack written;
	size_t refused = 0;

	send(stacks, 7, 1, BEFORE);
	written = write_stacks(stacks);
	task_stacks_free(stacks);
	for (size_t i = 0; i < written.out.size; i++) {
		struct pack pack =
			pack_to_read(written.out.bytes, written.out.size);

		written.out.bytes[i] ^= 0x81;
		stacks = new_stacks(&steps, 0);
		task_stacks_pack(stacks, &pack, FUNCTIONS);
		if (pack_is_whole(&pack)) {
			task_stacks_emit_open(stacks);
			send(stacks, 8, 1 + BEFORE, 100);
			task_stacks_close(stacks);
		} else {
			refused++;
		}
		task_stacks_free(stacks);
		written.out.bytes[i] ^= 0x81;
	}
	ck_assert_uint_gt(refused, 0);
	pack_free(&written);
}
END_TEST

SUITE("stacks_checkpoint")
{
	FIXTURE(add_functions, free_functions);
	TEST_TIMES(events_after_a_checkpoint_are_the_same, 20);
	TEST(open_functions_are_emitted);
	TEST(damage_is_refused_or_tolerated);
}
