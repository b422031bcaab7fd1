/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_COLUMNS_H
#define KT_ATTRIBUTION_TIME_COLUMNS_H

#include "attribution/off_cpu.h"
#include "report/record_writer.h"

#include <stdbool.h>

struct time_account;

/* The columns of the tables of processes and threads. */

/* What decides which there are. */
struct time_columns {
	struct off_cpu_evidence evidence;
	bool by_thread;
};

/* Writes the fields of @account. */
void time_columns_write(const struct time_columns *columns,
			struct record_writer *writer,
			const struct time_account *account);

/* Says which columns are not known, and which option of record helps. */
void time_columns_explain(const struct time_columns *columns, FILE *out);

#endif
