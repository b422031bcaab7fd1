/* SPDX-License-Identifier: MIT */
#include "tests/interrupt_accounts_fixture.h"

/* 8 sleeps; its timer and the tick share an interrupt on 5's time. */
void interrupt_timer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(100);
	EVENT(EVENT_HRTIMER_START, 0x700, address_of("hrtimer_wakeup"));
	EVENT(EVENT_HRTIMER_START, 0x800, address_of("tick_nohz_handler"));
	NS(150);
	switch_to(f, 0, 5);
	NS(200);
	IN("asm_sysvec_apic_timer_interrupt");
	NS(210);
	EVENT(EVENT_HRTIMER_EXPIRE, 0x700, address_of("hrtimer_wakeup"));
	IN("hrtimer_wakeup");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(220);
	jump(f, 0, "wake_up_process");
	NS(240);
	OUT;
	EVENT(EVENT_HRTIMER_EXPIRE, 0x800, address_of("tick_nohz_handler"));
	IN("tick_nohz_handler");
	NS(250);
	OUT;
	EVENT(EVENT_HRTIMER_START, 0x800, address_of("tick_nohz_handler"));
	NS(260);
	OUT;
	NS(300);
}

/* A timer that rearms itself stays charged to the same thread. */
static void periodic_timer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	EVENT(EVENT_HRTIMER_START, 0x700, address_of("process_timeout"));
	switch_to(f, 0, 5);
	for (uint64_t base = 200; base < 500; base += 100) {
		NS(base);
		IN("asm_sysvec_apic_timer_interrupt");
		EVENT(EVENT_HRTIMER_EXPIRE, 0x700,
		      address_of("process_timeout"));
		IN("process_timeout");
		NS(base + 20);
		OUT;
		EVENT(EVENT_HRTIMER_START, 0x700,
		      address_of("process_timeout"));
		OUT;
	}
	NS(600);
}

/* 8 queues @function, which kworker 20 executes from 110 to 300 with an
 * interrupt of 50 ns for its disk request.
 */
static void queue_and_execute(struct attribution_fixture *f,
			      const char *function)
{
	starts(f, 0, 8);
	EVENT(EVENT_WORK_QUEUE, 0x500, address_of(function));
	NS(100);
	switch_to(f, 0, 20);
	NS(110);
	IN("process_one_work");
	EVENT(EVENT_WORK_BEGIN, 0x500, address_of(function));
	IN(function);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	disk_interrupt(f, 200);
	NS(300);
	OUT;
	OUT;
	NS(400);
}

/* The item is on 8's stack: no other thread can have queued it. */
void interrupt_work_story(struct attribution_fixture *f)
{
	queue_and_execute(f, "work_for_cpu_fn");
}

/* Other threads may have found the item queued, or added to its list without
 * queueing it, which no event reports. So 8 is inferred, also for the disk's
 * interrupt after it; until 2026 both were exact.
 */
static void shared_item_story(struct attribution_fixture *f)
{
	queue_and_execute(f, "do_the_work");
}

static void system_item_story(struct attribution_fixture *f)
{
	queue_and_execute(f, "vmstat_update");
}

static void dirty(struct attribution_fixture *f, int32_t tid, int pages)
{
	switch_to(f, 0, tid);
	IN("entry_SYSCALL_64");
	for (int i = 0; i < pages; i++) {
		IN("__folio_mark_dirty");
		OUT;
	}
	OUT;
}

/* 8 queues the writeback of a device by its first dirty page; 9 dirties three
 * pages and queues nothing. One of the four is written, with an interrupt.
 */
static void writeback_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	dirty(f, 8, 1);
	EVENT(EVENT_WORK_QUEUE, 0x500, address_of("wb_workfn"));
	dirty(f, 9, 3);
	NS(100);
	switch_to(f, 0, 20);
	NS(110);
	IN("process_one_work");
	EVENT(EVENT_WORK_BEGIN, 0x500, address_of("wb_workfn"));
	IN("wb_workfn");
	IN("folio_clear_dirty_for_io");
	OUT;
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	NS(150);
	OUT;
	OUT;
	switch_to(f, 0, 5);
	disk_interrupt(f, 200);
	NS(300);
}

/* 8 writes its own dirty pages itself: the next writeback is only for 9. */
static void own_writeback_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	dirty(f, 9, 2);
	dirty(f, 8, 2);
	switch_to(f, 0, 8);
	IN("entry_SYSCALL_64");
	for (int i = 0; i < 2; i++) {
		IN("folio_clear_dirty_for_io");
		OUT;
	}
	OUT;
	NS(100);
	switch_to(f, 0, 20);
	IN("process_one_work");
	EVENT(EVENT_WORK_BEGIN, 0x500, address_of("wb_workfn"));
	NS(160);
	OUT;
	NS(300);
}

/* All dirty pages are from before the recording. */
static void unknown_writeback_story(struct attribution_fixture *f)
{
	queue_and_execute(f, "wb_workfn");
}

/* A timer of a device is armed by the first request that needs it. */
static void shared_timer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	EVENT(EVENT_TIMER_START, 0x700, address_of("blk_rq_timed_out_timer"));
	switch_to(f, 0, 5);
	NS(200);
	IN("handle_softirqs");
	IN("run_timer_softirq");
	EVENT(EVENT_TIMER_EXPIRE, 0x700, address_of("blk_rq_timed_out_timer"));
	IN("blk_rq_timed_out_timer");
	NS(240);
	OUT;
	OUT;
	OUT;
	NS(300);
}

/* The interrupt's beneficiary is known only from the work that it queued, which
 * woke 8.
 */
static void bottom_half_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("asm_common_interrupt");
	EVENT(EVENT_WORK_QUEUE, 0x500, address_of("do_the_work"));
	NS(150);
	OUT;
	NS(200);
	switch_to(f, 0, 20);
	IN("process_one_work");
	EVENT(EVENT_WORK_BEGIN, 0x500, address_of("do_the_work"));
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(260);
	OUT;
	NS(300);
}

static void woken_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("asm_common_interrupt");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(150);
	OUT;
	NS(200);
	IN("asm_common_interrupt");
	NS(230);
	OUT;
	NS(300);
}

/* The preemption of 5 at the interrupt's end is not part of the interrupt's
 * time.
 */
static void preempted_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("asm_sysvec_apic_timer_interrupt");
	NS(130);
	IN("__schedule");
	NS(150);
	switch_to(f, 0, 8);
	NS(200);
	switch_to(f, 0, 5);
	NS(220);
	OUT;
	NS(223);
	OUT;
	NS(300);
}

/* An interrupt enables others in its exit code: they are not part of it. */
static void nested_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("asm_sysvec_apic_timer_interrupt");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(130);
	IN("asm_common_interrupt");
	EVENT(EVENT_SCHED_WAKING, 9);
	NS(150);
	OUT;
	NS(160);
	OUT;
	NS(300);
}

static void rcu_and_nmi_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("handle_softirqs");
	IN("rcu_core_si");
	IN("rcu_do_batch");
	NS(110);
	IN("rcu_cblist_dequeue");
	OUT;
	IN("free_something");
	NS(115);
	IN("asm_exc_nmi");
	NS(118);
	OUT;
	NS(120);
	OUT;
	IN("free_something");
	NS(130);
	OUT;
	OUT;
	OUT;
	OUT;
	NS(200);
}

static void call_in_kernel(struct attribution_fixture *f, int32_t tid,
			   const char *function)
{
	switch_to(f, 0, tid);
	IN("entry_SYSCALL_64");
	IN(function);
	OUT;
	OUT;
}

/* Callbacks are called in the order they were queued: first one from
 * before the recording, then those of 8 and 9.
 */
static void rcu_order_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	call_in_kernel(f, 8, "call_rcu");
	call_in_kernel(f, 9, "call_rcu");
	switch_to(f, 0, 5);
	NS(100);
	IN("handle_softirqs");
	IN("rcu_core_si");
	IN("rcu_do_batch");
	for (int i = 0; i < 3; i++) {
		NS(110 + 10 * (uint64_t)i);
		IN("free_something");
		NS(115 + 10 * (uint64_t)i);
		OUT;
	}
	OUT;
	OUT;
	OUT;
	NS(200);
}

/* A work item frees the memory of all that queued some. */
static void free_after_rcu_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	call_in_kernel(f, 8, "kvfree_call_rcu");
	call_in_kernel(f, 9, "kvfree_call_rcu");
	call_in_kernel(f, 9, "kvfree_call_rcu");
	call_in_kernel(f, 9, "kvfree_call_rcu");
	NS(100);
	switch_to(f, 0, 20);
	IN("process_one_work");
	EVENT(EVENT_WORK_BEGIN, 0x500, address_of("kfree_rcu_monitor"));
	IN("kfree_rcu_monitor");
	NS(140);
	OUT;
	OUT;
	NS(200);
}

/* kswapd works for 8 and 9 by their allocations; 9 also for itself. */
static void reclaim_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	call_in_kernel(f, 8, "__alloc_pages_noprof");
	call_in_kernel(f, 9, "__alloc_pages_noprof");
	call_in_kernel(f, 9, "__alloc_pages_noprof");
	call_in_kernel(f, 9, "__alloc_pages_noprof");
	IN("entry_SYSCALL_64");
	NS(50);
	IN("try_to_free_pages");
	NS(55);
	OUT;
	OUT;
	NS(100);
	switch_to(f, 0, 20);
	IN("balance_pgdat");
	NS(140);
	OUT;
	NS(200);
}

/* 8 has its CPU interrupt itself, on the time of 5. */
static void irq_work_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	call_in_kernel(f, 8, "irq_work_queue");
	switch_to(f, 0, 5);
	NS(100);
	IN("asm_sysvec_irq_work");
	NS(120);
	OUT;
	NS(200);
}

/* The tick raises the soft interrupt, and no timer has expired. */
static void no_timer_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("handle_softirqs");
	IN("run_timer_softirq");
	NS(110);
	OUT;
	OUT;
	NS(200);
}

/* 8 on CPU 0 wakes 9, which last ran on CPU 1 where 5 is now. */
static void ipi_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	starts(f, 1, 5);
	NS(100);
	IN("try_to_wake_up");
	EVENT(EVENT_SCHED_WAKING, 9);
	IN("native_smp_send_reschedule");
	OUT;
	NS(120);
	OUT;
	NS(130);
	enter(f, 1, "asm_sysvec_reschedule_ipi");
	NS(150);
	leave(f, 1);
	NS(200);
}

/* Events before the start of the trace do not reveal the task. */
static void untraced_story(struct attribution_fixture *f)
{
	event(f, 0, EVENT_HRTIMER_START, 0x700, address_of("process_timeout"),
	      0);
	NS(100);
	starts(f, 0, 5);
	IN("asm_sysvec_apic_timer_interrupt");
	EVENT(EVENT_HRTIMER_EXPIRE, 0x700, address_of("process_timeout"));
	IN("process_timeout");
	NS(120);
	OUT;
	OUT;
	NS(200);
}

static void answer(struct attribution_fixture *f, uint64_t begin_ns)
{
	NS(begin_ns);
	IN("asm_common_interrupt");
	NS(begin_ns + 10);
	IN("p9_client_cb");
	NS(begin_ns + 20);
	OUT;
	NS(begin_ns + 30);
	OUT;
}

/* 8 sends a request and is answered before it could sleep, twice; then 9 sends
 * one as well, and the answer may be for either; the last answer arrives when
 * no thread waits.
 */
static void answer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(100);
	IN("p9_client_rpc");
	answer(f, 110);
	answer(f, 150);
	NS(200);
	switch_to(f, 0, 9);
	IN("p9_client_rpc");
	answer(f, 210);
	NS(250);
	OUT;
	switch_to(f, 0, 8);
	NS(260);
	OUT;
	switch_to(f, 0, 9);
	answer(f, 300);
	NS(400);
}

static void threaded_story(struct attribution_fixture *f)
{
	starts(f, 0, 21);
	NS(100);
	IN("irq_thread_fn");
	NS(110);
	IN("thread_handler");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(140);
	OUT;
	NS(150);
	OUT;
	NS(200);
}

/* Of an interrupt that runs timers of two processes only the timers' own time
 * is exact: how much of the rest was for each, no event proves.
 */
const struct interrupt_story interrupt_stories_of_work[INTERRUPT_STORIES] = {
	{ interrupt_timer_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for 0 x0.25: 5=0+5+0\n"
	  "asm_sysvec_apic_timer_interrupt on 5 for 8 x0.75: 15=0+15+0\n"
	  "hrtimer_wakeup on 5 for 8 x1.00: 30=30+0+0\n"
	  "tick_nohz_handler on 5 for 0 x1.00: 10=10+0+0\n" },
	{ periodic_timer_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for 8 x3.00: 0=0+0+0\n"
	  "process_timeout on 5 for 8 x3.00: 60=60+0+0\n" },
	{ interrupt_work_story,
	  "disk_handler on 20 for 8 x1.00: 50=50+0+0\n"
	  "work_for_cpu_fn thread 20 for 8 x1.00: 140=140+0+0\n" },
	{ shared_item_story,
	  "disk_handler on 20 for 8 x1.00: 50=0+50+0\n"
	  "do_the_work thread 20 for 8 x1.00: 140=0+140+0\n" },
	{ system_item_story,
	  "disk_handler on 20 for 0 x1.00: 50=50+0+0\n"
	  "vmstat_update thread 20 for 0 x1.00: 140=140+0+0\n" },
	{ writeback_story, "disk_handler on 5 for 8 x0.25: 12=0+12+0\n"
			   "disk_handler on 5 for 9 x0.75: 38=0+38+0\n"
			   "wb_workfn thread 20 for 8 x0.25: 10=0+10+0\n"
			   "wb_workfn thread 20 for 9 x0.75: 30=0+30+0\n" },
	{ own_writeback_story, "wb_workfn thread 20 for 9 x1.00: 60=0+60+0\n" },
	{ unknown_writeback_story,
	  "disk_handler on 20 for -1 x1.00: 50=0+0+50\n"
	  "wb_workfn thread 20 for -1 x1.00: 140=0+0+140\n" },
	{ shared_timer_story,
	  "blk_rq_timed_out_timer on 5 for 8 x1.00: 40=0+40+0\n"
	  "handle_softirqs on 5 for 8 x1.00: 0=0+0+0\n"
	  "run_timer_softirq on 5 for 8 x1.00: 0=0+0+0\n" },
	{ bottom_half_story,
	  "asm_common_interrupt on 5 for 8 x1.00: 50=0+50+0\n"
	  "do_the_work thread 20 for 8 x1.00: 60=0+60+0\n" },
	{ woken_story, "asm_common_interrupt on 5 for -1 x1.00: 30=0+0+30\n"
		       "asm_common_interrupt on 5 for 8 x1.00: 50=0+50+0\n" },
	{ preempted_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for -1 x1.00: 33=0+0+33\n" },
	{ nested_story,
	  "asm_common_interrupt on 5 for 9 x1.00: 20=0+20+0\n"
	  "asm_sysvec_apic_timer_interrupt on 5 for 8 x1.00: 40=0+40+0\n" },
	{ rcu_and_nmi_story, "asm_exc_nmi on 5 for 0 x1.00: 3=3+0+0\n"
			     "free_something on 5 for 0 x2.00: 17=0+17+0\n"
			     "handle_softirqs on 5 for 0 x1.00: 0=0+0+0\n"
			     "rcu_core_si on 5 for 0 x1.00: 10=10+0+0\n" },
	{ rcu_order_story, "free_something on 5 for 0 x1.00: 5=0+5+0\n"
			   "free_something on 5 for 8 x1.00: 5=0+5+0\n"
			   "free_something on 5 for 9 x1.00: 5=0+5+0\n"
			   "handle_softirqs on 5 for 0 x1.00: 0=0+0+0\n"
			   "rcu_core_si on 5 for 0 x1.00: 20=20+0+0\n" },
	{ free_after_rcu_story,
	  "kfree_rcu_monitor thread 20 for 8 x0.25: 10=0+10+0\n"
	  "kfree_rcu_monitor thread 20 for 9 x0.75: 30=0+30+0\n" },
	{ reclaim_story, "balance_pgdat thread 20 for 8 x0.25: 10=0+10+0\n"
			 "balance_pgdat thread 20 for 9 x0.75: 30=0+30+0\n"
			 "try_to_free_pages thread 9 for 9 x1.00: 5=5+0+0\n" },
	{ irq_work_story, "asm_sysvec_irq_work on 5 for 8 x1.00: 20=0+20+0\n" },
	{ no_timer_story, "handle_softirqs on 5 for 0 x1.00: 0=0+0+0\n"
			  "run_timer_softirq on 5 for 0 x1.00: 10=0+10+0\n" },
	{ ipi_story,
	  "asm_sysvec_reschedule_ipi on 5 for 9 x1.00: 20=0+20+0\n" },
	{ untraced_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for -1 x1.00: 0=0+0+0\n"
	  "process_timeout on 5 for -1 x1.00: 20=0+0+20\n" },
	{ answer_story, "asm_common_interrupt on 8 for 8 x2.00: 60=0+60+0\n"
			"asm_common_interrupt on 9 for -1 x1.00: 30=0+0+30\n"
			"asm_common_interrupt on 9 for 8 x0.50: 15=0+15+0\n"
			"asm_common_interrupt on 9 for 9 x0.50: 15=0+15+0\n" },
	{ threaded_story, "thread_handler thread 21 for 8 x1.00: 50=0+50+0\n" },
};
