/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GRAPH_TASKS_H
#define KT_SYMBOLIZE_GRAPH_TASKS_H

#include "common/array.h"
#include "common/number_map.h"
#include "symbolize/events/graph_task.h"

#include <stdint.h>

struct graph_roles;
struct recording;
struct symbols;

/* The tasks of a recording, which go from CPU to CPU, and the roles of its
 * functions: what the streams of all CPUs share.
 */
struct graph_tasks {
	struct graph_roles *roles;
	struct task_ids *ids;
	struct number_map places; /* in tasks */
	struct array tasks;	  /* struct graph_task * */
};

/* Borrows both until it is freed.  Returns NULL when out of memory. */
struct graph_tasks *graph_tasks_new(const struct recording *recording,
				    const struct symbols *symbols);
void graph_tasks_free(struct graph_tasks *tasks);

/* Returns task @tid, as it runs on @cpu; NULL when out of memory. */
struct graph_task *graph_tasks_get(struct graph_tasks *tasks, int32_t cpu,
				   int32_t tid);

#endif
