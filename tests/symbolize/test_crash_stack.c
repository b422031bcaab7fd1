/* SPDX-License-Identifier: MIT */
#include "report/steps/call_step.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/crashes_table.h"
#include "tests/run_suite.h"

#include <string.h>

static struct function_table *functions;
static struct crash_names names;
static struct crash_stack stack;
static struct path_frame frames[8];
static const struct task task = { .pid = 7, .tid = 8 };

static void setup(void)
{
	functions = function_table_new();
	names = (struct crash_names){
		.functions = functions,
		.arch = &arch_x86_64,
	};
	memset(&stack, 0, sizeof(stack));
	stack.frames = frames;
}

static void teardown(void)
{
	function_table_free(functions);
}

static uint32_t function(const char *name, char space)
{
	const char *module = function_table_module(functions, "", 0);

	return function_table_add(functions, name, strlen(name), module, space);
}

static void enter(const char *name, char space, uint32_t depth)
{
	uint32_t number = function(name, space);

	ck_assert_uint_lt(depth, sizeof(frames) / sizeof(*frames));
	frames[depth].function = number;
	stack.count = depth + 1;
	crash_stack_enter(&stack, &names, number);
}

static void leave(uint32_t depth)
{
	stack.count = depth;
}

/* main() makes @times system calls of @name. */
static void call(const char *name, int times)
{
	enter("main", 'u', 0);
	for (int i = 0; i < times; i++) {
		enter("entry_SYSCALL_64", 'k', 1);
		enter(name, 'k', 2);
		leave(2);
		leave(1);
	}
}

/* @is_oom: a process was killed for memory; @is_victim: it is this one. */
static void expect_if_oom(bool is_oom, bool is_victim, const char *signal,
			  const char *place, const char *calls)
{
	const struct call_step step = { .time_ns = 5, .task = &task };
	bool is_left = is_oom;
	struct crash crash;

	ck_assert_int_eq(crash_stack_describe(&stack, &names, &step, &is_left,
					      &crash),
			 0);
	ck_assert_int_eq(is_left, is_oom && !is_victim);
	ck_assert_int_eq(crash.pid, 7);
	ck_assert_int_eq(crash.tid, 8);
	ck_assert_str_eq(crash.signal, signal);
	ck_assert_str_eq(crash.stack, place);
	ck_assert_str_eq(crash.calls, calls);
	crash_free(&crash);
}

static int32_t sender(void)
{
	const struct call_step step = { .time_ns = 5, .task = &task };
	bool is_oom = false;
	struct crash crash;
	int32_t pid;

	ck_assert_int_eq(crash_stack_describe(&stack, &names, &step, &is_oom,
					      &crash),
			 0);
	pid = crash.sender_pid;
	crash_free(&crash);
	return pid;
}

/* A thread of process 9 in @call wakes the task by @function. */
static void wake(const char *call, const char *waking_function)
{
	const struct path_frame path[] = {
		{ .function = function("main", 'u') },
		{ .function = function("do_syscall_64", 'k') },
		{ .function = function(call, 'k') },
		{ .function = function(waking_function, 'k') },
		{ .function = function("try_to_wake_up", 'k') },
	};

	crash_stack_wake(&stack, &names, path, sizeof(path) / sizeof(*path), 9);
}

static void expect(const char *signal, const char *place, const char *calls)
{
	expect_if_oom(false, false, signal, place, calls);
}

/* main() enters the kernel by a page fault, and is ended there. */
static void end_in_fault(bool is_forced)
{
	call("__x64_sys_read", 1);
	enter("asm_exc_page_fault", 'k', 1);
	if (is_forced)
		enter("force_sig_fault", 'k', 2);
	enter("get_signal", 'k', 2);
	enter("do_group_exit", 'k', 3);
}

START_TEST(a_kill_during_a_fault_is_no_fault)
{
	end_in_fault(false);
	expect("a signal that was sent to it", "main;asm_exc_page_fault",
	       "read");
}
END_TEST

START_TEST(a_victim_of_short_memory_is_named)
{
	uint32_t kill = function("__oom_kill_process", 'k');

	ck_assert(crash_names_is_oom(&names, kill));
	ck_assert(!crash_names_is_oom(&names, function("main", 'u')));
	end_in_fault(false);
	expect_if_oom(true, true, "SIGKILL (out of memory)",
		      "main;asm_exc_page_fault", "read");
}
END_TEST

START_TEST(a_fault_while_memory_is_short_is_a_fault)
{
	end_in_fault(true);
	expect_if_oom(true, false, "SIGSEGV or SIGBUS (page fault)",
		      "main;asm_exc_page_fault", "read");
}
END_TEST

START_TEST(a_fault_has_its_address_and_signal)
{
	call("__x64_sys_read", 2);
	call("__x64_sys_close", 1);
	enter("poke", 'u', 1);
	enter("asm_exc_page_fault", 'k', 2);
	enter("force_sig_fault", 'k', 3);
	enter("get_signal", 'k', 3);
	ck_assert(!crash_stack_is_in_signal(&stack, &names));
	enter("do_group_exit", 'k', 4);
	ck_assert(crash_stack_is_in_signal(&stack, &names));
	expect("SIGSEGV or SIGBUS (page fault)", "main;poke;asm_exc_page_fault",
	       "read;read;close");
}
END_TEST

START_TEST(a_kill_ends_in_the_call_that_brought_it)
{
	call("__x64_sys_read", 12);
	enter("entry_SYSCALL_64", 'k', 1);
	enter("__x64_sys_kill", 'k', 2);
	leave(2);
	enter("get_signal", 'k', 2);
	enter("do_group_exit", 'k', 3);
	ck_assert(crash_stack_is_in_signal(&stack, &names));
	expect("a signal that was sent to it", "main;entry_SYSCALL_64",
	       "read;read;read;read;read;read;read;kill");
}
END_TEST

/* main() writes to a pipe without a reader, and gets @sender's signal. */
static void write_to(const char *sender)
{
	call("__x64_sys_read", 1);
	enter("entry_SYSCALL_64", 'k', 1);
	enter("__x64_sys_write", 'k', 2);
	enter(sender, 'k', 3);
	enter("send_sig", 'k', 4);
	leave(2);
}

static void end_by_signal(void)
{
	enter("get_signal", 'k', 2);
	enter("do_group_exit", 'k', 3);
}

START_TEST(a_pipe_without_a_reader_sends_sigpipe)
{
	write_to("pipe_write");
	end_by_signal();
	expect("SIGPIPE (nobody reads any more)", "main;entry_SYSCALL_64",
	       "read;write");
}
END_TEST

START_TEST(other_signals_of_a_write_are_not_sigpipe)
{
	write_to("generic_write_checks");
	end_by_signal();
	expect("a signal that was sent to it", "main;entry_SYSCALL_64",
	       "read;write");
}
END_TEST

START_TEST(a_handler_of_sigpipe_may_raise_it_again)
{
	write_to("pipe_write");
	call("__x64_sys_tgkill", 1);
	enter("entry_SYSCALL_64", 'k', 1);
	enter("__x64_sys_rt_sigreturn", 'k', 2);
	end_by_signal();
	expect("a signal that it raised after SIGPIPE", "main;entry_SYSCALL_64",
	       "read;write;tgkill;rt_sigreturn");
}
END_TEST

START_TEST(a_program_that_continues_after_sigpipe_ends_by_another_signal)
{
	write_to("pipe_write");
	call("__x64_sys_read", 1);
	call("__x64_sys_tgkill", 1);
	enter("entry_SYSCALL_64", 'k', 1);
	end_by_signal();
	expect("a signal that was sent to it", "main;entry_SYSCALL_64",
	       "read;write;read;tgkill");
}
END_TEST

/* The kernel reports the call's number after the signal is sent. */
START_TEST(seccomp_names_the_refused_call)
{
	call("__x64_sys_read", 1);
	crash_stack_exit_call(&stack, 0);
	enter("entry_SYSCALL_64", 'k', 1);
	enter("__secure_computing", 'k', 2);
	enter("force_sig_seccomp", 'k', 3);
	leave(2);
	crash_stack_exit_call(&stack, 110);
	enter("get_signal", 'k', 2);
	enter("do_group_exit", 'k', 3);
	expect("SIGSYS by seccomp, in getppid", "main;entry_SYSCALL_64",
	       "read");
}
END_TEST

START_TEST(without_results_only_seccomp_is_named)
{
	call("__x64_sys_read", 1);
	enter("entry_SYSCALL_64", 'k', 1);
	enter("force_sig_seccomp", 'k', 2);
	leave(2);
	enter("get_signal", 'k', 2);
	enter("do_group_exit", 'k', 3);
	expect("SIGSYS by seccomp", "main;entry_SYSCALL_64", "read");
}
END_TEST

/* The program handled SIGSYS, and continued. */
START_TEST(a_fault_after_seccomp_is_a_fault)
{
	call("__x64_sys_read", 1);
	enter("entry_SYSCALL_64", 'k', 1);
	enter("force_sig_seccomp", 'k', 2);
	leave(1);
	enter("asm_exc_page_fault", 'k', 1);
	enter("get_signal", 'k', 2);
	enter("do_group_exit", 'k', 3);
	expect("SIGSEGV or SIGBUS (page fault)", "main;asm_exc_page_fault",
	       "read");
}
END_TEST

START_TEST(a_call_after_seccomp_ends_its_part)
{
	enter("force_sig_seccomp", 'k', 2);
	call("__x64_sys_kill", 1);
	enter("entry_SYSCALL_64", 'k', 1);
	enter("get_signal", 'k', 2);
	enter("do_group_exit", 'k', 3);
	expect("a signal that was sent to it", "main;entry_SYSCALL_64", "kill");
}
END_TEST

START_TEST(an_exit_is_no_signal)
{
	call("__x64_sys_read", 1);
	enter("entry_SYSCALL_64", 'k', 1);
	enter("__x64_sys_exit_group", 'k', 2);
	enter("do_group_exit", 'k', 3);
	ck_assert(!crash_stack_is_in_signal(&stack, &names));
	ck_assert(crash_names_is_end(&names, function("do_group_exit", 'k')));
	ck_assert(!crash_names_is_end(&names, function("do_exit", 'k')));
}
END_TEST

/* The task sleeps in a call, and ends there once it has been woken. */
static const struct {
	const char *call;
	const char *waking_function;
	int32_t sender;
} wakes[] = {
	{ "__x64_sys_kill", "signal_wake_up_state", 9 },
	{ "__x64_sys_tgkill", "complete_signal", 9 },
	{ "__x64_sys_pidfd_send_signal", "send_signal_locked", 9 },
	/* SIGCHLD */
	{ "__x64_sys_exit_group", "signal_wake_up_state", 0 },
	/* an interrupt during kill() */
	{ "__x64_sys_kill", "wake_up_process", 0 },
};

START_TEST(the_call_that_woke_the_process_sent_the_signal)
{
	call("__x64_sys_pause", 1);
	enter("__x64_sys_pause", 'k', 2);
	wake(wakes[_i].call, wakes[_i].waking_function);
	enter("get_signal", 'k', 2);
	enter("do_group_exit", 'k', 3);
	ck_assert_int_eq(sender(), wakes[_i].sender);
}
END_TEST

START_TEST(a_signal_before_the_last_call_did_not_end_the_process)
{
	call("__x64_sys_pause", 1);
	wake("__x64_sys_kill", "signal_wake_up_state");
	call("__x64_sys_read", 1);
	enter("get_signal", 'k', 2);
	enter("do_group_exit", 'k', 3);
	ck_assert_int_eq(sender(), 0);
}
END_TEST

START_TEST(a_fault_has_no_sender)
{
	end_in_fault(true);
	wake("__x64_sys_kill", "signal_wake_up_state");
	ck_assert_int_eq(sender(), 0);
}
END_TEST

SUITE("crash_stack")
{
	FIXTURE(setup, teardown);
	TEST(a_fault_has_its_address_and_signal);
	TEST(a_kill_during_a_fault_is_no_fault);
	TEST(a_victim_of_short_memory_is_named);
	TEST(a_fault_while_memory_is_short_is_a_fault);
	TEST(a_kill_ends_in_the_call_that_brought_it);
	TEST(a_pipe_without_a_reader_sends_sigpipe);
	TEST(other_signals_of_a_write_are_not_sigpipe);
	TEST(a_handler_of_sigpipe_may_raise_it_again);
	TEST(a_program_that_continues_after_sigpipe_ends_by_another_signal);
	TEST(seccomp_names_the_refused_call);
	TEST(without_results_only_seccomp_is_named);
	TEST(a_fault_after_seccomp_is_a_fault);
	TEST(a_call_after_seccomp_ends_its_part);
	TEST(an_exit_is_no_signal);
	TEST_EACH(the_call_that_woke_the_process_sent_the_signal, wakes);
	TEST(a_signal_before_the_last_call_did_not_end_the_process);
	TEST(a_fault_has_no_sender);
}
