/* SPDX-License-Identifier: MIT */
#include "attribution/table.h"

#include <string.h>

static const struct attribution_table *const tables[] = {
	&processes_table, &threads_table,   &servers_table,
	&requests_table,  &syscalls_table,  &sleeps_table,
	&runqueue_table,  &locks_table,	    &interrupts_table,
	&latency_table,	  &relations_table, &call_sites_table,
	&crashes_table,	  &hits_table,	    NULL,
};

const struct attribution_table *attribution_table_at(size_t index)
{
	return tables[index];
}
