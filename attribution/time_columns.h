/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_COLUMNS_H
#define KT_ATTRIBUTION_TIME_COLUMNS_H

#include "attribution/off_cpu.h"
#include "report/record_writer.h"

#include <stdbool.h>

struct array;
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

/* Orders @list (of struct time_account) by @column, largest first, texts from
 * A to Z; NULL: by time on a CPU.
 *
 * Returns 0, or -ERROR_NOT_FOUND if there is no such column.
 */
int time_columns_sort(struct array *list, const char *column);

/* Says which columns are not known, and which option of record helps. */
void time_columns_explain(const struct time_columns *columns, FILE *out);

#endif
