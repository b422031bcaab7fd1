/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WALL_TREE_H
#define KT_TABLES_WALL_TREE_H

#include "report/profile/call_tree.h"

#include <stdbool.h>

struct attribution_input;
struct kept_file_writer;
struct pack;

/* Every thread's time from its first to its last instant as a call tree, one
 * root a process: time on a CPU is in functions, the rest in an innermost
 * frame that says what the thread did, on top of the stack that it left: see
 * report/text/frame_state.h.  A process's sum is its wall_ns in `report`.
 */
struct wall_tree;

/* Takes only time off CPUs if @only_off_cpu.  Borrows @input.  Returns NULL
 * when out of memory.
 */
struct wall_tree *wall_tree_new(const struct attribution_input *input,
				bool only_off_cpu);
void wall_tree_free(struct wall_tree *tree);

/* These are for struct table_records: time off CPUs, and what else is not seen on
 * them.  Time on CPUs is taken from the steps of the window, if
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
