/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_ACCOUNTS_H
#define KT_ATTRIBUTION_INTERRUPT_ACCOUNTS_H

/* Interrupt work: on whose time it ran, and which process it was for.
 *
 *   steps  --> interrupt_steps.c: where slices of work start and end --+
 *   events --> track_*.c: which object a slice handles                 |
 *                  |                                                   v
 *                  |              interrupt_slice.c: the evidence of each slice
 *                  v                                                   |
 *              owners.c: the process that it is for                    v
 *                  +----------> interrupt_rows.c: sums by process, records
 *
 * An object tracker (object_tracker_internal.h) follows one kind of object,
 * such as packets, from event to event. It gives each object an owner, which is
 * open until some event shows the process. A slice is charged when it ends, to
 * the owners of the objects that it handled. A charge to an open owner is held
 * until the owner is resolved; if the owner's last reference is dropped before
 * that, nobody is charged.
 *
 * Invariants:
 * 1. All interrupt time of a task is in the rows exactly once: the charges of
 *    a slice add up to its own time.
 * 2. A charge is CERTAIN_EXACT only if events prove it. Work that was started
 *    by work with an inferred owner is inferred.
 * 3. The records that are cached do not depend on the window.
 *
 * One thread runs the pass. When memory runs out, interrupt_accounts_end()
 * returns -ERROR_MEMORY.
 */

#include "attribution/events/event_handler.h"
#include "attribution/interrupts/interrupt_rows.h"

#include <stdint.h>

struct attribution_input;
struct call_step;
struct interrupt_slice;
struct interrupt_stack;
struct net_callback;
struct cache_file_writer;
struct pack;
struct task;
struct thread_tracker;

/* Attributes interrupt work: on whose time it ran and to which process it is
 * charged.
 *
 * Interrupt time of a task is its traced time (call_step.whole_ns) that
 * on_cpu_class() classifies as TIME_INTERRUPT. All of it, including that of the
 * idle tasks, is in the accounts exactly once. Work items, threaded handlers
 * and the soft interrupts of ksoftirqd are in the accounts as well, but are not
 * interrupt time: their kernel threads exist only for such work.
 *
 * Memory grows with the number of functions and processes and with the objects
 * (packets, requests, work items, timers) in flight, not with time.
 */
struct interrupt_accounts;

/* Creates accounts, which borrow @input and @threads. @threads must receive
 * each step and event before the accounts do. Returns NULL when out of memory.
 */
struct interrupt_accounts *
interrupt_accounts_new(const struct attribution_input *input,
		       struct thread_tracker *threads);
void interrupt_accounts_free(struct interrupt_accounts *accounts);

/* Functions that the accounts call when slices of interrupt work start and end,
 * in the order of the steps of the slice's task. The attributes of a slice are
 * complete only at its end.
 */
struct interrupt_observer {
	void (*begin)(struct interrupt_observer *observer,
		      const struct interrupt_slice *slice,
		      const struct call_step *step);
	void (*end)(struct interrupt_observer *observer,
		    const struct interrupt_slice *slice,
		    const struct call_step *step);
};

/* Notifies @observer, which is borrowed, until interrupt_accounts_end(). */
void interrupt_accounts_observe(struct interrupt_accounts *accounts,
				struct interrupt_observer *observer);

/* Returns the sums (interrupt_rows.h). They call their callback until
 * interrupt_accounts_end(), after which they are complete.
 */
struct interrupt_rows *
interrupt_accounts_rows(const struct interrupt_accounts *accounts);

/* Passes all packets to @callback, which is borrowed, until
 * interrupt_accounts_end().
 */
void interrupt_accounts_packets(struct interrupt_accounts *accounts,
				struct net_callback *callback);

/* Returns the handler that must receive all steps, events and records. The
 * accounts own it. A checkpoint stores only which slices are open, so accounts
 * that resume from it number slices as in a pass over the whole trace, but do
 * not know the owners of the open slices.
 */
struct event_handler *
interrupt_accounts_handler(struct interrupt_accounts *accounts);

/* Returns the stack of open slices of @task; valid until the next call for
 * another task, or the next step of the accounts. NULL when out of memory.
 */
struct interrupt_stack *
interrupt_accounts_stack(const struct interrupt_accounts *accounts,
			 const struct task *task);

/* Records that memory ran out. */
void interrupt_accounts_fail(struct interrupt_accounts *accounts);

/* Ends open slices, and resolves owners that are still open to "nobody". Must
 * be called after the last step, and before interrupt_accounts_device() and
 * before the rows are read. Returns 0, or -ERROR_MEMORY if the handler ever ran
 * out of memory.
 */
int interrupt_accounts_end(struct interrupt_accounts *accounts);

/* Returns the device of interrupt @irq from irq_handler_entry; "" if unknown.
 */
const char *interrupt_accounts_device(const struct interrupt_accounts *accounts,
				      int32_t irq);

/* interrupt_accounts_keep() writes all slices and their owners from now on to
 * the cache file @writer, independent of the window. The rows of any window can
 * be computed from that file (attribution/table_records.h): by
 * interrupt_accounts_read() for each of its records, and
 * interrupt_accounts_pack_rest() for its end, which holds the names of the
 * devices. Accounts that read a cache file must not receive steps or events.
 * @handler: interrupt_accounts_handler().
 */
void interrupt_accounts_keep(struct event_handler *handler,
			     struct cache_file_writer *writer);
void interrupt_accounts_pack_rest(struct event_handler *handler,
				  struct pack *pack);
void interrupt_accounts_read(struct event_handler *handler, struct pack *pack);

#endif
