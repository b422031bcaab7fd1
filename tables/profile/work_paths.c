/* SPDX-License-Identifier: MIT */
#include "tables/profile/work_paths.h"

#include "common/bytes.h"
#include "report/steps/step_filter.h"
#include "report/steps/task_pack.h"

/* The root's number, which no process has. */
enum { WORK_PID = -2 };

bool work_paths_open(struct work_paths *paths, struct call_tree *tree,
		     const struct profile_options *options)
{
	*paths = (struct work_paths){
		.options = options,
		.tree = tree,
		.root = call_tree_part_root(tree, WORK_PID, PROFILE_WORK),
		.tasks = ARRAY_OF(struct work_path),
	};
	return paths->root != CALL_NODE_NONE;
}

void work_paths_close(struct work_paths *paths)
{
	array_free(&paths->tasks);
}

struct work_path *work_paths_add(struct work_paths *paths,
				 const struct task *task)
{
	struct work_path *path = array_reach(&paths->tasks, task->index);

	if (!path)
		return NULL;
	path->is_known = true;
	path->is_wanted = step_filter_task(paths->options->filter, task);
	path->node = call_tree_part_root(
		paths->tree, profile_tree_of(paths->options, task),
		profile_part_of(paths->options, task->tid));
	return path->node == CALL_NODE_NONE ? NULL : path;
}

static void begin_work(const struct work_paths *paths, struct work_path *path,
		       uint32_t depth)
{
	path->stopped = path->node;
	path->node = paths->root;
	path->is_in_work = true;
	path->work_from = depth + 1;
}

static bool enter(struct work_paths *paths, struct work_path *path,
		  const struct call_step *step)
{
	if (!work_path_is_shown(path))
		return true;
	path->node = call_tree_enter(paths->tree, path->node, step->function,
				     step->how);
	return path->node != CALL_NODE_NONE;
}

bool work_paths_enter(struct work_paths *paths, struct work_path *path,
		      const struct call_step *step, bool is_work)
{
	if (is_work && !path->is_in_work)
		begin_work(paths, path, step->depth);
	return enter(paths, path, step);
}

bool work_paths_reopen(struct work_paths *paths, const struct call_step *step)
{
	struct work_path *path = work_paths_of(paths, step->task);

	if (path && step->depth + 1 == path->work_from)
		begin_work(paths, path, step->depth);
	return path && enter(paths, path, step);
}

void work_paths_pack(struct work_paths *paths, const struct task_pack *tasks)
{
	uint32_t count = (uint32_t)paths->tasks.count;

	pack_u32(tasks->pack, &count);
	task_pack_check(tasks, count);
	for (uint32_t i = 0; i < count && !tasks->pack->failed; i++) {
		struct work_path *path = array_reach(&paths->tasks, i);

		pack_check(tasks->pack, path);
		if (path)
			pack_u32(tasks->pack, &path->work_from);
	}
}
