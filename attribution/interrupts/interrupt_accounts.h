/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_ACCOUNTS_H
#define KT_ATTRIBUTION_INTERRUPT_ACCOUNTS_H

#include "attribution/events/event_handler.h"

#include <stdint.h>

struct attribution_input;
struct call_step;
struct interrupt_rows;
struct interrupt_slice;
struct interrupt_stack;
struct kept_file_writer;
struct pack;
struct task;
struct thread_tracker;

/* These are the kinds of kernel code that runs when its task did not choose,
 * or for another than the task that runs it.  A slice of work may be within
 * another: its time is then its own, not the outer one's.
 */
enum interrupt_kind {
	INTERRUPT_HARD, /* an interrupt of any vector, its handler */
	INTERRUPT_IPI,	/* from another CPU (or this one) */
	INTERRUPT_NMI,
	INTERRUPT_SOFTIRQ, /* a run of soft interrupts; each one's action */
	INTERRUPT_NAPI,	   /* a poll of a network device */
	INTERRUPT_TIMER,   /* a timer's function */
	INTERRUPT_HRTIMER, /* a high-resolution timer's */
	INTERRUPT_TASKLET,
	INTERRUPT_RCU,	  /* RCU callbacks */
	INTERRUPT_WORK,	  /* a work item, on a kworker's time */
	INTERRUPT_THREAD, /* a threaded handler, on its thread's time */
	INTERRUPT_KINDS,
};

/* How it is known for whom work was.
 *
 * Exact means that events prove it.  The proofs, each beside its code:
 * - system: NMIs, RCU, the tick and what interrupt_roles.c lists serve the
 *   system by definition (track_system.c, track_works.c);
 * - packets: a task reads or queued the packet (track_packets.c);
 * - requests to disks: device and sectors, from queue to completion
 *   (track_blocks.c);
 * - work items and timers: objects of one request (track_works.c,
 *   track_timers.c);
 * - soft interrupts and polls: the interrupt that raised them, which alone did
 *   (track_softirqs.c, track_polls.c);
 * - threaded handlers: they pass on the owner of their interrupt
 *   (track_wakeups.c).
 * Whatever inferred work begins is inferred: interrupt_slice_owner().
 */
enum interrupt_certainty {
	CERTAIN_EXACT,	  /* followed by the object that it was about */
	CERTAIN_INFERRED, /* from whom it woke, or the like */
	CERTAIN_NOBODY,	  /* nobody owns it */
	CERTAINTIES,
};

/* Who pays for interrupt work, and for whom it was.
 *
 * Interrupt time of a task is its traced time (call_step.clock_ns) that is
 * TIME_INTERRUPT by on_cpu_class().  All of it, the idle tasks' too, is in the
 * accounts exactly once.  Work items, threaded handlers and the soft interrupts
 * of ksoftirqd are in it as well, but are no interrupt time: their threads are
 * there for nothing else.
 *
 * Memory grows with the functions and processes seen and with the objects
 * (packets, requests, work items, timers) in flight, not with time.
 */
struct interrupt_accounts;

/* Borrows @input and @threads, which take all before.  Returns NULL when out of
 * memory.
 */
struct interrupt_accounts *
interrupt_accounts_new(const struct attribution_input *input,
		       struct thread_tracker *threads);
void interrupt_accounts_free(struct interrupt_accounts *accounts);

/* Sees slices of interrupt work begin and end, as the steps of the slice's task
 * tell it; what a slice is, is known by its end.
 */
struct interrupt_observer {
	void (*begin)(struct interrupt_observer *observer,
		      const struct interrupt_slice *slice,
		      const struct call_step *step);
	void (*end)(struct interrupt_observer *observer,
		    const struct interrupt_slice *slice,
		    const struct call_step *step);
};

/* Tells @observer, which is borrowed, up to interrupt_accounts_end(). */
void interrupt_accounts_observe(struct interrupt_accounts *accounts,
				struct interrupt_observer *observer);

/* Returns the sums (interrupt_rows.h), which are whole after
 * interrupt_accounts_end(), up to which they tell their callback.
 */
struct interrupt_rows *
interrupt_accounts_rows(const struct interrupt_accounts *accounts);

/* Returns what has to see all steps, events and records.  Owner: the accounts.  What it
 * packs is which slices are open: accounts that go on from there number slices as those
 * did that saw all, and do not know for whom they are.
 */
struct event_handler *
interrupt_accounts_handler(struct interrupt_accounts *accounts);

/* Returns the slices that @task is in now; valid until the next step of the
 * accounts.  NULL when out of memory.
 */
struct interrupt_stack *
interrupt_accounts_stack(const struct interrupt_accounts *accounts,
			 const struct task *task);

/* Records that memory ran out. */
void interrupt_accounts_fail(struct interrupt_accounts *accounts);

/* Gives what is still unknown to nobody.  Call it after the last step and before
 * anything below.
 *
 * Returns 0, or -ERROR_MEMORY if the handler ever ran out of it.
 */
int interrupt_accounts_end(struct interrupt_accounts *accounts);

/* One sum: work of one function on one thread's time for one process. */
struct interrupt_row {
	/* These are its key. */
	uint32_t kind;		 /* enum interrupt_kind */
	uint32_t is_thread_work; /* no interrupt: a kernel thread's own work */
	int32_t irq;		 /* INTERRUPT_HARD: its number, or -1 */
	uint32_t function;	 /* the handler, the action, the callback */
	uint32_t victim;	 /* index of the task on whose time it was */
	int32_t pid;		 /* for whom; 0: the system, whatever runs;
		      * -1: nobody owns it */

	int32_t victim_pid; /* 0: idle */
	int32_t victim_tid;
	double count; /* slices of work; of one that was for several,
				 * each has the part that it has of the time */
	uint64_t total_ns;
	uint64_t max_ns;		  /* most of one slice of work */
	uint64_t certain_ns[CERTAINTIES]; /* total_ns by certainty */
};

/* Returns the device of interrupt @irq, as irq_handler_entry tells it; "" if it does
 * not.
 */
const char *interrupt_accounts_device(const struct interrupt_accounts *accounts,
				      int32_t irq);

/* Keeps all slices and for whom they were from now on, whatever the window is: what
 * it shows can be read from these (tables/table_records.h), for which
 * interrupt_accounts_pack_rest() writes or reads the devices.  Accounts that read have
 * seen nothing else.
 */
void interrupt_accounts_keep(struct interrupt_accounts *accounts,
			     struct kept_file_writer *writer);
void interrupt_accounts_pack_rest(struct interrupt_accounts *accounts,
				  struct pack *pack);
void interrupt_accounts_read(struct interrupt_accounts *accounts,
			     struct pack *pack);

#endif
