/* SPDX-License-Identifier: MIT */
#include "tables/profile/wall_tree.h"

#include "attribution/events/event_handler.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/step_filter.h"
#include "report/steps/task_groups.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/profile/off_cpu_records.h"
#include "tables/profile/wall_place.h"
#include "tables/table.h"

#include <stdlib.h>

struct wall_task {
	bool is_known;
	bool is_wanted;
	struct task task;	 /* as first seen */
	struct call_tree *calls; /* the tree it is in, or NULL */
	struct wall_place place;
	uint64_t until_ns; /* end of the time in its parts */
};

struct wall_tree {
	struct event_handler handler;
	struct span_callback callback;
	const struct attribution_input *input;
	bool only_off_cpu;
	/* call events only give time on CPUs; records give the rest */
	bool is_of_window;
	struct call_tree *calls;
	/* Tasks that the filter leaves out, tracked while records of all tasks
	 * are written.
	 */
	struct call_tree *others;
	struct off_cpu_records records;
	struct array tasks; /* struct wall_task by task index */
	int status;
};

static int32_t process_of(const struct wall_tree *tree, const struct task *task)
{
	return task->pid < 0 ?
		       task_names_process(tree->input->names, task->tid) :
		       task->pid;
}

static bool is_wanted(const struct wall_tree *tree, const struct task *task)
{
	return task->tid != 0 && step_filter_task(tree->input->filter, task);
}

/* Returns the root for @task, or for its group. */
static uint32_t root_of(const struct wall_tree *tree, struct call_tree *calls,
			const struct task *task)
{
	return call_tree_root(calls, tree->input->groups ?
					     task_groups_of(tree->input->groups,
							    task) :
					     task->pid);
}

static int begin_task(struct wall_tree *tree, struct wall_task *wall,
		      const struct task *task)
{
	wall->task = *task;
	wall->task.pid = process_of(tree, task);
	wall->is_known = true;
	wall->place.parts = CALL_PARTS_EMPTY;
	wall->is_wanted = is_wanted(tree, &wall->task);
	if (wall->is_wanted)
		wall->calls = tree->calls;
	else if (tree->records.writer && task->tid)
		wall->calls = tree->others;
	/* Other tasks get no root. */
	if (!wall->calls)
		return 0;
	wall->place.node = root_of(tree, wall->calls, &wall->task);
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

/* Adds the part of @span that is in the window to the tree. */
static int book(const struct wall_tree *tree, const struct wall_place *place,
		const struct time_span *span)
{
	const struct time_window window = tree->input->window;
	struct time_span part = *span;

	if (!time_span_cut(&part, window.since_ns, window.until_ns) ||
	    !step_filter_cpu(tree->input->filter, (uint32_t)span->cpu))
		return 0;
	return wall_place_book(place, tree->calls, &part);
}

/* Writes a span to the records, and adds it to the tree unless the records do
 * so.
 */
static int take_kept(struct wall_tree *tree, const struct wall_task *wall,
		     const struct time_span *span)
{
	int status = 0;

	if (tree->records.writer)
		status = off_cpu_records_keep(&tree->records, &wall->task, span,
					      wall->calls, wall->place.node);
	if (!status && wall->is_wanted && !tree->is_of_window)
		status = book(tree, &wall->place, span);
	return status;
}

/* Untraced time on a CPU also goes to the records: such a span may be long, and
 * its class may be found only later.
 */
static int take_one(struct wall_tree *tree, const struct wall_task *wall,
		    const struct time_span *span)
{
	bool is_seen = span->time_class < TIME_RUNNABLE;

	if (tree->only_off_cpu ? wall_place_is_off(span) : !is_seen)
		return take_kept(tree, wall, span);
	return !tree->only_off_cpu && wall->is_wanted ?
		       book(tree, &wall->place, span) :
		       0;
}

static void take_span(struct span_callback *callback,
		      const struct time_span *span)
{
	struct wall_tree *tree =
		container_of(callback, struct wall_tree, callback);
	struct wall_task *wall = task_of(tree, span->task);
	int status;

	if (!wall)
		tree->status = -ERROR_MEMORY;
	if (!wall || !wall->calls)
		return;
	status = take_one(tree, wall, span);
	if (status < 0)
		tree->status = status;
	forget_parts(wall, time_window_clip(tree->input->window, span->end_ns));
}

/* Adds the time since the thread's last call event to its parts, until its span
 * arrives.
 */
static int keep_time(struct wall_tree *tree, struct wall_task *wall,
		     const struct call_step *step)
{
	uint64_t now_ns = time_window_clip(tree->input->window, step->time_ns);
	struct call_part *part;

	if (now_ns <= wall->until_ns)
		return 0;
	if (wall->until_ns &&
	    wall_place_has_function(wall->calls, &wall->place)) {
		part = call_parts_at(&wall->place.parts, wall->place.node);
		if (!part)
			return -ERROR_MEMORY;
		part->on_cpu_ns += now_ns - wall->until_ns;
		wall->place.parts_ns += now_ns - wall->until_ns;
	}
	wall->until_ns = now_ns;
	return 0;
}

/* Moves to the node of the function that @step enters. Returns false when out
 * of memory.
 */
static bool enter_node(struct wall_tree *tree, struct wall_task *wall,
		       const struct call_step *step)
{
	wall->place.node = call_tree_enter(wall->calls, wall->place.node,
					   step->function, step->how);
	if (wall->place.node == CALL_NODE_NONE)
		tree->status = -ERROR_MEMORY;
	return !tree->status;
}

static void enter(struct wall_tree *tree, struct wall_task *wall,
		  const struct call_step *step)
{
	if (enter_node(tree, wall, step) && !tree->only_off_cpu &&
	    time_window_has(tree->input->window, step->time_ns))
		call_tree_count_entry(wall->calls, wall->place.node, step->how);
}

static void move(struct wall_tree *tree, struct wall_task *wall,
		 const struct call_step *step)
{
	if (step->kind == STEP_ENTER)
		enter(tree, wall, step);
	else if (step->kind == STEP_EXIT)
		wall->place.node =
			call_tree_at(wall->calls, wall->place.node)->parent;
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
	if (tree->status || !wall->calls)
		return;
	if (!tree->only_off_cpu && keep_time(tree, wall, step) < 0)
		tree->status = -ERROR_MEMORY;
	else
		move(tree, wall, step);
}

static void take_open(struct event_handler *handler,
		      const struct call_step *step)
{
	struct wall_tree *tree = (struct wall_tree *)handler;
	struct wall_task *wall = tree->status ? NULL :
						task_of(tree, step->task);

	if (!wall)
		tree->status = -ERROR_MEMORY;
	if (!wall || !wall->calls)
		return;
	wall->until_ns = tree->input->window.since_ns;
	enter_node(tree, wall, step);
}

struct wall_tree *wall_tree_new(const struct attribution_input *input,
				bool only_off_cpu)
{
	struct wall_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->handler.step = take_step;
	tree->handler.open = take_open;
	tree->callback.take = take_span;
	tree->input = input;
	tree->only_off_cpu = only_off_cpu;
	tree->tasks = ARRAY_OF(struct wall_task);
	tree->calls = call_tree_new();
	tree->others = call_tree_new();
	if (off_cpu_records_open(&tree->records) == 0 && tree->calls &&
	    tree->others && !trackers_follow(input->trackers, &tree->handler) &&
	    !thread_tracker_hand_spans(trackers_threads(input->trackers),
				       &tree->callback, TIME_WINDOW_ALL))
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
	call_tree_free(tree->others);
	off_cpu_records_free(&tree->records);
	free(tree);
}

void wall_tree_begin_window(struct wall_tree *tree)
{
	tree->is_of_window = true;
}

void wall_tree_keep(struct wall_tree *tree, struct kept_file_writer *writer)
{
	tree->records.writer = writer;
}

void wall_tree_pack_paths(struct wall_tree *tree, struct pack *pack)
{
	off_cpu_records_pack_paths(
		&tree->records, pack,
		function_count(symbols_functions(tree->input->symbols)));
}

void wall_tree_read(struct wall_tree *tree, struct pack *pack)
{
	struct wall_place place = { .node = CALL_NODE_NONE };
	struct off_cpu_record record;
	uint32_t root;

	off_cpu_records_read(&tree->records, pack, &record);
	if (pack->failed || !is_wanted(tree, &record.task))
		return;
	root = root_of(tree, tree->calls, &record.task);
	if (root != CALL_NODE_NONE)
		place.node = off_cpu_records_place(&tree->records, record.path,
						   tree->calls, root);
	if (place.node == CALL_NODE_NONE ||
	    book(tree, &place, &record.span) < 0)
		tree->status = -ERROR_MEMORY;
}

/* Sort: after reading records, nodes are not in the order in which threads ran.
 */
int wall_tree_end(struct wall_tree *tree)
{
	if (!tree->status && !call_tree_sort(tree->calls))
		tree->status = -ERROR_MEMORY;
	return tree->status;
}

const struct call_tree *wall_tree_calls(const struct wall_tree *tree)
{
	return tree->calls;
}
