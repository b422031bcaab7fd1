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

/* Where a task is in the tree. */
struct work_path {
	uint32_t node;
	uint32_t stopped;  /* in work: where it goes on afterwards */
	uint64_t clock_ns; /* up to here its time is in the tree */
	bool is_known;	   /* else it has had no step */
	bool is_wanted;
	bool is_in_work;    /* node is below the root of work */
	uint32_t work_from; /* depth of the outermost function there, plus 1;
			     * 0: it is in none, and leads to none */
};

/* The call paths of tasks in a tree in which interrupt work has a root of its own, above
 * all processes: there it is until it is known whose it is.  A task that is not wanted
 * is in the tree while it is in such work.
 */
struct work_paths {
	const struct profile_options *options;
	struct call_tree *tree;
	uint32_t root;	    /* of work */
	struct array tasks; /* struct work_path by task index */
};

/* Borrows both.  Returns false when out of memory; it can be closed all the same. */
bool work_paths_open(struct work_paths *paths, struct call_tree *tree,
		     const struct profile_options *options);
void work_paths_close(struct work_paths *paths);

/* Returns the path of @task, which is new; NULL when out of memory. */
struct work_path *work_paths_add(struct work_paths *paths,
				 const struct task *task);

/* Returns the path of @task, valid until that of a new one is asked for; NULL when out
 * of memory.
 */
static inline struct work_path *work_paths_of(struct work_paths *paths,
					      const struct task *task)
{
	struct work_path *all = paths->tasks.items;

	return task->index < paths->tasks.count && all[task->index].is_known ?
		       &all[task->index] :
		       work_paths_add(paths, task);
}

/* Returns whether what the task does now is in the tree. */
static inline bool work_path_is_shown(const struct work_path *path)
{
	return path->is_in_work || path->is_wanted;
}

/* Enters the function of @step, which begins work if @is_work and its task is in none.
 * Returns false when out of memory.
 */
bool work_paths_enter(struct work_paths *paths, struct work_path *path,
		      const struct call_step *step, bool is_work);

/* Enters the function of @step, which was open already where the steps begin, when the
 * paths were read.  Returns as work_paths_enter().
 */
bool work_paths_reopen(struct work_paths *paths, const struct call_step *step);

/* The innermost function ends. */
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

/* Writes which functions of tasks begin work, or reads it: the functions that are open,
 * which come next, lead to where the tasks are.
 */
void work_paths_pack(struct work_paths *paths, const struct task_pack *tasks);

#endif
