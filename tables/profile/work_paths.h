/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WORK_PATHS_H
#define KT_TABLES_WORK_PATHS_H

#include "common/array.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct task_pack;

/* A task's current node in the tree. */
struct work_path {
	uint32_t node;
	uint32_t stopped;  /* while in work: the node to return to */
	uint64_t clock_ns; /* its time before this is in the tree */
	bool is_known;	   /* false: no call event yet */
	bool is_wanted;
	bool is_in_work; /* node is below the root of work */
	/* depth of the outermost function of the work, plus 1; 0: not in work
	 */
	uint32_t work_from;
};

/* The call paths of tasks in a tree in which interrupt work has a root of its
 * own, above all processes, where it stays until its beneficiary is known. A
 * task that the filter leaves out is in the tree only while in such work.
 */
struct work_paths {
	const struct profile_options *options;
	struct call_tree *tree;
	uint32_t root;	    /* root of interrupt work */
	struct array tasks; /* struct work_path by task index */
};

/* Borrows both. Returns false when out of memory. Must be closed in either
 * case.
 */
bool work_paths_open(struct work_paths *paths, struct call_tree *tree,
		     const struct profile_options *options);
void work_paths_close(struct work_paths *paths);

/* Adds a path for the new task @task and returns it; NULL when out of memory.
 */
struct work_path *work_paths_add(struct work_paths *paths,
				 const struct task *task);

/* Returns the path of @task, valid until a new task is added; NULL when out of
 * memory.
 */
static inline struct work_path *work_paths_of(struct work_paths *paths,
					      const struct task *task)
{
	struct work_path *all = paths->tasks.items;

	return task->index < paths->tasks.count && all[task->index].is_known ?
		       &all[task->index] :
		       work_paths_add(paths, task);
}

/* Returns whether the task's current function is in the tree. */
static inline bool work_path_is_shown(const struct work_path *path)
{
	return path->is_in_work || path->is_wanted;
}

/* Enters the function of @step, which starts work if @is_work and its task is
 * in none. Returns false when out of memory.
 */
bool work_paths_enter(struct work_paths *paths, struct work_path *path,
		      const struct call_step *step, bool is_work);

/* Enters the function of @step, which was open at the start of decoding, after
 * work_paths_pack() has read. Returns false when out of memory.
 */
bool work_paths_reopen(struct work_paths *paths, const struct call_step *step);

/* Leaves the innermost function. */
static inline void work_path_leave(const struct work_paths *paths,
				   struct work_path *path)
{
	if (!work_path_is_shown(path))
		return;
	path->node = call_tree_at(paths->tree, path->node)->parent;
	if (!path->is_in_work || path->node != paths->root)
		return;
	path->node = path->stopped;
	path->is_in_work = false;
	path->work_from = 0;
}

/* Writes or reads which open functions of tasks started work. After reading,
 * the open functions must be entered with work_paths_reopen(), which restores
 * the nodes.
 */
void work_paths_pack(struct work_paths *paths, const struct task_pack *tasks);

#endif
