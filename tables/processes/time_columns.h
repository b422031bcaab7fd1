/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TIME_COLUMNS_H
#define KT_TABLES_TIME_COLUMNS_H

#include "attribution/time/off_cpu.h"
#include "report/text/record_writer.h"

#include <stdbool.h>

struct task_groups;
struct time_account;

/* The columns of the tables of processes and threads. */

/* Text has them in two tables, each narrow enough to be read. */
enum time_columns_part {
	TIME_COLUMNS_ALL,
	TIME_COLUMNS_CLASSES, /* where the time went */
	TIME_COLUMNS_REST,    /* what else is known, and how well */
};

/* These facts decide which columns there are. */
struct time_columns {
	struct off_cpu_evidence evidence;
	bool is_followed; /* see time_accounts_follow() */
	bool by_thread;
	const struct task_groups *groups; /* the rows are theirs; or NULL */
	enum time_columns_part part;
};

/* Writes the fields of @account. */
void time_columns_write(const struct time_columns *columns,
			struct record_writer *writer,
			const struct time_account *account);

/* Prints which columns are not known, and which option of record helps. */
void time_columns_explain(const struct time_columns *columns, FILE *out);

#endif
