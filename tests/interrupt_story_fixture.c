/* SPDX-License-Identifier: MIT */
#include "tests/interrupt_story_fixture.h"

#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/trackers.h"
#include "report/text/task_names.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel of these functions, 0x100 bytes each. */
/* clang-format off */
static const char *const names[] = {
	"entry_SYSCALL_64", "vfs_read", "irq_entries_start",
	"asm_common_interrupt", "asm_sysvec_apic_timer_interrupt",
	"asm_sysvec_reschedule_ipi", "asm_exc_nmi",
	"__handle_irq_event_percpu", "perf_trace_irq_handler_entry",
	"disk_handler", "net_handler", "__napi_schedule", "__do_softirq",
	"handle_softirqs", "tasklet_action", "tcp_tasklet_func", "net_rx_action", "__napi_poll", "device_poll",
	"run_timer_softirq", "blk_done_softirq", "rcu_core_si",
	"rcu_do_batch", "rcu_cblist_dequeue", "free_something",
	"hrtimer_wakeup", "wake_up_process", "process_timeout",
	"tick_nohz_handler", "process_one_work", "do_the_work",
	"tpacket_rcv", "run_ksoftirqd", "__schedule", "try_to_wake_up",
	"native_smp_send_reschedule", "irq_thread_fn", "thread_handler",
	"p9_client_rpc", "p9_client_cb", "blk_mq_complete_request_remote",
	"native_send_call_func_single_ipi", "arp_rcv", "ip_local_deliver",
	"work_for_cpu_fn", "wb_workfn", "vmstat_update", "__folio_mark_dirty",
	"folio_clear_dirty_for_io", "blk_rq_timed_out_timer",
	"cpuidle_enter_state", "error_return",
	"restore_regs_and_return_to_kernel", "call_rcu", "kvfree_call_rcu",
	"kfree_rcu_monitor", "irq_work_queue", "asm_sysvec_irq_work",
	"__alloc_pages_noprof", "balance_pgdat", "try_to_free_pages",
};
/* clang-format on */

enum { KERNEL = 0x1000000, SIZE = 0x100 };

int64_t address_of(const char *name)
{
	size_t i = 0;

	while (strcmp(names[i], name))
		i++;
	return (int64_t)(0xffffffff80000000 + KERNEL + i * SIZE);
}

static struct symbols *make_symbols(void)
{
	static char text[4096];
	struct symbols *symbols;
	size_t used = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%lx T %s\n",
					 (unsigned long)address_of(names[i]),
					 names[i]);
	ck_assert_int_eq(symbols_from_text(&arch_x86_64, text, used, "", 0,
					   &symbols),
			 0);
	return symbols;
}

struct interrupt_scene interrupt_scene_begin(void)
{
	struct interrupt_scene scene = { .symbols = make_symbols(),
					 .names = task_names_empty(),
					 .window = TIME_WINDOW_ALL };

	ck_assert_int_eq(task_names_add(scene.names, 30, "napi/eth0-1"), 0);
	scene.fixture = attribution_fixture_of(scene.symbols);
	return scene;
}

void interrupt_scene_watch(struct interrupt_scene *scene)
{
	scene->input = (struct attribution_input){
		.recording = scene->recording,
		.symbols = scene->symbols,
		.names = scene->names,
		.kinds = attribution_fixture_kinds(scene->fixture),
		.window = scene->window,
	};
	scene->input.trackers = trackers_new_with(&(struct trackers_options){
		.input = &scene->input,
		.time.kinds = scene->input.kinds,
		.time.functions = symbols_functions(scene->symbols),
	});
	ck_assert_ptr_nonnull(scene->input.trackers);
	scene->accounts = trackers_interrupts(scene->input.trackers);
	ck_assert_ptr_nonnull(scene->accounts);
	attribution_fixture_follow(scene->fixture, scene->input.trackers);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Writes one line: "kind function [irq] on TID for PID count: ns exact inferred
 * nobody", the kind a number.
 */
static void write_line(const struct interrupt_scene *scene,
		       const struct interrupt_row *row, char *line, size_t size)
{
	const char *function =
		function_at(symbols_functions(scene->symbols), row->function)
			->name;

	snprintf(line, size, "%s%s %d for %d x%.2f: %lu=%lu+%lu+%lu\n",
		 function, row->is_thread_work ? " thread" : " on",
		 row->victim_tid, row->pid, row->count,
		 (unsigned long)row->total_ns,
		 (unsigned long)row->certain_ns[CERTAIN_EXACT],
		 (unsigned long)row->certain_ns[CERTAIN_INFERRED],
		 (unsigned long)row->certain_ns[CERTAIN_NOBODY]);
}

const char *interrupt_scene_finish(struct interrupt_scene *scene)
{
	enum { LINE = 128, LINES = 32 };
	static char lines[LINES][LINE];
	const struct interrupt_rows *rows =
		interrupt_accounts_rows(scene->accounts);
	const struct interrupt_row *row;
	size_t count = 0;

	ends(scene->fixture);
	ck_assert_int_eq(trackers_end(scene->input.trackers), 0);
	for (; (row = interrupt_rows_at(rows, count)); count++) {
		ck_assert_uint_lt(count, LINES);
		write_line(scene, row, lines[count], LINE);
	}
	qsort(lines, count, LINE, compare_lines);
	for (size_t i = 0; i < count; i++)
		strcat(scene->text, lines[i]);
	return scene->text;
}

void interrupt_scene_end(struct interrupt_scene *scene)
{
	trackers_free(scene->input.trackers);
	attribution_fixture_free(scene->fixture);
	task_names_close(scene->names);
	symbols_close(scene->symbols);
}

/* The current story: check passes tests only an index. */
static const struct interrupt_story *told;

START_TEST(work_is_for_whom_it_was)
{
	struct interrupt_scene scene = interrupt_scene_begin();

	interrupt_scene_watch(&scene);
	told[_i].tell(scene.fixture);
	ck_assert_str_eq(interrupt_scene_finish(&scene), told[_i].rows);
	interrupt_scene_end(&scene);
}
END_TEST

TCase *interrupt_stories(const struct interrupt_story *stories, int count)
{
	TCase *tcase = tcase_create("stories");

	told = stories;
	tcase_add_loop_test(tcase, work_is_for_whom_it_was, 0, count);
	return tcase;
}

void disk_interrupt(struct attribution_fixture *f, uint64_t base)
{
	NS(base);
	IN("irq_entries_start");
	NS(base + 5);
	jump(f, 0, "asm_common_interrupt");
	NS(base + 10);
	IN("__handle_irq_event_percpu");
	EVENT(EVENT_IRQ_ENTRY, 9);
	IN("perf_trace_irq_handler_entry");
	OUT;
	NS(base + 20);
	IN("disk_handler");
	EVENT(EVENT_REQUEST_COMPLETE, 8, 100, 8);
	NS(base + 40);
	OUT;
	OUT;
	NS(base + 50);
	OUT;
}
