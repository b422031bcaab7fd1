/* SPDX-License-Identifier: MIT */
#include "report/profile/profile.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/profile/call_tree.h"
#include "report/steps/call_frames.h"
#include "report/steps/call_stack.h"
#include "report/steps/task_choice.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

/* This file has two halves. The first removes parts from a finished tree: a
 * profile_scope chooses which of work, idle time and the tracer's work are
 * shown, and profile_scope_apply() copies the tree without the others. It sums
 * up the time of each part.
 *
 * The second fills the tree. A cursor is the current node of the running task;
 * each task's node is stored while it does not run (struct task_place).
 * consume() applies a call event; consume_plain() applies the function events
 * that need no call event, in a loop with all state in registers, because
 * nearly all events are such. Both have the same effect: invariant 3 of
 * profile.h.
 *
 * When out of memory, the profile ignores all further events, and profile_end()
 * reports it.
 */

struct cutter {
	const struct profile_scope *scope;
	const struct call_tree *from;
	struct call_tree *to;
	const uint8_t *parts; /* by node of from: enum profile_part */
	/* By node of "from": its node in "to"; for a node that is not shown,
	 * the node in "to" of its innermost shown caller.
	 */
	uint32_t *places;
};

static bool is_interrupt(enum context_kind kind)
{
	return kind == CONTEXT_INTERRUPT || kind == CONTEXT_NMI ||
	       kind == CONTEXT_SOFTIRQ;
}

bool profile_is_interrupt(const struct context_kinds *kinds, uint32_t function)
{
	return is_interrupt(context_kind_of(kinds, function));
}

const char *profile_part_name(enum profile_part part)
{
	static const char *const names[PROFILE_PARTS] = {
		[PROFILE_WORK] = "work",
		[PROFILE_IDLE] = "idle",
		[PROFILE_TRACER] = "tracer",
	};

	return names[part];
}

enum profile_part profile_part_of_task(const struct task_names *names,
				       const char *recorder, int32_t tid)
{
	if (!tid)
		return PROFILE_IDLE;
	return recorder_task_is(names, recorder, tid) ? PROFILE_TRACER :
							PROFILE_WORK;
}

enum profile_part profile_part_of_call(const struct context_kinds *kinds,
				       uint32_t function, bool ends_interrupt,
				       enum profile_part caller_part)
{
	enum context_kind kind = context_kind_of(kinds, function);

	if (ends_interrupt || is_interrupt(kind))
		return PROFILE_WORK;
	return kind == CONTEXT_TRACER ? PROFILE_TRACER : caller_part;
}

static uint8_t part_of(const struct profile_scope *scope,
		       const struct call_tree *tree, const uint8_t *parts,
		       uint32_t index)
{
	const struct call_node *node = call_tree_at(tree, index);

	if (node->parent == CALL_NODE_NONE)
		return (uint8_t)tree->links[index].part;
	return (uint8_t)profile_part_of_call(
		scope->kinds, node->function,
		node->interrupt == CALL_INTERRUPT_END,
		(enum profile_part)parts[node->parent]);
}

/* Returns an array with the part of each node, which the caller frees; NULL
 * when out of memory. Sets @time_ns to the time of each part.
 */
static uint8_t *parts_of(const struct profile_scope *scope,
			 const struct call_tree *tree,
			 uint64_t time_ns[PROFILE_PARTS])
{
	uint32_t count = call_tree_count(tree);
	uint8_t *parts = malloc((size_t)count + 1);

	memset(time_ns, 0, PROFILE_PARTS * sizeof(*time_ns));
	for (uint32_t i = 0; parts && i < count; i++) {
		parts[i] = part_of(scope, tree, parts, i);
		time_ns[parts[i]] += call_tree_at(tree, i)->self_ns;
	}
	return parts;
}

static uint32_t place_of(const struct cutter *cutter, uint32_t index)
{
	const struct call_node *node = call_tree_at(cutter->from, index);
	uint32_t caller;

	if (node->parent == CALL_NODE_NONE)
		return call_tree_root(cutter->to,
				      call_tree_pid(cutter->from, index));
	caller = cutter->places[node->parent];
	if (!cutter->scope->shows[cutter->parts[index]])
		return caller;
	return call_tree_find_child(cutter->to, caller, node->function,
				    node->interrupt);
}

/* Finds the place of node @index, and adds the node's time and counts there if
 * its part is shown. Returns false when out of memory.
 */
static bool cut(const struct cutter *cutter, uint32_t index)
{
	const struct call_node *node = call_tree_at(cutter->from, index);
	const struct call_counts calls = call_tree_calls(cutter->from, index);
	uint32_t place = place_of(cutter, index);

	cutter->places[index] = place;
	if (place == CALL_NODE_NONE)
		return false;
	if (!cutter->scope->shows[cutter->parts[index]])
		return true;
	call_tree_at(cutter->to, place)->self_ns += node->self_ns;
	call_tree_add_calls(cutter->to, place, &calls,
			    call_tree_inferred_ns(cutter->from, index));
	return true;
}

struct call_tree *profile_scope_apply(const struct profile_scope *scope,
				      const struct call_tree *tree,
				      uint64_t time_ns[PROFILE_PARTS])
{
	uint32_t count = call_tree_count(tree);
	uint8_t *parts = parts_of(scope, tree, time_ns);
	struct cutter cutter = {
		.scope = scope,
		.from = tree,
		.to = call_tree_new(),
		.parts = parts,
		.places = calloc((size_t)count + 1, sizeof(*cutter.places)),
	};
	bool is_whole = parts && cutter.to && cutter.places &&
			call_tree_reserve(cutter.to, count);

	for (uint32_t i = 0; is_whole && i < count; i++)
		is_whole = cut(&cutter, i);
	free(parts);
	free(cutter.places);
	if (is_whole)
		return cutter.to;
	call_tree_free(cutter.to);
	return NULL;
}

/* Sets @firsts, by pid, to the oldest root of each process or group: the last
 * of its roots in the list. Returns false when out of memory.
 */
static bool find_firsts(const struct call_tree *tree, struct number_map *firsts)
{
	for (uint32_t root = call_tree_first_root(tree); root != CALL_NODE_NONE;
	     root = call_tree_next_sibling(tree, root)) {
		uint64_t *first = number_map_add(
			firsts, (uint32_t)call_tree_pid(tree, root));

		if (!first)
			return false;
		*first = root;
	}
	return true;
}

/* Moves the children of @from to @to, which has a smaller number. */
static void move_children(struct call_tree *tree, uint32_t from, uint32_t to)
{
	uint32_t child = call_tree_first_child(tree, from);

	while (child != CALL_NODE_NONE) {
		uint32_t next = call_tree_next_sibling(tree, child);

		call_tree_at(tree, child)->parent = to;
		tree->links[child].next_sibling = tree->links[to].first_child;
		tree->links[to].first_child = child;
		child = next;
	}
	tree->links[from].first_child = CALL_NODE_NONE;
}

/* Moves the children of all roots of a process or group to its oldest root,
 * @firsts by pid. Newer roots come first in the list.
 */
static void join_roots(struct call_tree *tree, const struct number_map *firsts)
{
	uint32_t *link = &tree->first_root;

	while (*link != CALL_NODE_NONE) {
		uint32_t root = *link;
		uint32_t first = (uint32_t)*number_map_find(
			firsts, (uint32_t)call_tree_pid(tree, root));

		if (first == root) {
			link = &tree->links[root].next_sibling;
			continue;
		}
		*link = tree->links[root].next_sibling;
		move_children(tree, root, first);
	}
}

/* Clears the function, times and counts of node @index. */
static void hide(struct call_tree *tree, uint32_t index)
{
	struct call_node *node = call_tree_at(tree, index);

	node->function = FUNCTION_NONE;
	node->self_ns = 0;
	node->direct = 0;
	node->tail = 0;
	tree->links[index].more = 0;
}

bool profile_scope_hide(const struct profile_scope *scope,
			struct call_tree *tree, uint64_t time_ns[PROFILE_PARTS])
{
	uint32_t count = call_tree_count(tree);
	uint8_t *parts = parts_of(scope, tree, time_ns);
	struct number_map firsts = { 0 };
	bool is_whole = parts && find_firsts(tree, &firsts);

	if (is_whole) {
		call_tree_forget_slots(tree);
		for (uint32_t i = 0; i < count; i++)
			if (!scope->shows[parts[i]])
				hide(tree, i);
		join_roots(tree, &firsts);
	}
	number_map_free(&firsts);
	free(parts);
	return is_whole;
}

/* The position of a task while it is not the task of the newest call event. */
struct task_place {
	uint32_t node;
	uint64_t clock_ns; /* its time up to here is in the tree */
	bool is_wanted;
	bool is_known; /* false: it has had no call event */
};

/* The position, in a profile's tree, of the task of the newest call event. A
 * loop over many events uses its own copy, which the compiler can keep in
 * registers.
 */
struct profile_cursor {
	struct call_tree *tree;
	uint64_t clock_ns; /* the task's time up to here is in the tree */
	/* valid until a node is added, which only this cursor does */
	struct call_node *node;
	/* after a STEP_EXIT with detail 1: the function that a jump has ended,
	 * until the call event that follows; otherwise NULL
	 */
	const struct call_node *left;
	const struct profile_options *options;
	bool has_cpu; /* the task's CPU counts */
};

struct profile {
	struct step_callback callback;
	struct call_tree *tree;
	/* The task, the CPU and the position of the newest call event. */
	const struct task *task;
	uint32_t cpu;
	struct profile_cursor cursor;
	bool is_wanted;
	int status;
	struct profile_options options;
	struct array places; /* struct task_place by task index */
	uint64_t part_ns[PROFILE_PARTS];
};

enum profile_part profile_part_of(const struct profile_options *options,
				  int32_t tid)
{
	if (!options->scope || step_filter_has_tasks(options->filter))
		return PROFILE_WORK;
	return profile_part_of_task(options->names, options->recorder, tid);
}

bool profile_ends_interrupt(const struct profile_options *options,
			    const struct call_node *left)
{
	return left->interrupt == CALL_INTERRUPT_END ||
	       (options->scope &&
		profile_is_interrupt(options->scope->kinds, left->function));
}

int32_t profile_tree_of(const struct profile_options *options,
			const struct task *task)
{
	if (options->groups)
		return task_groups_of(options->groups, task);
	return options->by_process ? task->pid : -1;
}

/* Adds the time up to @clock_ns to the current node. */
static inline void cursor_pass(struct profile_cursor *cursor, uint64_t clock_ns)
{
	if (cursor->has_cpu)
		cursor->node->self_ns += clock_ns - cursor->clock_ns;
	cursor->clock_ns = clock_ns;
}

/* Counts an entry of @node, if it is in the window (@is_counted) and on a CPU
 * that counts.
 */
static inline void cursor_count(const struct profile_cursor *cursor,
				struct call_node *node, enum call_how how,
				bool is_counted)
{
	if (is_counted && cursor->has_cpu)
		call_node_count_entry(cursor->tree, node, how);
}

/* Moves to the node of @function, called by the current one, and counts the
 * entry. Returns false when out of memory.
 */
static inline bool cursor_enter(struct profile_cursor *cursor,
				uint32_t function, enum call_how how,
				bool is_counted)
{
	struct call_node *node =
		call_node_enter(cursor->tree, cursor->node, function, how);

	if (!node)
		return false;
	cursor->node = node;
	cursor_count(cursor, node, how, is_counted);
	return true;
}

/* Like cursor_enter(), for an entry by a jump that ended @left, a function with
 * the same caller.
 */
static inline bool cursor_replace(struct profile_cursor *cursor,
				  const struct call_node *left,
				  uint32_t function, bool is_counted)
{
	struct call_node *node;

	if (!profile_ends_interrupt(cursor->options, left))
		return cursor_enter(cursor, function, HOW_TAIL, is_counted);
	node = call_node_child(cursor->tree, cursor->node, function,
			       CALL_INTERRUPT_END);
	if (!node)
		return false;
	cursor->node = node;
	cursor_count(cursor, node, HOW_TAIL, is_counted);
	return true;
}

/* Returns the function that was left, valid until a node is added. */
static inline const struct call_node *
cursor_leave(struct profile_cursor *cursor)
{
	const struct call_node *left = cursor->node;

	cursor->node = call_tree_at(cursor->tree, left->parent);
	return left;
}

/* Counts a call without entering the function (STEP_COUNT). If the current
 * function calls itself, the call counts at the current node. Returns false
 * when out of memory.
 */
static inline bool cursor_local(struct profile_cursor *cursor,
				uint32_t function, enum call_how how,
				bool is_counted)
{
	if (cursor->node->function == function) {
		cursor_count(cursor, cursor->node, how, is_counted);
		return true;
	}
	if (!cursor_enter(cursor, function, how, is_counted))
		return false;
	cursor_leave(cursor);
	return true;
}

/* Applies the one or two call events of @event, which plain_call_consume()
 * (call_frames.h) applied to the stack. Returns false when out of memory.
 */
static inline bool cursor_go(struct profile_cursor *cursor,
			     const struct function_event *event,
			     uint64_t clock_ns, bool is_counted)
{
	const struct call_node *left;

	cursor_pass(cursor, clock_ns);
	if (event->kind == FUNCTION_CALL)
		return cursor_enter(cursor, event->function, HOW_CALL,
				    is_counted);
	left = cursor_leave(cursor);
	return event->kind == FUNCTION_RETURN ||
	       cursor_replace(cursor, left, event->function, is_counted);
}

static struct task_place *add_place(struct profile *profile,
				    const struct task *task)
{
	struct task_place *place = array_reach(&profile->places, task->index);

	if (!place)
		return NULL;
	place->is_known = true;
	place->is_wanted = step_filter_task(profile->options.filter, task);
	place->node = call_tree_part_root(
		profile->tree, profile_tree_of(&profile->options, task),
		profile_part_of(&profile->options, task->tid));
	return place->node == CALL_NODE_NONE ? NULL : place;
}

static struct task_place *place_of_task(struct profile *profile,
					const struct task *task)
{
	struct task_place *place = profile->places.items;

	if (task->index < profile->places.count && place[task->index].is_known)
		return &place[task->index];
	return add_place(profile, task);
}

/* Switches to the task and the CPU of @step. Returns false when out of memory.
 */
static bool go_to(struct profile *profile, const struct call_step *step)
{
	struct task_place *place;

	if (profile->task) {
		place = place_of_task(profile, profile->task);
		place->node =
			call_tree_index(profile->tree, profile->cursor.node);
		place->clock_ns = profile->cursor.clock_ns;
	}
	profile->task = NULL;
	place = place_of_task(profile, step->task);
	if (!place)
		return false;
	profile->task = step->task;
	profile->is_wanted = place->is_wanted;
	profile->cpu = step->cpu;
	profile->cursor = (struct profile_cursor){
		.tree = profile->tree,
		.clock_ns = place->clock_ns,
		.node = call_tree_at(profile->tree, place->node),
		.options = &profile->options,
		.has_cpu = step_filter_cpu(profile->options.filter, step->cpu),
	};
	return true;
}

/* Ignores all further call events. */
static void fail(struct profile *profile)
{
	profile->status = -ERROR_MEMORY;
	profile->task = NULL;
}

static void consume_elsewhere(struct profile *profile,
			      const struct call_step *step);

static inline bool is_in_window(const struct profile *profile, uint64_t time_ns)
{
	return time_window_has(profile->options.window, time_ns);
}

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct profile *profile = (struct profile *)callback;
	struct profile_cursor *cursor = &profile->cursor;
	const struct call_node *left;
	bool is_whole = true;

	if (step->task != profile->task || step->cpu != profile->cpu) {
		consume_elsewhere(profile, step);
		return;
	}
	if (!profile->is_wanted)
		return;
	cursor_pass(cursor, step->clock_ns);
	left = cursor->left;
	cursor->left = NULL;
	if (step->kind == STEP_ENTER && step->how == HOW_TAIL && left)
		is_whole = cursor_replace(cursor, left, step->function,
					  is_in_window(profile, step->time_ns));
	else if (step->kind == STEP_ENTER)
		is_whole = cursor_enter(cursor, step->function, step->how,
					is_in_window(profile, step->time_ns));
	else if (step->kind == STEP_EXIT)
		left = cursor_leave(cursor);
	else if (step->kind == STEP_COUNT)
		is_whole = cursor_local(cursor, step->function, step->how,
					is_in_window(profile, step->time_ns));
	if (step->kind == STEP_EXIT && step->detail)
		cursor->left = left;
	if (!is_whole)
		fail(profile);
}

/* Applies plain events, until one is not plain. Returns their number. Compiled
 * twice: in the usual case, @has_plain_times, all times are in the window, so
 * none is compared with it. State that changes with each event is copied, so
 * that the loop keeps it in registers.
 */
__attribute__((always_inline)) static inline uint32_t
consume_run(struct profile *profile, struct call_stack *stack,
	    const struct function_event *events, uint32_t count,
	    struct call_times *times, bool has_plain_times)
{
	struct profile_cursor cursor = profile->cursor;
	struct plain_frames open = plain_frames_of(stack);
	struct call_times now = *times;
	uint64_t ahead_ns = call_times_ahead(times);
	bool is_whole = true;
	uint32_t i;

	for (i = 0; i < count && is_whole; i++) {
		const struct function_event *event = &events[i];
		uint64_t time_ns = event->time_ns;
		uint64_t clock_ns = time_ns + ahead_ns;

		if (!has_plain_times) {
			time_ns = call_times_ns(&now, event);
			clock_ns = call_times_clock(&now, event);
		}
		if (!plain_call_consume(&open, event, time_ns, clock_ns))
			break;
		now.last_ns = time_ns;
		is_whole = cursor_go(&cursor, event, clock_ns,
				     has_plain_times ||
					     is_in_window(profile, time_ns));
	}
	plain_frames_put_back(&open, stack);
	*times = now;
	profile->cursor = cursor;
	if (!is_whole)
		fail(profile);
	return i;
}

static uint32_t consume_plain(struct step_callback *callback,
			      const struct call_step *step,
			      struct call_stack *stack,
			      const struct function_event *events,
			      uint32_t count, struct call_times *times)
{
	struct profile *profile = (struct profile *)callback;

	if (step->task != profile->task || step->cpu != profile->cpu ||
	    !profile->is_wanted || !count)
		return 0;
	if (profile->cursor.has_cpu &&
	    call_times_are_plain(times, events, &events[count - 1]))
		return consume_run(profile, stack, events, count, times, true);
	return consume_run(profile, stack, events, count, times, false);
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct profile *profile = (const struct profile *)callback;

	return time_ns >= profile->options.window.until_ns;
}

/* A separate function, so that consume() needs no stack frame. */
__attribute__((noinline)) static void
consume_elsewhere(struct profile *profile, const struct call_step *step)
{
	if (profile->status)
		return;
	if (go_to(profile, step))
		consume(&profile->callback, step);
	else
		fail(profile);
}

struct profile *profile_new(const struct profile_options *options)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->callback.consume = consume;
	profile->callback.is_done = is_done;
	profile->callback.consume_plain = consume_plain;
	profile->callback.ignores_bounds = true;
	profile->callback.ignores_cpu_order = true;
	profile->options = *options;
	profile->places = ARRAY_OF(struct task_place);
	profile->tree = call_tree_new();
	if (!profile->tree) {
		profile_free(profile);
		return NULL;
	}
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	call_tree_free(profile->tree);
	array_free(&profile->places);
	free(profile);
}

struct step_callback *profile_callback(struct profile *profile)
{
	return &profile->callback;
}

const struct call_tree *profile_tree(const struct profile *profile)
{
	return profile->tree;
}

int profile_finish_tree(const struct profile_options *options,
			struct call_tree **tree,
			uint64_t part_ns[PROFILE_PARTS])
{
	struct call_tree *whole = *tree;
	bool is_whole = true;

	if (options->scope && options->is_only_added) {
		is_whole = profile_scope_hide(options->scope, whole, part_ns);
	} else if (options->scope) {
		*tree = profile_scope_apply(options->scope, whole, part_ns);
		call_tree_free(whole);
		is_whole = *tree;
	}
	if (is_whole && !options->is_only_added)
		is_whole = call_tree_sort(*tree);
	return is_whole ? 0 : -ERROR_MEMORY;
}

int profile_end(struct profile *profile)
{
	return profile->status ?
		       profile->status :
		       profile_finish_tree(&profile->options, &profile->tree,
					   profile->part_ns);
}

const uint64_t *profile_part_times(const struct profile *profile)
{
	return profile->part_ns;
}
