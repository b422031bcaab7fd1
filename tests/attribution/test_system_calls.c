/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"

#include "attribution/calls/call_items.h"
#include "attribution/events/known_events.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <string.h>

/* Matching of a call's arguments, by the order of its events and its trace. */
static const struct task task = { .tid = 8, .pid = 7 };
static struct function_table *functions;
static struct context_kinds *kinds;
static struct system_calls *calls;
static struct call_entries entries;
static uint32_t entry;
static uint64_t now_ns;

static void open_calls(bool results_are_behind)
{
	system_calls_free(calls);
	calls = system_calls_new(functions, &arch_x86_64, kinds, &entries,
				 results_are_behind);
	ck_assert_ptr_nonnull(calls);
}

static void set_up(void)
{
	const struct arch *arch = &arch_x86_64;
	static const char name[] = "entry_SYSCALL_64";

	functions = function_table_new();
	ck_assert_ptr_nonnull(functions);
	entry = function_table_add(functions, name, strlen(name),
				   function_table_module(functions, "", 0),
				   'k');
	kinds = context_kinds_new(functions, arch);
	entries = CALL_ENTRIES_NONE;
	open_calls(false);
	now_ns = 1000;
}

static void tear_down(void)
{
	system_calls_free(calls);
	calls = NULL;
	call_entries_free(&entries);
	context_kinds_free(kinds);
	function_table_free(functions);
}

static int step(enum call_step_kind kind)
{
	const struct call_step one = {
		.kind = kind,
		.task = &task,
		.function = entry,
		.time_ns = now_ns += 10,
	};

	return system_calls_step(calls, &one);
}

static int event(enum known_event kind, int64_t number)
{
	const struct sideband_record sideband = { .tid = task.tid };
	struct event_record record = {
		.event = kind,
		.tid = task.tid,
		.sideband = &sideband,
	};

	record.values[SYSTEM_CALL_NUMBER] = number;
	for (int i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		record.values[SYSTEM_CALL_ARGUMENT + i] = number * 10 + i;
	ck_assert_int_eq(call_entries_consume(&entries, &record), 0);
	return system_calls_event(calls, &task, &record);
}

static const struct system_call *a_call(void)
{
	ck_assert_int_eq(step(STEP_ENTER), CALL_BEGAN);
	return system_calls_of(calls, task.index);
}

START_TEST(a_call_has_the_arguments_of_its_event)
{
	const struct system_call *call = a_call();

	ck_assert(!call->has_enter);
	event(EVENT_SYS_ENTER, 3);
	ck_assert(call->has_enter);
	ck_assert_int_eq(call->number, 3);
	ck_assert_uint_eq(call->arguments[5], 35);
}
END_TEST

/* record --only: the trace starts after the event. */
START_TEST(an_event_before_the_trace_of_its_call_counts)
{
	const struct system_call *call;

	event(EVENT_SYS_ENTER, 3);
	call = a_call();
	ck_assert(call->has_enter);
	ck_assert_int_eq(call->number, 3);
	ck_assert_uint_eq(call->arguments[0], 30);
	ck_assert_int_eq(step(STEP_EXIT), CALL_ENDED);
	event(EVENT_SYS_EXIT, 0);
	ck_assert(!a_call()->has_enter);
}
END_TEST

static int enter(const char *name)
{
	const struct call_step one = {
		.kind = STEP_ENTER,
		.task = &task,
		.function = function_table_add(
			functions, name, strlen(name),
			function_table_module(functions, "", 0), 'k'),
		.time_ns = now_ns += 10,
		.depth = 1,
	};

	return system_calls_step(calls, &one);
}

/* sys_exit without sys_enter, as for a refused call. */
static void exit_event(int64_t number, int64_t result)
{
	const struct sideband_record sideband = { .tid = task.tid };
	struct event_record record = {
		.event = EVENT_SYS_EXIT,
		.tid = task.tid,
		.sideband = &sideband,
	};

	record.values[SYSTEM_CALL_NUMBER] = number;
	record.values[SYSTEM_CALL_RESULT] = result;
	system_calls_event(calls, &task, &record);
}

static const char *text_of(const struct system_call *call)
{
	static char text[64];

	return system_call_text(call, functions, &arch_x86_64, text,
				sizeof(text));
}

static const struct refused {
	const char *guard; /* a function that is entered in the call */
	int64_t number;
	int64_t result;
	const char *name;
	uint8_t refusal;
	bool has_exit;
} refused_calls[] = {
	{ "__seccomp_filter", 110, -1, "getppid", CALL_BY_SECCOMP, true },
	/* The thread is killed: the register has the number again, which is not
	 * a result.
	 */
	{ "__secure_computing", 110, 110, "getppid", CALL_BY_SECCOMP, false },
	{ "ptrace_notify", -1, -38, "?", CALL_BY_PTRACE, true },
	{ "ptrace_stop", 110, -38, "getppid", CALL_BY_PTRACE, true },
	{ "other", 5000, -38, "syscall_5000", CALL_NOT_REFUSED, true },
	/* x32 has x86-64's numbers, with a bit set. */
	{ "other", 0x4000006e, -38, "getppid", CALL_NOT_REFUSED, true },
};

START_TEST(a_call_without_its_function_has_name_result_and_cause)
{
	const struct refused *row = &refused_calls[_i];
	const struct system_call *call = a_call();

	enter(row->guard);
	exit_event(row->number, row->result);
	ck_assert_int_eq(step(STEP_EXIT), CALL_ENDED);
	ck_assert(call->has_number);
	ck_assert_str_eq(text_of(call), row->name);
	ck_assert_int_eq(call->refusal, row->refusal);
	ck_assert_int_eq(call->has_exit, row->has_exit);
	ck_assert_int_eq(call->result, row->result);
}
END_TEST

START_TEST(a_number_finds_the_kernel_s_function)
{
	static const char name[] = "__x64_sys_newuname";
	uint32_t function = function_table_add_entry(
		functions, name, strlen(name),
		function_table_module(functions, "", 0), 'k', 0x1000);
	const struct system_call *call = a_call();

	exit_event(63, -1);
	step(STEP_EXIT);
	ck_assert_uint_eq(call->function, function);
	ck_assert_str_eq(text_of(call), "uname");
}
END_TEST

/* Passes a sample of record --syscall-data with the path "x" and call @number.
 */
static void data_event(int32_t number)
{
	const struct {
		struct call_data head;
		struct call_data_item item;
		char text[8];
	} sample = {
		.head = { .number = number, .size = 16 },
		.item = { CALL_DATA_STRING, 0, 2, 64 },
		.text = "x",
	};
	const struct sideband_record sideband = {
		.tid = task.tid,
		.sample = { .raw = (const uint8_t *)&sample,
			    .raw_size = sizeof(sample) },
	};
	const struct event_record record = {
		.event = EVENT_SYS_DATA,
		.tid = task.tid,
		.sideband = &sideband,
	};

	ck_assert_int_eq(system_calls_event(calls, &task, &record),
			 CALL_NOTHING);
}

START_TEST(data_belong_to_the_call_in_which_they_were_read)
{
	const struct system_call *call = a_call();

	ck_assert_ptr_null(call->items);
	event(EVENT_SYS_ENTER, 80);
	data_event(80);
	ck_assert_str_eq(call_items_path(call->items), "x");
	exit_event(80, 0);
	ck_assert_int_eq(step(STEP_EXIT), CALL_ENDED);
	ck_assert_str_eq(call_items_path(call->items), "x");
	data_event(80);
	ck_assert_ptr_null(a_call()->items);
}
END_TEST

/* Their memory moves when there are many tasks. */
START_TEST(data_stay_with_their_call_when_tasks_are_added)
{
	const struct event_record other = { .event = EVENT_SYS_ENTER };

	a_call();
	event(EVENT_SYS_ENTER, 80);
	data_event(80);
	for (uint32_t i = task.index + 1; i < 5000; i++)
		system_calls_event(calls, &(struct task){ .index = i }, &other);
	ck_assert_str_eq(
		call_items_path(system_calls_of(calls, task.index)->items),
		"x");
}
END_TEST

START_TEST(data_of_another_call_are_left_out)
{
	const struct system_call *call = a_call();

	event(EVENT_SYS_ENTER, 80);
	data_event(81);
	ck_assert_ptr_null(call->items);
}
END_TEST

/* record --only: the trace of a call starts after its data. */
START_TEST(data_before_the_trace_of_their_call_count)
{
	const struct system_call *call;

	event(EVENT_SYS_ENTER, 80);
	data_event(80);
	call = a_call();
	ck_assert_str_eq(call_items_path(call->items), "x");
}
END_TEST

/* seccomp let it pass: its function ran. */
START_TEST(a_call_that_passes_seccomp_is_not_refused)
{
	const struct system_call *call = a_call();

	enter("__seccomp_filter");
	event(EVENT_SYS_ENTER, 110);
	enter("__x64_sys_getppid");
	exit_event(110, 1);
	step(STEP_EXIT);
	ck_assert_int_eq(call->refusal, CALL_NOT_REFUSED);
	ck_assert_str_eq(text_of(call), "getppid");
}
END_TEST

START_TEST(calls_that_are_not_traced_leave_nothing)
{
	event(EVENT_SYS_ENTER, 3);
	event(EVENT_SYS_EXIT, 0);
	ck_assert(!a_call()->has_enter);
}
END_TEST

START_TEST(a_call_s_own_event_counts_most)
{
	const struct system_call *call;

	event(EVENT_SYS_ENTER, 3);
	call = a_call();
	event(EVENT_SYS_ENTER, 4);
	ck_assert_int_eq(call->number, 4);
	ck_assert_uint_eq(call->arguments[1], 41);
}
END_TEST

/* record --only: the trace also ends before the event. */
START_TEST(a_result_behind_the_end_is_the_call_s)
{
	const struct system_call *call;

	open_calls(true);
	event(EVENT_SYS_ENTER, 3);
	call = a_call();
	ck_assert_int_eq(step(STEP_EXIT), CALL_NOTHING);
	ck_assert_ptr_eq(system_calls_of(calls, task.index), call);
	ck_assert_int_eq(step(STEP_LEAVE), CALL_NOTHING);
	ck_assert_ptr_null(system_calls_of(calls, task.index));
	ck_assert_int_eq(event(EVENT_SYS_EXIT, 5), CALL_ENDED);
	ck_assert_ptr_eq(system_calls_of(calls, task.index), call);
	ck_assert(call->has_exit);
	ck_assert_int_eq(call->number, 3);
	ck_assert_int_eq(call->result, 50);
	ck_assert_uint_eq(call->end_ns, 1020);
	/* The exit of a call that is not traced. */
	ck_assert_int_eq(event(EVENT_SYS_EXIT, 6), CALL_NOTHING);
}
END_TEST

START_TEST(a_result_that_never_comes_is_given_up)
{
	open_calls(true);
	ck_assert_int_eq(system_calls_give_up(calls, task.index), CALL_NOTHING);
	event(EVENT_SYS_ENTER, 3);
	a_call();
	ck_assert_int_eq(system_calls_give_up(calls, task.index), CALL_NOTHING);
	ck_assert_int_eq(step(STEP_EXIT), CALL_NOTHING);
	ck_assert_uint_eq(system_calls_tasks(calls), task.index + 1);
	ck_assert_int_eq(system_calls_give_up(calls, task.index), CALL_ENDED);
	ck_assert(!system_calls_of(calls, task.index)->has_exit);
	ck_assert_int_eq(event(EVENT_SYS_EXIT, 6), CALL_NOTHING);
}
END_TEST

/* No events report results: the call does not wait for one. */
START_TEST(without_events_a_call_ends_with_its_trace)
{
	open_calls(true);
	a_call();
	ck_assert_int_eq(step(STEP_EXIT), CALL_ENDED);
}
END_TEST

/* The task has the first @count of these open. */
static const struct open_context contexts[] = {
	{ .kind = CONTEXT_SYSTEM_CALL, .depth = 0, .serial = 1 },
	{ .kind = CONTEXT_FAULT, .depth = 5, .serial = 2, .begin_ns = 1100 },
	{ .kind = CONTEXT_INTERRUPT, .depth = 7, .serial = 3 },
	{ .kind = CONTEXT_FAULT, .depth = 9, .serial = 4, .begin_ns = 1150 },
};

static void has_open(const struct open_context *open, size_t count,
		     uint64_t time_ns)
{
	const struct call_step one = { .task = &task, .time_ns = time_ns };

	system_calls_contexts(calls, &one, open, count);
}

/* Nested contexts are part of the outermost; a context that is still open at
 * the end of the call ends with it.
 */
START_TEST(faults_of_a_call_are_its_outermost_contexts)
{
	const struct open_context next[] = {
		contexts[0],
		{ .kind = CONTEXT_FAULT,
		  .depth = 5,
		  .serial = 5,
		  .begin_ns = 1400 },
	};
	const struct system_call *call;

	has_open(contexts, 2, 1000);
	call = a_call();
	ck_assert_uint_eq(call->faults, 0);
	for (size_t count = 1; count <= 4; count++)
		has_open(contexts, count, 1150);
	has_open(contexts, 3, 1200);
	ck_assert_uint_eq(call->faults, 1);
	ck_assert_uint_eq(call->fault_ns, 0);
	has_open(contexts, 1, 1300);
	ck_assert_uint_eq(call->fault_ns, 200);
	has_open(next, 2, 1400);
	ck_assert_uint_eq(call->faults, 2);
	now_ns = 1490;
	ck_assert_int_eq(step(STEP_EXIT), CALL_ENDED);
	ck_assert_uint_eq(call->fault_ns, 300);
	has_open(NULL, 0, 1600);
	ck_assert_uint_eq(call->fault_ns, 300);
}
END_TEST

/* Faults around the call are not counted as in the call. */
START_TEST(faults_around_a_call_are_not_its)
{
	const struct open_context around[] = {
		{ .kind = CONTEXT_FAULT, .depth = 0, .serial = 1 },
		{ .kind = CONTEXT_SYSTEM_CALL, .depth = 0, .serial = 2 },
	};
	const struct system_call *call = a_call();

	has_open(around, 2, 1050);
	ck_assert_uint_eq(call->faults, 0);
}
END_TEST

SUITE("system_calls")
{
	FIXTURE(set_up, tear_down);
	TEST(a_call_has_the_arguments_of_its_event);
	TEST(an_event_before_the_trace_of_its_call_counts);
	TEST_EACH(a_call_without_its_function_has_name_result_and_cause,
		  refused_calls);
	TEST(a_number_finds_the_kernel_s_function);
	TEST(data_belong_to_the_call_in_which_they_were_read);
	TEST(data_stay_with_their_call_when_tasks_are_added);
	TEST(data_of_another_call_are_left_out);
	TEST(data_before_the_trace_of_their_call_count);
	TEST(a_call_that_passes_seccomp_is_not_refused);
	TEST(calls_that_are_not_traced_leave_nothing);
	TEST(a_call_s_own_event_counts_most);
	TEST(a_result_behind_the_end_is_the_call_s);
	TEST(a_result_that_never_comes_is_given_up);
	TEST(without_events_a_call_ends_with_its_trace);
	TEST(faults_of_a_call_are_its_outermost_contexts);
	TEST(faults_around_a_call_are_not_its);
}
