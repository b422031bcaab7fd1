/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TIME_COLUMNS_H
#define KT_TABLES_TIME_COLUMNS_H

#include "attribution/time/time_span.h"
#include "report/text/record_writer.h"

#include <stdbool.h>

struct recorded;
struct task_groups;
struct time_account;

/* The columns of the tables of processes and threads. */

/* Text splits the columns into two tables that are narrow enough to read. */
enum time_columns_part {
	TIME_COLUMNS_ALL,
	TIME_COLUMNS_CLASSES, /* where the time went */
	TIME_COLUMNS_REST,    /* the other columns, and accuracy */
};

/* The facts that decide which columns exist. */
struct time_columns {
	struct off_cpu_evidence evidence;
	bool is_followed;  /* see time_accounts_follow() */
	bool lacks_kernel; /* its functions were not traced */
	bool by_thread;
	/* groups that the rows are of; NULL: rows are tasks */
	const struct task_groups *groups;
	enum time_columns_part part;
};

/* The columns that both tables may have: the table of threads has those of
 * processes if its rows are groups.
 */
#define TIME_COLUMN_NAMES \
	"group comm threads wall_ns user_ns system_call_ns fault_ns " \
	"kernel_ns runnable_ns asleep_ns interrupt_benefited_ns " \
	"interrupt_stolen_ns tracer_ns guest_ns not_asked_ns unknown_ns " \
	"context_switches system_calls faults recorder_wait " \
	"interrupt_work_elsewhere kernel_work_elsewhere unknown_because " \
	"uncertain"

/* Writes the fields of @account. */
void time_columns_write(const struct time_columns *columns,
			struct record_writer *writer,
			const struct time_account *account);

/* Writes which columns were not recorded, and the command to record them. */
void time_columns_explain(const struct time_columns *columns,
			  const struct recorded *recorded, FILE *out);

#endif
