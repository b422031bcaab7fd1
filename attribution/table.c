/* SPDX-License-Identifier: MIT */
#include "attribution/table.h"

#include <string.h>

static const struct attribution_table *const tables[] = {
	&processes_option,  &threads_option, &servers_table,
	&syscalls_table,    &sleeps_table,   &runqueue_table,
	&interrupts_option, &latency_option, &function_option,
	&call_sites_option, &crashes_table,  NULL,
};

const struct attribution_table *attribution_table_at(size_t index)
{
	return tables[index];
}
