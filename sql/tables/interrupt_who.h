/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_INTERRUPT_WHO_H
#define KT_SQL_INTERRUPT_WHO_H

#include "sql/rows/row_out.h"

#include <stdint.h>

struct attribution_input;
struct interrupt_row;

/* Columns that several tables share, as a contiguous group: the kind of
 * interrupt work, the interrupted thread, and the beneficiary.
 */
enum interrupt_who {
	WHO_KIND,
	WHO_FUNCTION,
	WHO_IRQ,
	WHO_IS_THREAD,
	WHO_ON_PID,
	WHO_ON_TID,
	WHO_ON_COMM,
	WHO_FOR_PID,
	WHO_FOR_COMM,
	WHO_COLUMNS,
};

/* Initializers of these columns, from column @first on. */
#define INTERRUPT_WHO_COLUMNS(first) \
	[(first) + \
		WHO_KIND] = { "kind", SQL_TEXT, ROLE_NONE, "", \
			      "interrupt, ipi, nmi, softirq, napi, timer, " \
			      "hrtimer, tasklet, rcu, work_item, " \
			      "threaded_handler" }, \
		[(first) + \
			WHO_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, \
					  "", \
					  "the handler, action or callback" }, \
		[(first) + WHO_IRQ] = { "irq", SQL_INTEGER, ROLE_NONE, "", \
					"interrupt number; NULL if none is " \
					"known" }, \
		[(first) + \
			WHO_IS_THREAD] = { "is_thread_work", SQL_INTEGER, \
					   ROLE_NONE, "", \
					   "1: not an interrupt but the " \
					   "purpose of a kernel thread, such " \
					   "as a work item" }, \
		[(first) + \
			WHO_ON_PID] = { "on_pid", SQL_INTEGER, ROLE_NONE, "", \
					"process on whose time the work ran; " \
					"0: idle CPU" }, \
		[(first) + WHO_ON_TID] = { "on_tid", SQL_INTEGER, ROLE_NONE, \
					   "", "its thread" }, \
		[(first) + WHO_ON_COMM] = { "on_comm", SQL_TEXT, ROLE_NONE, \
					    "", \
					    "last name of that process, or " \
					    "idle" }, \
		[(first) + \
			WHO_FOR_PID] = { "for_pid", SQL_INTEGER, ROLE_NONE, \
					 "", \
					 "beneficiary: process that the work " \
					 "is charged to; 0: the system as a " \
					 "whole; NULL: no known " \
					 "beneficiary" }, \
		[(first) + WHO_FOR_COMM] = { \
			"for_comm", SQL_TEXT, ROLE_NONE, "", \
			"last name of the beneficiary, system or nobody" \
		}

/* The events that these columns need, the first of which is column @first. */
#define INTERRUPT_WHO_NEEDS(first) \
	{ .event = RECORDED_KERNEL }, \
		{ SQL_COLUMN((first) + WHO_IRQ), NULL, EVENT_IRQ_ENTRY, 0 }, \
		{ INTERRUPT_WHO_FOR(first), "soft interrupts", \
		  EVENT_SOFTIRQ_RAISE, 0 }, \
		{ INTERRUPT_WHO_FOR(first), "interrupts that wake", \
		  EVENT_SCHED_WAKING, 0 }, \
		{ INTERRUPT_WHO_FOR(first), "timers", EVENT_HRTIMER_EXPIRE, \
		  0 }, \
		{ INTERRUPT_WHO_FOR(first), "work items", EVENT_WORK_BEGIN, \
		  0 }, \
		{ INTERRUPT_WHO_FOR(first), "disks", EVENT_BIO_QUEUE, 0 }, \
	{ \
		INTERRUPT_WHO_FOR(first), "packets", EVENT_NET_RECEIVE, 0 \
	}

#define INTERRUPT_WHO_FOR(first) \
	(SQL_COLUMN((first) + WHO_FOR_PID) | SQL_COLUMN((first) + WHO_FOR_COMM))

/* Fills these columns of the current row of @out, from column @first on, for
 * the work of @row and process @pid as in struct interrupt_row.
 */
void interrupt_who_fill(const struct attribution_input *input,
			struct row_out *out, union sql_cell *cells,
			uint32_t first, const struct interrupt_row *row,
			int32_t pid);

#endif
