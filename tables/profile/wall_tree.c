/* SPDX-License-Identifier: MIT */
#include "tables/profile/wall_tree_internal.h"

#include "attribution/events/event_handler.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/table_records.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/time_span.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "report/profile/call_tree.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/text/function_label.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"

#include <stdlib.h>

/* A tree of all time. This file has three parts. A wall_place is the node of a
 * thread, at which its time is added: on a CPU by the parts of its work, off a
 * CPU in a frame below it that names the state. The off_cpu_records have paths
 * of their own, which are written and read beside the recording. The wall_tree
 * receives spans and call events and moves each thread's place.
 *
 * Paths are copied without recursion: their depth has no limit.
 */

/* A thread's current node in a call tree, and its work since its last span. */
struct wall_place {
	uint32_t node; /* current; in a gap, the last one before it */
	struct call_parts parts;
	uint64_t parts_ns; /* sum of parts */
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
	struct wait_channels *channels;
	/* sleeps of idle threads, which are not in the tree */
	uint64_t idle_ns;
	int status;
};

static int add_time(struct call_tree *calls, uint32_t node, uint64_t time_ns)
{
	if (node == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	call_tree_at(calls, node)->self_ns += time_ns;
	return 0;
}

static int book_state(struct call_tree *calls, const struct wall_place *place,
		      enum frame_state state, uint64_t time_ns)
{
	return add_time(calls,
			call_tree_child(calls, place->node,
					frame_state_function(state),
					CALL_NO_INTERRUPT),
			time_ns);
}

/* Adds @time_ns, all of it on a CPU: to each function its part since the
 * thread's last span, and the rest to the thread's current node.
 */
static int book_parts(struct call_tree *calls, const struct wall_place *place,
		      uint64_t time_ns)
{
	uint64_t rest_ns = time_ns;

	for (size_t i = 0; i < place->parts.list.count; i++) {
		const struct call_part *part = array_at(&place->parts.list, i);
		/* A CPU's clock may be earlier than the clock of the thread's
		 * previous CPU.
		 */
		uint64_t part_ns = part->on_cpu_ns < rest_ns ? part->on_cpu_ns :
							       rest_ns;

		rest_ns -= part_ns;
		if (add_time(calls, part->node, part_ns) < 0)
			return -ERROR_MEMORY;
	}
	return add_time(calls, place->node, rest_ns);
}

/* Returns whether @span is time off CPUs. */
static bool wall_place_is_off(const struct time_span *span)
{
	return span->time_class == TIME_RUNNABLE ||
	       span->time_class == TIME_ASLEEP ||
	       (span->time_class == TIME_UNKNOWN &&
		span->reason >= UNKNOWN_NO_EVENTS);
}

/* Returns whether the thread is in a function, not at its root. */
static bool wall_place_has_function(const struct call_tree *calls,
				    const struct wall_place *place)
{
	return call_tree_at(calls, place->node)->parent != CALL_NODE_NONE;
}

/* Adds @span to the tree @calls: time on a CPU by the parts, other time in a
 * frame that names the thread's state.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int wall_place_book(const struct wall_place *place,
			   struct call_tree *calls,
			   const struct time_span *span)
{
	uint64_t time_ns = span->end_ns - span->begin_ns;

	switch ((enum time_class)span->time_class) {
	case TIME_USER:
		/* Traced user code has functions; only untraced user code needs
		 * a frame.
		 */
		if (wall_place_has_function(calls, place) || place->parts_ns)
			return book_parts(calls, place, time_ns);
		return book_state(calls, place, FRAME_USER, time_ns);
	case TIME_SYSTEM_CALL:
	case TIME_FAULT:
	case TIME_RECLAIM:
	case TIME_KERNEL:
	case TIME_INTERRUPT:
	case TIME_TRACER:
		return book_parts(calls, place, time_ns);
	case TIME_GUEST:
		return book_state(calls, place, FRAME_GUEST, time_ns);
	case TIME_RUNNABLE:
	case TIME_THROTTLED:
		return book_state(calls, place, FRAME_RUNNABLE, time_ns);
	case TIME_ASLEEP:
		return book_state(calls, place, FRAME_ASLEEP, time_ns);
	case TIME_NOT_ASKED:
		return book_state(calls, place, FRAME_NOT_ASKED, time_ns);
	case TIME_UNKNOWN:
		return book_state(calls, place,
				  FRAME_UNKNOWN_GAP + span->reason, time_ns);
	case TIME_CLASSES:
		break;
	}
	return 0;
}

int off_cpu_records_open(struct off_cpu_records *records)
{
	*records = (struct off_cpu_records){ .paths = call_tree_new() };
	if (!records->paths)
		return -ERROR_MEMORY;
	records->root = call_tree_root(records->paths, 0);
	return records->root == CALL_NODE_NONE ? -ERROR_MEMORY : 0;
}

void off_cpu_records_free(struct off_cpu_records *records)
{
	call_tree_free(records->paths);
}

/* Appends @node and its callers, except the root, to @callers, innermost first.
 * Returns false when out of memory.
 */
static bool list_callers(const struct call_tree *tree, uint32_t node,
			 struct array *callers)
{
	for (; call_tree_at(tree, node)->parent != CALL_NODE_NONE;
	     node = call_tree_at(tree, node)->parent)
		if (array_append(callers, &node) < 0)
			return false;
	return true;
}

/* Returns the node of @to, below @root, for node @node of @from; CALL_NODE_NONE
 * when out of memory. Not recursive: the depth of a path has no limit in a
 * trace or file.
 */
static uint32_t copy_path(const struct call_tree *from, uint32_t node,
			  struct call_tree *to, uint32_t root)
{
	struct array callers = ARRAY_OF(uint32_t);
	uint32_t at = list_callers(from, node, &callers) ? root :
							   CALL_NODE_NONE;

	for (size_t i = callers.count; i-- > 0 && at != CALL_NODE_NONE;) {
		const uint32_t *caller = array_at(&callers, i);
		const struct call_node *item = call_tree_at(from, *caller);

		at = call_tree_find_child(to, at, item->function,
					  item->interrupt);
	}
	array_free(&callers);
	return at;
}

uint32_t off_cpu_records_place(const struct off_cpu_records *records,
			       uint32_t path, struct call_tree *calls,
			       uint32_t root)
{
	return copy_path(records->paths, path, calls, root);
}

static void pack_record(struct pack *pack, struct off_cpu_record *record)
{
	struct time_span *span = &record->span;

	task_pack_facts(pack, &record->task);
	pack_i32(pack, &span->cpu);
	pack_u64(pack, &span->begin_ns);
	pack_u64(pack, &span->end_ns);
	pack_small(pack, &span->time_class, TIME_CLASSES - 1);
	pack_small(pack, &span->reason, UNKNOWN_REASONS - 1);
	pack_u32(pack, &record->path);
}

int off_cpu_records_keep(struct off_cpu_records *records,
			 const struct task *task, const struct time_span *span,
			 const struct call_tree *calls, uint32_t node)
{
	const struct cached_span when =
		cached_span_of(span->begin_ns, span->end_ns);
	struct off_cpu_record record = {
		.task = *task,
		.span = *span,
		.path = copy_path(calls, node, records->paths, records->root),
	};

	if (record.path == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	pack_record(cache_file_writer_pack(records->writer), &record);
	cache_file_writer_add(records->writer, &when);
	return 0;
}

static void pack_path(struct call_tree *paths, struct pack *pack,
		      uint32_t number, uint32_t functions)
{
	struct call_node node = { 0 };
	bool is_interrupt;

	if (!pack->is_reading)
		node = *call_tree_at(paths, number);
	pack_u32(pack, &node.parent);
	pack_u32(pack, &node.function);
	is_interrupt = node.interrupt;
	pack_bool(pack, &is_interrupt);
	pack_check(pack, node.parent < number && node.function < functions);
	if (pack->is_reading && !pack->failed)
		pack_check(pack, call_tree_find_child(paths, node.parent,
						      node.function,
						      is_interrupt) == number);
}

void off_cpu_records_pack_paths(struct off_cpu_records *records,
				struct pack *pack, uint32_t functions)
{
	uint32_t count = call_tree_count(records->paths);

	pack_u32(pack, &count);
	for (uint32_t i = records->root + 1; i < count && !pack->failed; i++)
		pack_path(records->paths, pack, i, functions);
}

void off_cpu_records_read(const struct off_cpu_records *records,
			  struct pack *pack, struct off_cpu_record *record)
{
	*record = (struct off_cpu_record){ .path = 0 };
	pack_record(pack, record);
	pack_check(pack,
		   record->path >= records->root &&
			   record->path < call_tree_count(records->paths));
	record->span.task = &record->task;
}

struct wall_task {
	bool is_known;
	bool is_wanted;
	struct task task;	 /* as first seen */
	struct call_tree *calls; /* the tree it is in, or NULL */
	struct wall_place place;
	uint64_t until_ns; /* end of the time in its parts */
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

/* Appends the functions of a kernel thread at @node to @frames (struct
 * path_frame), outermost first, from its own function on. Returns false when
 * out of memory.
 */
static bool list_frames(const struct wall_tree *tree, uint32_t node,
			struct array *frames)
{
	const struct function_table *functions =
		symbols_functions(tree->input->symbols);
	struct array nodes = ARRAY_OF(uint32_t);
	bool is_whole = list_callers(tree->calls, node, &nodes);

	for (size_t i = nodes.count; i-- > 0 && is_whole;) {
		const uint32_t *at = array_at(&nodes, i);
		const struct path_frame frame = {
			.function = call_tree_at(tree->calls, *at)->function,
		};

		if (frames->count ||
		    !sleep_is_thread_start(
			    function_at(functions, frame.function)->base))
			is_whole = array_append(frames, &frame) == 0;
	}
	array_free(&nodes);
	return is_whole;
}

/* Returns whether a kernel thread that sleeps at @node waits for work or for a
 * timer of its own, as is_idle_sleep() of report --sleeps decides it: its own
 * function decided to wait, or the deciding function is untraced, or the sleep
 * has a timeout.
 */
static bool waits_for_work(struct wall_tree *tree, uint32_t node)
{
	const struct function_table *functions =
		symbols_functions(tree->input->symbols);
	struct array frames = ARRAY_OF(struct path_frame);
	const struct path_frame *list;
	struct wait_channel channel;
	bool is_idle = true;

	if (!list_frames(tree, node, &frames))
		tree->status = -ERROR_MEMORY;
	list = frames.items;
	if (wait_channels_find(tree->channels, list, frames.count, &channel))
		is_idle = !channel.label ||
			  (channel.label + 1 < frames.count &&
			   sleep_is_timed(
				   function_at(functions,
					       list[channel.label + 1].function)
					   ->base));
	array_free(&frames);
	return is_idle;
}

/* Returns whether @span, at @place, is the time of an idle thread. */
static bool is_idle(struct wall_tree *tree, const struct wall_place *place,
		    const struct time_span *span)
{
	const struct attribution_input *input = tree->input;
	const struct time_window window = input->window;

	if (span->time_class != TIME_ASLEEP || input->with_idle ||
	    step_filter_has_tasks(input->filter))
		return false;
	if (span->begin_ns <= window.since_ns &&
	    span->end_ns >= window.until_ns)
		return true;
	return task_names_is_of_kernel(input->names,
				       process_of(tree, span->task)) &&
	       waits_for_work(tree, place->node);
}

/* Adds the part of @span that is in the window to the tree. */
static int book_span(struct wall_tree *tree, const struct wall_place *place,
		     const struct time_span *span)
{
	const struct time_window window = tree->input->window;
	struct time_span part = *span;

	if (!time_span_cut(&part, window.since_ns, window.until_ns) ||
	    !step_filter_cpu(tree->input->filter, (uint32_t)span->cpu))
		return 0;
	if (is_idle(tree, place, span)) {
		tree->idle_ns += part.end_ns - part.begin_ns;
		return 0;
	}
	return wall_place_book(place, tree->calls, &part);
}

/* Writes a span to the records, and adds it to the tree. In the pass of a
 * window, the records that are read add it instead.
 */
static int consume_kept(struct wall_tree *tree, const struct wall_task *wall,
			const struct time_span *span)
{
	int status = 0;

	if (tree->records.writer)
		status = off_cpu_records_keep(&tree->records, &wall->task, span,
					      wall->calls, wall->place.node);
	if (!status && wall->is_wanted && !tree->is_of_window)
		status = book_span(tree, &wall->place, span);
	return status;
}

/* Adds a span of traced time on a CPU to the tree, and any other as
 * consume_kept() does: untraced time on a CPU too, because such a span may be
 * long, and its class may be found only later. With only_off_cpu, drops spans
 * on CPUs.
 */
static int consume_one(struct wall_tree *tree, const struct wall_task *wall,
		       const struct time_span *span)
{
	bool is_seen = span->time_class < TIME_RUNNABLE;

	if (tree->only_off_cpu ? wall_place_is_off(span) : !is_seen)
		return consume_kept(tree, wall, span);
	return !tree->only_off_cpu && wall->is_wanted ?
		       book_span(tree, &wall->place, span) :
		       0;
}

static void consume_span(struct span_callback *callback,
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
	status = consume_one(tree, wall, span);
	if (status < 0)
		tree->status = status;
	forget_parts(wall, time_window_clip(tree->input->window, span->end_ns));
}

/* Adds the time since the thread's last call event to its parts, where it stays
 * until the thread's next span.
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

static void consume_step(struct event_handler *handler,
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

static void consume_open(struct event_handler *handler,
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
	const struct wait_marks marks = wait_marks_of(input->recording);
	struct wall_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->handler.step = consume_step;
	tree->handler.open = consume_open;
	tree->callback.consume = consume_span;
	tree->input = input;
	tree->only_off_cpu = only_off_cpu;
	tree->tasks = ARRAY_OF(struct wall_task);
	tree->channels = wait_channels_new(symbols_functions(input->symbols),
					   input->kinds, &marks);
	tree->calls = call_tree_new();
	tree->others = call_tree_new();
	if (off_cpu_records_open(&tree->records) == 0 && tree->calls &&
	    tree->others && tree->channels &&
	    !trackers_follow(input->trackers, &tree->handler) &&
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
	wait_channels_free(tree->channels);
	off_cpu_records_free(&tree->records);
	free(tree);
}

static void begin_window(struct event_handler *handler)
{
	((struct wall_tree *)handler)->is_of_window = true;
}

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	struct wall_tree *tree = (struct wall_tree *)handler;

	off_cpu_records_pack_paths(
		&tree->records, pack,
		function_count(symbols_functions(tree->input->symbols)));
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	struct wall_tree *tree = (struct wall_tree *)handler;
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
	    book_span(tree, &place, &record.span) < 0)
		tree->status = -ERROR_MEMORY;
}

#define RECORDS_OF_TREE \
	.writer = offsetof(struct wall_tree, records.writer), \
	.pack_rest = pack_rest, .consume = consume_record, \
	.wanted = table_records_overlap

const struct table_records wall_tree_records = {
	.name = "wall",
	.checkpoints = "report_wall_index",
	.begin_window = begin_window,
	RECORDS_OF_TREE,
};

const struct table_records off_cpu_tree_records = {
	.name = "off_cpu",
	RECORDS_OF_TREE,
};

/* Sorts, since nodes made from records are not in the order in which threads
 * ran.
 */
int wall_tree_end(struct wall_tree *tree)
{
	if (!tree->status && !call_tree_sort(tree->calls))
		tree->status = -ERROR_MEMORY;
	return tree->status;
}

uint64_t wall_tree_idle_ns(const struct wall_tree *tree)
{
	return tree->idle_ns;
}

const struct call_tree *wall_tree_calls(const struct wall_tree *tree)
{
	return tree->calls;
}
