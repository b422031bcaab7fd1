/* SPDX-License-Identifier: MIT */
#include "tables/profile/wall_tree.h"

#include "attribution/events/event_handler.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/step_filter.h"
#include "report/steps/task_groups.h"
#include "report/text/task_names.h"
#include "tables/profile/wall_place.h"
#include "tables/table.h"

#include <stdlib.h>

struct wall_task {
	bool is_known;
	bool is_wanted;
	struct wall_place place;
	uint64_t until_ns; /* its parts go up to here */
};

struct wall_tree {
	struct event_handler handler;
	struct span_callback callback;
	const struct attribution_input *input;
	bool only_off_cpu;
	struct call_tree *calls;
	struct array tasks; /* struct wall_task by task index */
	int status;
};

static int32_t process_of(const struct wall_tree *tree, const struct task *task)
{
	return task->pid < 0 ?
		       task_names_process(tree->input->names, task->tid) :
		       task->pid;
}

static int begin_task(struct wall_tree *tree, struct wall_task *wall,
		      const struct task *task)
{
	struct task known = *task;

	known.pid = process_of(tree, task);
	wall->is_known = true;
	wall->place.parts = CALL_PARTS_EMPTY;
	wall->is_wanted = task->tid != 0 &&
			  step_filter_task(tree->input->filter, &known);
	/* Others get no root. */
	if (!wall->is_wanted)
		return 0;
	wall->place.node = call_tree_root(
		tree->calls, tree->input->groups ?
				     task_groups_of(tree->input->groups, task) :
				     known.pid);
	return wall->place.node == CALL_NODE_NONE ? -ERROR_MEMORY : 0;
}

static struct wall_task *task_of(struct wall_tree *tree,
				 const struct task *task)
{
	struct wall_task *wall;

	wall = array_reach(&tree->tasks, task->index);
	if (!wall)
		return NULL;
	if (!wall->is_known && begin_task(tree, wall, task) < 0)
		return NULL;
	return wall;
}

static void forget_parts(struct wall_task *wall, uint64_t until_ns)
{
	call_parts_clear(&wall->place.parts);
	wall->place.parts_ns = 0;
	wall->until_ns = until_ns;
}

static void take_span(struct span_callback *callback,
		      const struct time_span *span)
{
	struct wall_tree *tree =
		container_of(callback, struct wall_tree, callback);
	struct wall_task *wall = task_of(tree, span->task);

	if (!wall)
		tree->status = -ERROR_MEMORY;
	if (!wall || !wall->is_wanted)
		return;
	if (step_filter_cpu(tree->input->filter, (uint32_t)span->cpu) &&
	    wall_place_book(&wall->place, tree->calls, tree->only_off_cpu,
			    span) < 0)
		tree->status = -ERROR_MEMORY;
	forget_parts(wall, span->end_ns);
}

static uint64_t within(struct time_window window, uint64_t time_ns)
{
	if (time_ns < window.since_ns)
		return window.since_ns;
	return time_ns > window.until_ns ? window.until_ns : time_ns;
}

/* Keeps the time since the thread's last step until its span comes. */
static int keep_time(struct wall_tree *tree, struct wall_task *wall,
		     const struct call_step *step)
{
	uint64_t now_ns = within(tree->input->window, step->time_ns);
	struct call_part *part;

	if (now_ns <= wall->until_ns)
		return 0;
	if (wall->until_ns &&
	    wall_place_has_function(tree->calls, &wall->place)) {
		part = call_parts_at(&wall->place.parts, wall->place.node);
		if (!part)
			return -ERROR_MEMORY;
		part->on_cpu_ns += now_ns - wall->until_ns;
		wall->place.parts_ns += now_ns - wall->until_ns;
	}
	wall->until_ns = now_ns;
	return 0;
}

static void enter(struct wall_tree *tree, struct wall_place *place,
		  const struct call_step *step)
{
	place->node = call_tree_enter(tree->calls, place->node, step->function,
				      step->how);
	if (place->node == CALL_NODE_NONE)
		tree->status = -ERROR_MEMORY;
	else
		call_tree_count_entry(tree->calls, place->node, step->how);
}

static void move(struct wall_tree *tree, struct wall_place *place,
		 const struct call_step *step)
{
	if (step->kind == STEP_ENTER)
		enter(tree, place, step);
	else if (step->kind == STEP_EXIT)
		place->node = call_tree_at(tree->calls, place->node)->parent;
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct wall_tree *tree = (struct wall_tree *)handler;
	struct wall_task *wall;

	if (tree->status)
		return;
	wall = task_of(tree, step->task);
	if (!wall)
		tree->status = -ERROR_MEMORY;
	if (tree->status || !wall->is_wanted)
		return;
	if (keep_time(tree, wall, step) < 0)
		tree->status = -ERROR_MEMORY;
	else
		move(tree, &wall->place, step);
}

struct wall_tree *wall_tree_new(const struct attribution_input *input,
				bool only_off_cpu)
{
	struct wall_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->handler.step = take_step;
	tree->callback.take = take_span;
	tree->input = input;
	tree->only_off_cpu = only_off_cpu;
	tree->tasks = ARRAY_OF(struct wall_task);
	tree->calls = call_tree_new();
	if (tree->calls && !trackers_follow(input->trackers, &tree->handler) &&
	    !thread_tracker_hand_spans(trackers_threads(input->trackers),
				       &tree->callback, input->window))
		return tree;
	wall_tree_free(tree);
	return NULL;
}

void wall_tree_free(struct wall_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->tasks.count; i++) {
		struct wall_task *wall = array_at(&tree->tasks, i);

		call_parts_free(&wall->place.parts);
	}
	array_free(&tree->tasks);
	call_tree_free(tree->calls);
	free(tree);
}

int wall_tree_end(const struct wall_tree *tree)
{
	return tree->status;
}

const struct call_tree *wall_tree_calls(const struct wall_tree *tree)
{
	return tree->calls;
}
