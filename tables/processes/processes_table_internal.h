/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROCESSES_PROCESSES_TABLE_INTERNAL_H
#define KT_TABLES_PROCESSES_PROCESSES_TABLE_INTERNAL_H

#include "attribution/time/time_span.h"
#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stdio.h>

struct recorded;

/* The facts that decide which columns of the tables of processes and threads
 * are known.
 */
struct time_columns {
	struct off_cpu_evidence evidence;
	bool is_followed;  /* see time_accounts_follow() */
	bool lacks_kernel; /* its functions were not traced */
};

/* Writes which columns were not recorded, and the command to record them. */
void time_columns_explain(const struct time_columns *columns,
			  const struct recorded *recorded, FILE *out);

#endif
