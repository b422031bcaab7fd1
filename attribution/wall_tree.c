/* SPDX-License-Identifier: MIT */
#include "attribution/wall_tree.h"

#include "attribution/call_parts.h"
#include "attribution/table.h"
#include "attribution/task_time.h"
#include "attribution/time_span.h"
#include "attribution/witness.h"
#include "common/error.h"
#include "report/frame_state.h"
#include "report/step_filter.h"
#include "report/task_names.h"

#include <stdlib.h>

struct wall_task {
	bool is_known;
	bool is_wanted;
	uint32_t node;			/* where it is, or left off */
	struct call_parts parts;	/* its time since its last span */
	uint64_t parts_ns;		/* of all of them */
	uint64_t until_ns;		/* up to here */
};

struct wall_tree {
	struct witness witness;
	struct span_sink sink;
	const struct attribution_input *input;
	bool only_off_cpu;
	struct task_time *time;
	struct call_tree *calls;
	struct array tasks;		/* struct wall_task by task index */
	int status;
};

static int32_t process_of(const struct wall_tree *tree, const struct task *task)
{
	return task->pid < 0 ? task_names_process(tree->input->names,
						  task->tid) :
			       task->pid;
}

static int begin_task(struct wall_tree *tree, struct wall_task *wall,
		      const struct task *task)
{
	struct task known = *task;

	known.pid = process_of(tree, task);
	wall->is_known = true;
	wall->parts = CALL_PARTS_EMPTY;
	wall->is_wanted = task->tid != 0 &&
			  step_filter_task(tree->input->filter, &known);
	/* Others get no root. */
	if (!wall->is_wanted)
		return 0;
	wall->node = call_tree_root(tree->calls, known.pid);
	return wall->node == CALL_NODE_NONE ? -ERROR_MEMORY : 0;
}

static struct wall_task *task_of(struct wall_tree *tree,
				 const struct task *task)
{
	struct wall_task *wall;

	while (tree->tasks.count <= task->index)
		if (!array_add(&tree->tasks))
			return NULL;
	wall = array_at(&tree->tasks, task->index);
	if (!wall->is_known && begin_task(tree, wall, task) < 0)
		return NULL;
	return wall;
}

static int book(struct wall_tree *tree, uint32_t node, uint64_t time_ns)
{
	if (node == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	call_tree_at(tree->calls, node)->self_ns += time_ns;
	return 0;
}

static int book_state(struct wall_tree *tree, const struct wall_task *wall,
		      enum frame_state state, uint64_t time_ns)
{
	return book(tree,
		    call_tree_child(tree->calls, wall->node,
				    frame_state_function(state), false),
		    time_ns);
}

/* Books what the thread did since its last span, all of it on a CPU. */
static int book_parts(struct wall_tree *tree, const struct wall_task *wall,
		      uint64_t time_ns)
{
	uint64_t rest_ns = time_ns;

	for (size_t i = 0; i < wall->parts.list.count; i++) {
		const struct call_part *part =
			array_at(&wall->parts.list, i);
		/* A CPU's clock may be behind the one that it came from. */
		uint64_t part_ns = part->on_cpu_ns < rest_ns ?
					   part->on_cpu_ns :
					   rest_ns;

		rest_ns -= part_ns;
		if (book(tree, part->node, part_ns) < 0)
			return -ERROR_MEMORY;
	}
	return book(tree, wall->node, rest_ns);
}

static bool has_function(const struct wall_tree *tree,
			 const struct wall_task *wall)
{
	return call_tree_at(tree->calls, wall->node)->parent != CALL_NODE_NONE;
}

static int book_span(struct wall_tree *tree, const struct wall_task *wall,
		     const struct time_span *span)
{
	uint64_t time_ns = span->end_ns - span->begin_ns;
	bool is_off = tree->only_off_cpu;

	switch ((enum time_class)span->time_class) {
	case TIME_USER:
		/* In user code that is traced there are functions. */
		if (is_off)
			return 0;
		if (has_function(tree, wall) || wall->parts_ns)
			return book_parts(tree, wall, time_ns);
		return book_state(tree, wall, FRAME_USER, time_ns);
	case TIME_SYSTEM_CALL:
	case TIME_FAULT:
	case TIME_KERNEL:
	case TIME_INTERRUPT:
		return is_off ? 0 : book_parts(tree, wall, time_ns);
	case TIME_RUNNABLE:
		return book_state(tree, wall, FRAME_RUNNABLE, time_ns);
	case TIME_ASLEEP:
		return book_state(tree, wall, FRAME_ASLEEP, time_ns);
	case TIME_UNKNOWN:
		if (is_off && span->reason < UNKNOWN_NO_EVENTS)
			return 0;
		return book_state(tree, wall,
				  FRAME_UNKNOWN_GAP + span->reason, time_ns);
	case TIME_CLASSES:
		break;
	}
	return 0;
}

static void forget_parts(struct wall_task *wall, uint64_t until_ns)
{
	call_parts_clear(&wall->parts);
	wall->parts_ns = 0;
	wall->until_ns = until_ns;
}

static void take_span(struct span_sink *sink, const struct time_span *span)
{
	struct wall_tree *tree = (struct wall_tree *)(
		(char *)sink - offsetof(struct wall_tree, sink));
	struct wall_task *wall = task_of(tree, span->task);

	if (!wall)
		tree->status = -ERROR_MEMORY;
	if (!wall || !wall->is_wanted)
		return;
	if (step_filter_cpu(tree->input->filter, (uint32_t)span->cpu) &&
	    book_span(tree, wall, span) < 0)
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
	if (wall->until_ns && has_function(tree, wall)) {
		part = call_parts_at(&wall->parts, wall->node);
		if (!part)
			return -ERROR_MEMORY;
		part->on_cpu_ns += now_ns - wall->until_ns;
		wall->parts_ns += now_ns - wall->until_ns;
	}
	wall->until_ns = now_ns;
	return 0;
}

static void move(struct wall_tree *tree, struct wall_task *wall,
		 const struct call_step *step)
{
	const struct call_node *node = call_tree_at(tree->calls, wall->node);

	if (step->kind == STEP_ENTER) {
		wall->node = call_tree_child(tree->calls, wall->node,
					     step->function,
					     step->how == HOW_BREAK ||
						     node->is_break);
		if (wall->node == CALL_NODE_NONE)
			tree->status = -ERROR_MEMORY;
		else
			call_counts_add(
				&call_tree_at(tree->calls, wall->node)->calls,
				step->how);
	} else if (step->kind == STEP_EXIT) {
		wall->node = node->parent;
	}
}

static void take_step(struct witness *witness, const struct call_step *step)
{
	struct wall_tree *tree = (struct wall_tree *)witness;
	struct wall_task *wall;

	if (tree->status)
		return;
	task_time_step(tree->time, step);
	wall = task_of(tree, step->task);
	if (!wall)
		tree->status = -ERROR_MEMORY;
	if (tree->status || !wall->is_wanted)
		return;
	if (keep_time(tree, wall, step) < 0)
		tree->status = -ERROR_MEMORY;
	else
		move(tree, wall, step);
}

static void take_event(struct witness *witness,
		       const struct event_record *event)
{
	task_time_event(((struct wall_tree *)witness)->time, event);
}

static void take_record(struct witness *witness,
			const struct sideband_record *record)
{
	task_time_record(((struct wall_tree *)witness)->time, record);
}

struct wall_tree *wall_tree_new(const struct attribution_input *input,
				bool only_off_cpu)
{
	struct wall_tree *tree = calloc(1, sizeof(*tree));
	struct task_time_options options = task_time_options_of(input);

	if (!tree)
		return NULL;
	tree->witness = (struct witness){
		.step = take_step,
		.event = take_event,
		.record = take_record,
	};
	tree->sink.take = take_span;
	tree->input = input;
	tree->only_off_cpu = only_off_cpu;
	tree->tasks = ARRAY_OF(struct wall_task);
	tree->calls = call_tree_new();
	tree->time = task_time_new(&options, &tree->sink);
	if (!tree->calls || !tree->time) {
		wall_tree_free(tree);
		return NULL;
	}
	return tree;
}

void wall_tree_free(struct wall_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->tasks.count; i++) {
		struct wall_task *wall = array_at(&tree->tasks, i);

		call_parts_free(&wall->parts);
	}
	array_free(&tree->tasks);
	call_tree_free(tree->calls);
	task_time_free(tree->time);
	free(tree);
}

struct witness *wall_tree_witness(struct wall_tree *tree)
{
	return &tree->witness;
}

int wall_tree_end(struct wall_tree *tree)
{
	int status = task_time_end(tree->time);

	return status ? status : tree->status;
}

const struct call_tree *wall_tree_calls(const struct wall_tree *tree)
{
	return tree->calls;
}
