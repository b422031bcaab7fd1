/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROFILE_WALL_TREE_INTERNAL_H
#define KT_TABLES_PROFILE_WALL_TREE_INTERNAL_H

#include "attribution/time/time_span.h"
#include "report/profile/call_tree.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_input;
struct cache_file_writer;
struct pack;
struct table_records;

/* Writes or reads records of threads' time off CPUs and of their untraced time
 * on CPUs.
 */
struct off_cpu_records {
	struct cache_file_writer *writer; /* NULL: records are not written */
	struct call_tree *paths; /* stacks of the records, below one root */
	uint32_t root;
};

/* One record. */
struct off_cpu_record {
	struct task task;
	struct time_span span; /* its task points to task */
	uint32_t path;	       /* the thread's stack: a node of the paths */
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @records either way. */
int off_cpu_records_open(struct off_cpu_records *records);
void off_cpu_records_free(struct off_cpu_records *records);

/* Writes @span of @task, which left its CPU at @node of @calls. Returns 0 or
 * -ERROR_MEMORY.
 */
int off_cpu_records_keep(struct off_cpu_records *records,
			 const struct task *task, const struct time_span *span,
			 const struct call_tree *calls, uint32_t node);

/* Writes or reads the paths. They must be read before the first record;
 * @functions: number of functions.
 */
void off_cpu_records_pack_paths(struct off_cpu_records *records,
				struct pack *pack, uint32_t functions);

/* Reads a record into *@record. Fails the pack if the record is damaged. */
void off_cpu_records_read(const struct off_cpu_records *records,
			  struct pack *pack, struct off_cpu_record *record);

/* Returns the node of @calls below @root for @path of the records, added if it
 * is new; CALL_NODE_NONE when out of memory.
 */
uint32_t off_cpu_records_place(const struct off_cpu_records *records,
			       uint32_t path, struct call_tree *calls,
			       uint32_t root);

/* Every thread's time from its start to its end as a call tree with one root
 * per process: time on a CPU is in functions; other time is in an innermost
 * frame that names the thread's state, on top of its last stack (see
 * report/text/function_label.h). A process's sum is its wall_ns in `report`,
 * except the time of idle threads, which is left out unless the input has
 * with_idle or a filter of tasks: kernel threads that wait for work, and
 * threads that are asleep in all of the window.
 */
struct wall_tree;

/* Borrows @input. @only_off_cpu: add only time off CPUs. Returns NULL when out
 * of memory.
 */
struct wall_tree *wall_tree_new(const struct attribution_input *input,
				bool only_off_cpu);
void wall_tree_free(struct wall_tree *tree);

/* The records of time off CPUs and of untraced time on them; their owner is a
 * struct wall_tree. With the former, time on CPUs comes from the call events of
 * the window.
 */
extern const struct table_records wall_tree_records;
extern const struct table_records off_cpu_tree_records;

/* Returns the time of idle threads that was left out. */
uint64_t wall_tree_idle_ns(const struct wall_tree *tree);

/* Sorts the tree. Must be called after the last call event and record. Returns
 * 0, or -ERROR_MEMORY if memory ever ran out.
 */
int wall_tree_end(struct wall_tree *tree);

const struct call_tree *wall_tree_calls(const struct wall_tree *tree);

#endif
