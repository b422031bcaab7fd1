/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROCESSES_PROCESSES_TABLE_H
#define KT_TABLES_PROCESSES_PROCESSES_TABLE_H

#include "attribution/time/time_span.h"
#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stdio.h>

struct recorded;
struct task_groups;

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

/* Writes which columns were not recorded, and the command to record them. */
void time_columns_explain(const struct time_columns *columns,
			  const struct recorded *recorded, FILE *out);

#endif
