/* SPDX-License-Identifier: MIT */
#include "tests/made_functions_fixture.h"

#include "symbolize/arch/arch.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <check.h>
#include <stddef.h>
#include <string.h>

static const char *const names[] = {
	"entry_SYSCALL_64",
	"asm_exc_page_fault",
	"asm_exc_int3",
	"asm_sysvec_apic_timer_interrupt",
	"asm_common_interrupt",
	"asm_exc_nmi",
	"handle_softirqs",
	"process_one_work",
	"exit_to_user_mode_loop",
	"__schedule",
	"run_ksoftirqd",
	"schedule",
	"vfs_read",
	"helper",
	"u:main",
	"u:work",
	"u:pthread_mutex_lock",
	"u:pthread_cond_wait",
	"__x64_sys_read",
	"__x64_sys_futex",
	"__x64_sys_exit_group",
	"do_task_dead",
	"pipe_read",
	"pipe_write",
	"futex_wait_queue",
	"try_to_wake_up",
	"__wake_up_sync_key",
	"hrtimer_wakeup",
	"perf_trace_sched_switch",
	"dequeue_task_fair",
	"perf_event_wakeup",
	"do_sys_poll",
	"mem_cgroup_handle_over_high",
	"balance_dirty_pages",
	"reclaim_throttle",
	"try_to_free_pages",
	"futex_wait",
	"futex_wake",
	"unix_stream_sendmsg",
	"unix_stream_read_generic",
	"tcp_sendmsg",
	"tcp_recvmsg",
	"udp_sendmsg",
	"udp_recvmsg",
	"unix_stream_connect",
	"unix_accept",
	"copy_page_to_iter",
	"kfree_skb_partial",
	"schedule_timeout",
	"io_schedule_timeout",
	"tty_read",
	"n_tty_write",
	"wq_barrier_func",
	"jbd2_journal_commit_transaction",
	"io_schedule",
	"process_backlog",
	"throttle_cfs_rq",
	"tg_throttle_down",
	"enqueue_task_fair",
	"unthrottle_cfs_rq",
	"blk_update_request",
	"do_exit",
	"do_wait",
	"sock_def_readable",
	"wait_woken",
	"locks_lock_inode_wait",
	"get_signal",
	"do_coredump",
	"task_work_run",
	"fcntl_setlk",
};

static char space_of(const char *name)
{
	return strncmp(name, "u:", 2) ? 'k' : 'u';
}

static const char *plain(const char *name)
{
	return space_of(name) == 'u' ? name + 2 : name;
}

struct made_functions made_functions_new(void)
{
	struct made_functions functions = { .own = function_table_new() };
	const char *module;

	module = function_table_module(functions.own, "", 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		function_table_add(functions.own, plain(names[i]),
				   strlen(plain(names[i])), module,
				   space_of(names[i]));
	functions.table = functions.own;
	functions.kinds = context_kinds_new(functions.table, &arch_x86_64);
	ck_assert_ptr_nonnull(functions.kinds);
	return functions;
}

struct made_functions made_functions_of(const struct symbols *symbols)
{
	struct made_functions functions = {
		.table = symbols_functions(symbols),
	};

	functions.kinds =
		context_kinds_new(functions.table, symbols_arch(symbols));
	ck_assert_ptr_nonnull(functions.kinds);
	return functions;
}

void made_functions_free(struct made_functions *functions)
{
	context_kinds_free(functions->kinds);
	function_table_free(functions->own);
}

uint32_t made_functions_find(const struct made_functions *functions,
			     const char *name)
{
	uint32_t count = function_count(functions->table);
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct function *function =
			function_at(functions->table, i);

		if (function->space == space_of(name) &&
		    !strcmp(function->name, plain(name)))
			break;
	}
	ck_assert_msg(i < count, "no %s here", name);
	return i;
}
