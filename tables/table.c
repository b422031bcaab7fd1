/* SPDX-License-Identifier: MIT */
#include "tables/table.h"

#include "attribution/trackers.h"

#include <stdlib.h>

static const struct attribution_table *const tables[] = {
	&processes_table,
	&threads_table,
	&servers_table,
	&requests_table,
	&syscalls_table,
	&sleeps_table,
	&runqueue_table,
	&locks_table,
	&spins_table,
	&irqsoff_table,
	&preemptoff_table,
	&idle_table,
	&block_table,
	&network_table,
	&guests_table,
	&interrupts_table,
	&latency_table,
	&relations_table,
	&call_sites_table,
	&crashes_table,
	&hits_table,
	&arguments_table,
	NULL,
};

struct event_handler *
attribution_table_open(const struct attribution_table *table,
		       const struct attribution_input *input)
{
	struct event_handler *handler = calloc(1, table->size);

	if (!handler)
		return NULL;
	if (table->open(handler, input) &&
	    !trackers_follow(input->trackers, handler))
		return handler;
	attribution_table_close(table, handler);
	return NULL;
}

void attribution_table_close(const struct attribution_table *table,
			     struct event_handler *handler)
{
	if (handler)
		table->close(handler);
	free(handler);
}

const struct attribution_table *attribution_table_at(size_t index)
{
	return tables[index];
}
