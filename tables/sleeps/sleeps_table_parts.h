/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLEEPS_TABLE_PARTS_H
#define KT_TABLES_SLEEPS_TABLE_PARTS_H

#include "attribution/task_tracker.h"
#include "symbolize/symbols/symbols.h"
#include "tables/sleeps/sleep_stats.h"
#include "tables/table.h"

#include <stdint.h>

struct kept_file_writer;

/* report --sleeps: the sleeps of each process, by stack and waker. */
struct sleeps_table {
	struct event_handler handler;
	struct task_listener listener;
	struct attribution_input input;
	struct task_tracker *tracker;
	struct sleep_stats stats;
	/* of records; NULL: records are not written */
	struct kept_file_writer *writer;
	int status; /* error while reading records */
	/* sleeps left out: kernel threads that waited for work */
	uint64_t idle_count;
	uint64_t idle_ns;
};

static inline const struct function_table *
sleeps_table_functions(const struct sleeps_table *table)
{
	return symbols_functions(table->input.symbols);
}

/* Writes the sorted rows, and notes on them. Returns like render() in struct
 * attribution_table.
 */
int sleeps_show(const struct sleeps_table *table,
		const struct attribution_output *output);

#endif
