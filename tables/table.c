/* SPDX-License-Identifier: MIT */
#include "tables/table.h"

#include "attribution/trackers.h"

#include <stdlib.h>
#include <string.h>

static const struct attribution_table *const tables[] = {
	&processes_table, &threads_table,   &servers_table,
	&requests_table,  &syscalls_table,  &sleeps_table,
	&runqueue_table,  &locks_table,	    &interrupts_table,
	&latency_table,	  &relations_table, &call_sites_table,
	&crashes_table,	  &hits_table,	    NULL,
};

bool attribution_table_has_column(const struct attribution_table *table,
				  const char *name)
{
	const char *word = table->columns ? table->columns : "";
	size_t length = strlen(name);

	while (*word) {
		size_t size = strcspn(word, " ");

		if (size == length && !memcmp(word, name, size))
			return true;
		word += size + (word[size] == ' ');
	}
	return false;
}

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
