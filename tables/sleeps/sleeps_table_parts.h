/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLEEPS_TABLE_PARTS_H
#define KT_TABLES_SLEEPS_TABLE_PARTS_H

#include "attribution/task_tracker.h"
#include "symbolize/symbols/symbols.h"
#include "tables/sleeps/sleep_stats.h"
#include "tables/table.h"

#include <stdint.h>

struct kept_file_writer;

/* report --sleeps: where each process slept, with which stacks, and who woke
 * it.
 */
struct sleeps_table {
	struct event_handler handler;
	struct task_listener listener;
	struct attribution_input input;
	struct task_tracker *tracker;
	struct sleep_stats stats;
	struct kept_file_writer *writer; /* of records; NULL: none are kept */
	int status;			 /* of those that were read */
	uint64_t idle_count; /* left out: kernel threads wait for work */
	uint64_t idle_ns;
};

static inline const struct function_table *
sleeps_table_functions(const struct sleeps_table *table)
{
	return symbols_functions(table->input.symbols);
}

/* Writes the rows, which are sorted, and what is to be said of them.  Returns as
 * render() in struct attribution_table.
 */
int sleeps_show(const struct sleeps_table *table,
		const struct attribution_output *output);

#endif
