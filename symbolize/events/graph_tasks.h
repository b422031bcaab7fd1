/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GRAPH_TASKS_H
#define KT_SYMBOLIZE_GRAPH_TASKS_H

#include "common/array.h"
#include "common/maps.h"
#include "symbolize/events/graph_task.h"

#include <stdint.h>

struct graph_roles;
struct recording;
struct symbols;

/* The data that the streams of all CPUs share: the tasks of a recording, which
 * move between CPUs, and the roles of functions.
 */
struct graph_tasks {
	struct graph_roles *roles;
	struct task_ids *ids;
	struct number_map places; /* index in @tasks, plus 1 */
	struct array tasks;	  /* struct graph_task * */
};

/* Borrows both arguments until it is freed. Returns NULL when out of memory. */
struct graph_tasks *graph_tasks_new(const struct recording *recording,
				    const struct symbols *symbols);
void graph_tasks_free(struct graph_tasks *tasks);

/* Returns task @tid, adding it if new; each CPU has a task 0 of its own.
 * Returns NULL when out of memory.
 */
struct graph_task *graph_tasks_get(struct graph_tasks *tasks, int32_t cpu,
				   int32_t tid);

#endif
