/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_COMM_CACHE_H
#define KT_SQL_COMM_CACHE_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_input;
struct task;
struct task_names;

/* A cache of task names, which rarely change. */
struct comm_cache {
	const struct task_names *names; /* borrowed */
	struct array comms;		/* struct cached_comm by task index */
};

struct comm_cache comm_cache_of(const struct task_names *names);
void comm_cache_free(struct comm_cache *cache);

/* Returns the name of @task at @time_ns; never NULL. */
const char *comm_cache_find(struct comm_cache *cache, const struct task *task,
			    uint64_t time_ns);

/* Returns the process of @task if it is known, otherwise -1. */
int32_t task_process(const struct task_names *names, const struct task *task);

/* Returns whether thread @tid belongs to the recorder, which reports omit
 * unless --with-tracer is given.
 */
bool task_is_recorder(const struct attribution_input *input, int32_t tid);

#endif
