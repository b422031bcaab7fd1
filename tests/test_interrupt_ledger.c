/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_ledger.h"

#include "attribution/table.h"
#include "attribution/events/work_kinds.h"
#include "report/task_names.h"
#include "symbolize/symbols.h"
#include "tests/attribution_fixture.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel of these functions, 0x100 bytes each. */
static const char *const names[] = {
	"entry_SYSCALL_64", "vfs_read", "irq_entries_start",
	"asm_common_interrupt", "asm_sysvec_apic_timer_interrupt",
	"asm_sysvec_reschedule_ipi", "asm_exc_nmi",
	"__handle_irq_event_percpu", "perf_trace_irq_handler_entry",
	"disk_handler", "net_handler", "__napi_schedule", "__do_softirq",
	"handle_softirqs", "net_rx_action", "__napi_poll", "device_poll",
	"run_timer_softirq", "blk_done_softirq", "rcu_core_si",
	"rcu_do_batch", "rcu_cblist_dequeue", "free_something",
	"hrtimer_wakeup", "wake_up_process", "process_timeout",
	"tick_nohz_handler", "process_one_work", "do_the_work",
	"run_ksoftirqd", "__schedule", "try_to_wake_up",
	"native_smp_send_reschedule", "irq_thread_fn", "thread_handler",
	"p9_client_rpc", "p9_client_cb",
};

enum { KERNEL = 0x1000000, SIZE = 0x100, NET_RX = 3, BLOCK = 4 };

static int64_t address_of(const char *name)
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
					   &symbols), 0);
	return symbols;
}

/* A ledger of a made-up recording, and what it says in the end. */
struct story {
	struct symbols *symbols;
	struct task_names *names;
	struct attribution_fixture *fixture;
	struct attribution_input input;
	struct interrupt_ledger *ledger;
	char text[4096];
};

static struct story begin_story(void)
{
	struct story story = { .symbols = make_symbols(),
			       .names = task_names_empty() };

	story.fixture = attribution_fixture_of(story.symbols);
	return story;
}

static void watch(struct story *story)
{
	story->input = (struct attribution_input){
		.symbols = story->symbols,
		.names = story->names,
		.kinds = attribution_fixture_kinds(story->fixture),
		.window = TIME_WINDOW_ALL,
	};
	story->ledger = interrupt_ledger_new(&story->input);
	ck_assert_ptr_nonnull(story->ledger);
	attribution_fixture_watch(story->fixture,
				  interrupt_ledger_witness(story->ledger));
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* One line: "kind function [irq] on TID for PID count: ns exact inferred
 * nobody", the kind a number.
 */
static void write_line(const struct story *story,
		       const struct interrupt_row *row, char *line, size_t size)
{
	const char *function = function_at(symbols_functions(story->symbols),
					   row->function)->name;

	snprintf(line, size, "%s%s %d for %d x%.2f: %lu=%lu+%lu+%lu\n",
		 function, row->is_thread_work ? " thread" : " on",
		 row->victim_tid, row->pid, row->count,
		 (unsigned long)row->total_ns,
		 (unsigned long)row->certain_ns[CERTAIN_EXACT],
		 (unsigned long)row->certain_ns[CERTAIN_INFERRED],
		 (unsigned long)row->certain_ns[CERTAIN_NOBODY]);
}

static const char *finish(struct story *story)
{
	enum { LINE = 128, LINES = 32 };
	static char lines[LINES][LINE];
	const struct interrupt_row *row;
	size_t count = 0;

	ends(story->fixture);
	ck_assert_int_eq(interrupt_ledger_end(story->ledger), 0);
	for (; (row = interrupt_ledger_row(story->ledger, count)); count++) {
		ck_assert_uint_lt(count, LINES);
		write_line(story, row, lines[count], LINE);
	}
	qsort(lines, count, LINE, compare_lines);
	for (size_t i = 0; i < count; i++)
		strcat(story->text, lines[i]);
	return story->text;
}

static void end_story(struct story *story)
{
	interrupt_ledger_free(story->ledger);
	attribution_fixture_free(story->fixture);
	task_names_close(story->names);
	symbols_close(story->symbols);
}

#define NS(time) at(f, time)
#define IN(name) enter(f, 0, name)
#define OUT leave(f, 0)
#define EVENT(number, ...) \
	event_of(f, 0, number, (const int64_t[EVENT_MAX_FIELDS]){ __VA_ARGS__ })

/* The handler of interrupt 9, which lasts from 10 to 60; 40 are its own. */
static void disk_interrupt(struct attribution_fixture *f, uint64_t base)
{
	NS(base); IN("irq_entries_start");
	NS(base + 5); jump(f, 0, "asm_common_interrupt");
	NS(base + 10); IN("__handle_irq_event_percpu");
	EVENT(EVENT_IRQ_ENTRY, 9);
	IN("perf_trace_irq_handler_entry"); OUT;
	NS(base + 20); IN("disk_handler");
	EVENT(EVENT_REQUEST_COMPLETE, 8, 100, 8);
	NS(base + 40); OUT; OUT;
	NS(base + 50); OUT;
}

static void disk_read_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	NS(100); IN("entry_SYSCALL_64"); IN("vfs_read");
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	NS(200); switch_to(f, 0, 5);
	disk_interrupt(f, 300);
	NS(400);
}

/* Over a device that hands the request on, from another thread. */
static void mapped_disk_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	NS(100); IN("entry_SYSCALL_64");
	EVENT(EVENT_BIO_QUEUE, 253, 40, 8);
	NS(200); switch_to(f, 0, 6);
	EVENT(EVENT_BIO_REMAP, 8, 100, 8, 253, 40);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	NS(250); switch_to(f, 0, 5);
	disk_interrupt(f, 300);
	NS(400);
}

/* A request of two, in sectors 3 to 1. */
static void merged_disk_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 6);
	NS(200); switch_to(f, 0, 6);
	EVENT(EVENT_BIO_QUEUE, 8, 106, 2);
	NS(250); switch_to(f, 0, 5);
	disk_interrupt(f, 300);
	NS(400);
}

/* The interrupt raises a soft interrupt, that completes the request. */
static void done_softirq_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	NS(200); switch_to(f, 0, 5);
	NS(300); IN("asm_common_interrupt");
	EVENT(EVENT_SOFTIRQ_RAISE, BLOCK);
	NS(340); OUT;
	NS(400); IN("handle_softirqs");
	NS(410); EVENT(EVENT_SOFTIRQ_ENTRY, BLOCK); IN("blk_done_softirq");
	EVENT(EVENT_REQUEST_COMPLETE, 8, 100, 8);
	NS(440); OUT; EVENT(EVENT_SOFTIRQ_EXIT, BLOCK);
	NS(450); OUT;
	NS(500);
}

static void poll_interrupt(struct attribution_fixture *f, uint64_t base)
{
	NS(base); IN("asm_common_interrupt");
	NS(base + 10); IN("__handle_irq_event_percpu"); IN("net_handler");
	IN("__napi_schedule");
	EVENT(EVENT_SOFTIRQ_RAISE, NET_RX); OUT;
	NS(base + 20); OUT; OUT;
	NS(base + 30); OUT;
}

/* One softirq that polls once; the poll takes 40. */
static void poll_begins(struct attribution_fixture *f, uint64_t base)
{
	NS(base); IN("__do_softirq"); jump(f, 0, "handle_softirqs");
	NS(base + 10); EVENT(EVENT_SOFTIRQ_ENTRY, NET_RX); IN("net_rx_action");
	NS(base + 20); IN("__napi_poll"); IN("device_poll");
}

static void poll_ends(struct attribution_fixture *f, uint64_t base)
{
	NS(base + 60); OUT; OUT;
	NS(base + 70); OUT; EVENT(EVENT_SOFTIRQ_EXIT, NET_RX);
	NS(base + 80); OUT;
}

static void receive_packet(struct attribution_fixture *f, int64_t address)
{
	EVENT(EVENT_GRO_RECEIVE, address);
	EVENT(EVENT_NET_RECEIVE, address);
}

/* 8 is sent something on 5's time, and reads it later. */
static void receive_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_interrupt(f, 100);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	poll_ends(f, 200);
	NS(300); switch_to(f, 0, 8);
	NS(350); IN("entry_SYSCALL_64");
	EVENT(EVENT_SKB_CONSUME, 0xa00);
	NS(400);
}

/* A poll of packets for 8 and 9; of one nobody hears again. */
static void receive_shared_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_begins(f, 200);
	receive_packet(f, 0xa00); receive_packet(f, 0xb00);
	receive_packet(f, 0xc00); receive_packet(f, 0xd00);
	poll_ends(f, 200);
	NS(300); switch_to(f, 0, 8);
	EVENT(EVENT_SKB_COPY, 0xa00); EVENT(EVENT_SKB_COPY, 0xb00);
	NS(350); switch_to(f, 0, 9);
	EVENT(EVENT_SKB_CONSUME, 0xc00);
	NS(400);
}

/* The packet is only seen to wake 8. */
static void receive_woken_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	EVENT(EVENT_SCHED_WAKING, 8);
	poll_ends(f, 200);
	NS(300);
}

/* 8 sends; the device says on 5's time that it is done. */
static void send_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(100); IN("entry_SYSCALL_64");
	EVENT(EVENT_NET_QUEUE, 0xa00); EVENT(EVENT_NET_XMIT, 0xa00);
	NS(150); OUT; switch_to(f, 0, 5);
	poll_begins(f, 200);
	EVENT(EVENT_SKB_CONSUME, 0xa00);
	poll_ends(f, 200);
	NS(300);
}

/* 8 sleeps; its timer and the tick share an interrupt on 5's time. */
static void timer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(100); EVENT(EVENT_HRTIMER_START, 0x700, address_of("hrtimer_wakeup"));
	EVENT(EVENT_HRTIMER_START, 0x800, address_of("tick_nohz_handler"));
	NS(150); switch_to(f, 0, 5);
	NS(200); IN("asm_sysvec_apic_timer_interrupt");
	NS(210); EVENT(EVENT_HRTIMER_EXPIRE, 0x700,
		       address_of("hrtimer_wakeup"));
	IN("hrtimer_wakeup");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(220); jump(f, 0, "wake_up_process");
	NS(240); OUT;
	EVENT(EVENT_HRTIMER_EXPIRE, 0x800, address_of("tick_nohz_handler"));
	IN("tick_nohz_handler");
	NS(250); OUT; EVENT(EVENT_HRTIMER_START, 0x800,
			    address_of("tick_nohz_handler"));
	NS(260); OUT;
	NS(300);
}

/* A timer that puts itself back stays whose it was. */
static void periodic_timer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	EVENT(EVENT_HRTIMER_START, 0x700, address_of("process_timeout"));
	switch_to(f, 0, 5);
	for (uint64_t base = 200; base < 500; base += 100) {
		NS(base); IN("asm_sysvec_apic_timer_interrupt");
		EVENT(EVENT_HRTIMER_EXPIRE, 0x700,
		      address_of("process_timeout"));
		IN("process_timeout");
		NS(base + 20); OUT;
		EVENT(EVENT_HRTIMER_START, 0x700,
		      address_of("process_timeout"));
		OUT;
	}
	NS(600);
}

/* What 8 queues is done by kworker 20, with an interrupt in between; what that
 * writes is 8's, too.
 */
static void work_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	EVENT(EVENT_WORK_QUEUE, 0x500, address_of("do_the_work"));
	NS(100); switch_to(f, 0, 20);
	NS(110); IN("process_one_work");
	EVENT(EVENT_WORK_BEGIN, 0x500, address_of("do_the_work"));
	IN("do_the_work");
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	disk_interrupt(f, 200);
	NS(300); OUT; OUT;
	NS(400);
}

/* Nothing tells for whom the interrupt was, but for the work that it queued,
 * which woke 8.
 */
static void bottom_half_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100); IN("asm_common_interrupt");
	EVENT(EVENT_WORK_QUEUE, 0x500, address_of("do_the_work"));
	NS(150); OUT;
	NS(200); switch_to(f, 0, 20);
	IN("process_one_work");
	EVENT(EVENT_WORK_BEGIN, 0x500, address_of("do_the_work"));
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(260); OUT;
	NS(300);
}

static void woken_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100); IN("asm_common_interrupt");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(150); OUT;
	NS(200); IN("asm_common_interrupt");
	NS(230); OUT;
	NS(300);
}

/* What the interrupt ends with, preempting 5, is not its time. */
static void preempted_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100); IN("asm_sysvec_apic_timer_interrupt");
	NS(130); IN("__schedule");
	NS(150); switch_to(f, 0, 8);
	NS(200); switch_to(f, 0, 5);
	NS(220); OUT;
	NS(223); OUT;
	NS(300);
}

/* On its way out an interrupt lets others in: they are not part of it. */
static void nested_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100); IN("asm_sysvec_apic_timer_interrupt");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(130); IN("asm_common_interrupt");
	EVENT(EVENT_SCHED_WAKING, 9);
	NS(150); OUT;
	NS(160); OUT;
	NS(300);
}

static void rcu_and_nmi_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100); IN("handle_softirqs");
	EVENT(EVENT_SOFTIRQ_ENTRY, 9); IN("rcu_core_si"); IN("rcu_do_batch");
	NS(110); IN("rcu_cblist_dequeue"); OUT; IN("free_something");
	NS(115); IN("asm_exc_nmi");
	NS(118); OUT;
	NS(120); OUT; IN("free_something");
	NS(130); OUT; OUT; OUT; OUT;
	NS(200);
}

/* ksoftirqd's soft interrupts are its own time. */
static void ksoftirqd_story(struct attribution_fixture *f)
{
	starts(f, 0, 15);
	NS(90); IN("run_ksoftirqd");
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	poll_ends(f, 200);
	NS(300); switch_to(f, 0, 8);
	EVENT(EVENT_SKB_CONSUME, 0xa00);
	NS(400);
}

/* 8 on CPU 0 wakes 9, which last ran on CPU 1 where 5 is now. */
static void ipi_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	starts(f, 1, 5);
	NS(100); IN("try_to_wake_up");
	EVENT(EVENT_SCHED_WAKING, 9);
	IN("native_smp_send_reschedule"); OUT;
	NS(120); OUT;
	NS(130); enter(f, 1, "asm_sysvec_reschedule_ipi");
	NS(150); leave(f, 1);
	NS(200);
}

/* What happens before the trace begins says nothing of the task. */
static void untraced_story(struct attribution_fixture *f)
{
	event(f, 0, EVENT_HRTIMER_START, 0x700, address_of("process_timeout"),
	      0);
	NS(100); starts(f, 0, 5);
	IN("asm_sysvec_apic_timer_interrupt");
	EVENT(EVENT_HRTIMER_EXPIRE, 0x700, address_of("process_timeout"));
	IN("process_timeout");
	NS(120); OUT; OUT;
	NS(200);
}

static void answer(struct attribution_fixture *f, uint64_t begin_ns)
{
	NS(begin_ns); IN("asm_common_interrupt");
	NS(begin_ns + 10); IN("p9_client_cb");
	NS(begin_ns + 20); OUT;
	NS(begin_ns + 30); OUT;
}

/* 8 asks and is answered before it could sleep, twice; then 9 asks as well,
 * and the answer may be for either; the last comes when nobody waits.
 */
static void answer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(100); IN("p9_client_rpc");
	answer(f, 110);
	answer(f, 150);
	NS(200); switch_to(f, 0, 9);
	IN("p9_client_rpc");
	answer(f, 210);
	NS(250); OUT; switch_to(f, 0, 8);
	NS(260); OUT; switch_to(f, 0, 9);
	answer(f, 300);
	NS(400);
}

static void threaded_story(struct attribution_fixture *f)
{
	starts(f, 0, 21);
	NS(100); IN("irq_thread_fn");
	NS(110); IN("thread_handler");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(140); OUT;
	NS(150); OUT;
	NS(200);
}

static const struct {
	void (*tell)(struct attribution_fixture *f);
	const char *rows;
} stories[] = {
	{ disk_read_story, "disk_handler on 5 for 7 x1.00: 50=50+0+0\n" },
	{ mapped_disk_story, "disk_handler on 5 for 7 x1.00: 50=50+0+0\n" },
	{ merged_disk_story, "disk_handler on 5 for 6 x0.25: 12=12+0+0\n"
			     "disk_handler on 5 for 7 x0.75: 38=38+0+0\n" },
	{ done_softirq_story,
	  "asm_common_interrupt on 5 for 7 x1.00: 40=40+0+0\n"
	  "blk_done_softirq on 5 for 7 x1.00: 30=30+0+0\n"
	  "handle_softirqs on 5 for 7 x1.00: 20=20+0+0\n" },
	{ receive_story, "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
			 "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
			 "net_handler on 5 for 8 x1.00: 30=30+0+0\n"
			 "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n" },
	{ receive_shared_story,
	  "device_poll on 5 for -1 x0.25: 10=0+0+10\n"
	  "device_poll on 5 for 8 x0.50: 20=20+0+0\n"
	  "device_poll on 5 for 9 x0.25: 10=10+0+0\n"
	  "handle_softirqs on 5 for -1 x0.25: 5=0+0+5\n"
	  "handle_softirqs on 5 for 8 x0.50: 10=10+0+0\n"
	  "handle_softirqs on 5 for 9 x0.25: 5=5+0+0\n"
	  "net_rx_action on 5 for -1 x0.25: 5=0+0+5\n"
	  "net_rx_action on 5 for 8 x0.50: 10=10+0+0\n"
	  "net_rx_action on 5 for 9 x0.25: 5=5+0+0\n" },
	{ receive_woken_story,
	  "device_poll on 5 for 8 x1.00: 40=0+40+0\n"
	  "handle_softirqs on 5 for 8 x1.00: 20=0+20+0\n"
	  "net_rx_action on 5 for 8 x1.00: 20=0+20+0\n" },
	{ send_story, "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
		      "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
		      "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n" },
	{ timer_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for 0 x0.25: 5=5+0+0\n"
	  "asm_sysvec_apic_timer_interrupt on 5 for 8 x0.75: 15=15+0+0\n"
	  "hrtimer_wakeup on 5 for 8 x1.00: 30=30+0+0\n"
	  "tick_nohz_handler on 5 for 0 x1.00: 10=10+0+0\n" },
	{ periodic_timer_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for 8 x3.00: 0=0+0+0\n"
	  "process_timeout on 5 for 8 x3.00: 60=60+0+0\n" },
	{ work_story, "disk_handler on 20 for 8 x1.00: 50=50+0+0\n"
		      "do_the_work thread 20 for 8 x1.00: 140=140+0+0\n" },
	{ bottom_half_story,
	  "asm_common_interrupt on 5 for 8 x1.00: 50=0+50+0\n"
	  "do_the_work thread 20 for 8 x1.00: 60=0+60+0\n" },
	{ woken_story,
	  "asm_common_interrupt on 5 for -1 x1.00: 30=0+0+30\n"
	  "asm_common_interrupt on 5 for 8 x1.00: 50=0+50+0\n" },
	{ preempted_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for -1 x1.00: 33=0+0+33\n" },
	{ nested_story,
	  "asm_common_interrupt on 5 for 9 x1.00: 20=0+20+0\n"
	  "asm_sysvec_apic_timer_interrupt on 5 for 8 x1.00: 40=0+40+0\n" },
	{ rcu_and_nmi_story,
	  "asm_exc_nmi on 5 for 0 x1.00: 3=3+0+0\n"
	  "free_something on 5 for 0 x2.00: 17=17+0+0\n"
	  "handle_softirqs on 5 for 0 x1.00: 0=0+0+0\n"
	  "rcu_core_si on 5 for 0 x1.00: 10=10+0+0\n" },
	{ ksoftirqd_story,
	  "device_poll thread 15 for 8 x1.00: 40=40+0+0\n"
	  "handle_softirqs thread 15 for 8 x1.00: 20=20+0+0\n"
	  "net_rx_action thread 15 for 8 x1.00: 20=20+0+0\n" },
	{ ipi_story,
	  "asm_sysvec_reschedule_ipi on 5 for 9 x1.00: 20=0+20+0\n" },
	{ untraced_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for -1 x1.00: 0=0+0+0\n"
	  "process_timeout on 5 for -1 x1.00: 20=0+0+20\n" },
	{ answer_story,
	  "asm_common_interrupt on 8 for 8 x2.00: 60=0+60+0\n"
	  "asm_common_interrupt on 9 for -1 x1.00: 30=0+0+30\n"
	  "asm_common_interrupt on 9 for 8 x0.50: 15=0+15+0\n"
	  "asm_common_interrupt on 9 for 9 x0.50: 15=0+15+0\n" },
	{ threaded_story,
	  "thread_handler thread 21 for 8 x1.00: 50=0+50+0\n" },
};

START_TEST(work_is_for_whom_it_was)
{
	struct story story = begin_story();

	watch(&story);
	stories[_i].tell(story.fixture);
	ck_assert_str_eq(finish(&story), stories[_i].rows);
	end_story(&story);
}
END_TEST

START_TEST(threads_and_processes_add_up)
{
	const struct task victim = { .tid = 5, .pid = 5 };
	struct story story = begin_story();
	struct interrupt_shares shares;
	struct interrupt_credit credit;

	watch(&story);
	receive_story(story.fixture);
	finish(&story);
	shares = interrupt_ledger_thread(story.ledger, &victim);
	ck_assert_uint_eq(shares.own_ns, 0);
	ck_assert_uint_eq(shares.stolen_ns, 110);
	credit = interrupt_ledger_process(story.ledger, 8);
	ck_assert_uint_eq(credit.interrupt_ns, 110);
	ck_assert_uint_eq(credit.work_ns, 0);
	end_story(&story);
}
END_TEST

START_TEST(threads_of_a_process_help_each_other)
{
	const struct task victim = { .tid = 5, .pid = 8 };
	struct story story = begin_story();
	struct interrupt_shares shares;

	belongs(story.fixture, 5, 8);
	watch(&story);
	receive_story(story.fixture);
	finish(&story);
	shares = interrupt_ledger_thread(story.ledger, &victim);
	ck_assert_uint_eq(shares.own_ns, 110);
	ck_assert_uint_eq(shares.stolen_ns, 0);
	ck_assert_uint_eq(
		interrupt_ledger_process(story.ledger, 8).interrupt_ns, 0);
	end_story(&story);
}
END_TEST

START_TEST(work_is_billed_to_its_queuer)
{
	struct story story = begin_story();
	struct interrupt_credit credit;

	watch(&story);
	work_story(story.fixture);
	finish(&story);
	credit = interrupt_ledger_process(story.ledger, 8);
	ck_assert_uint_eq(credit.interrupt_ns, 50);
	ck_assert_uint_eq(credit.work_ns, 140);
	end_story(&story);
}
END_TEST

static Suite *interrupt_ledger_suite(void)
{
	Suite *suite = suite_create("interrupt_ledger");
	TCase *tcase = tcase_create("stories");

	tcase_add_loop_test(tcase, work_is_for_whom_it_was, 0,
			    sizeof(stories) / sizeof(*stories));
	tcase_add_test(tcase, threads_and_processes_add_up);
	tcase_add_test(tcase, threads_of_a_process_help_each_other);
	tcase_add_test(tcase, work_is_billed_to_its_queuer);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(interrupt_ledger_suite());
}
