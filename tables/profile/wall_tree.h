/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WALL_TREE_H
#define KT_TABLES_WALL_TREE_H

#include "report/profile/call_tree.h"

#include <stdbool.h>

struct attribution_input;
struct kept_file_writer;
struct pack;

/* Every thread's time from its start to its end as a call tree with one root
 * per process: time on a CPU is in functions; other time is in an innermost
 * frame that names the thread's state, on top of its last stack (see
 * report/text/function_label.h). A process's sum is its wall_ns in `report`.
 */
struct wall_tree;

/* Borrows @input. @only_off_cpu: add only time off CPUs. Returns NULL when out
 * of memory.
 */
struct wall_tree *wall_tree_new(const struct attribution_input *input,
				bool only_off_cpu);
void wall_tree_free(struct wall_tree *tree);

/* Members of struct table_records. Records are of time off CPUs and of untraced
 * time on them. Time on CPUs comes from the call events of the window if
 * wall_tree_begin_window() was called before these.
 */
void wall_tree_begin_window(struct wall_tree *tree);
void wall_tree_keep(struct wall_tree *tree, struct kept_file_writer *writer);
void wall_tree_pack_paths(struct wall_tree *tree, struct pack *pack);
void wall_tree_read(struct wall_tree *tree, struct pack *pack);

/* Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory. */
int wall_tree_end(struct wall_tree *tree);

const struct call_tree *wall_tree_calls(const struct wall_tree *tree);

#endif
