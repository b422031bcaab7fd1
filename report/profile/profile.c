/* SPDX-License-Identifier: MIT */
#include "report/profile/profile.h"

#include "common/array.h"
#include "common/error.h"
#include "report/steps/plain_call.h"
#include "report/steps/step_filter.h"
#include "report/steps/task_groups.h"

#include <stdlib.h>

/* Where a task is that others' steps have come after. */
struct task_place {
	uint32_t node;
	uint64_t clock_ns; /* up to here its time is in the tree */
	bool is_wanted;
	bool is_known; /* else it has had no step */
};

struct profile {
	struct step_callback callback;
	struct call_tree *tree;
	/* The newest step's task and CPU, and where the task is. */
	const struct task *task;
	uint32_t cpu;
	uint32_t node;
	uint64_t clock_ns;
	bool is_wanted;
	bool has_cpu; /* cpu counts */
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

int32_t profile_tree_of(const struct profile_options *options,
			const struct task *task)
{
	if (options->groups)
		return task_groups_of(options->groups, task);
	return options->by_process ? task->pid : -1;
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

static struct task_place *place_of(struct profile *profile,
				   const struct task *task)
{
	struct task_place *place = profile->places.items;

	if (task->index < profile->places.count && place[task->index].is_known)
		return &place[task->index];
	return add_place(profile, task);
}

/* Goes to the task and the CPU of @step.  Returns false when out of memory. */
static bool go_to(struct profile *profile, const struct call_step *step)
{
	struct task_place *place;

	if (profile->task) {
		place = place_of(profile, profile->task);
		place->node = profile->node;
		place->clock_ns = profile->clock_ns;
	}
	profile->task = NULL;
	place = place_of(profile, step->task);
	if (!place)
		return false;
	profile->task = step->task;
	profile->node = place->node;
	profile->clock_ns = place->clock_ns;
	profile->is_wanted = place->is_wanted;
	profile->cpu = step->cpu;
	profile->has_cpu = step_filter_cpu(profile->options.filter, step->cpu);
	return true;
}

static inline void count(const struct profile *profile, uint32_t node,
			 enum call_how how, uint64_t time_ns)
{
	if (time_window_has(profile->options.window, time_ns) &&
	    profile->has_cpu)
		call_counts_add(&call_tree_at(profile->tree, node)->calls, how);
}

/* Nothing more is taken. */
static void fail(struct profile *profile)
{
	profile->status = -ERROR_MEMORY;
	profile->task = NULL;
}

/* Counts a call of @function where it leads to. */
static inline uint32_t count_child(struct profile *profile, uint32_t function,
				   enum call_how how, uint64_t time_ns)
{
	uint32_t node =
		call_tree_enter(profile->tree, profile->node, function, how);

	if (node != CALL_NODE_NONE)
		count(profile, node, how, time_ns);
	return node;
}

static inline void enter(struct profile *profile, uint32_t function,
			 enum call_how how, uint64_t time_ns)
{
	uint32_t node = count_child(profile, function, how, time_ns);

	if (node == CALL_NODE_NONE)
		fail(profile);
	else
		profile->node = node;
}

static inline void leave(struct profile *profile)
{
	profile->node = call_tree_at(profile->tree, profile->node)->parent;
}

/* The time up to @clock_ns of the task's clock was spent where it is. */
static inline void pass(struct profile *profile, uint64_t clock_ns)
{
	if (profile->has_cpu)
		call_tree_at(profile->tree, profile->node)->self_ns +=
			clock_ns - profile->clock_ns;
	profile->clock_ns = clock_ns;
}

/* A call that leads to the function itself stays in its place. */
static void count_local(struct profile *profile, const struct call_step *step)
{
	if (call_tree_at(profile->tree, profile->node)->function ==
	    step->function)
		count(profile, profile->node, step->how, step->time_ns);
	else if (count_child(profile, step->function, step->how,
			     step->time_ns) == CALL_NODE_NONE)
		fail(profile);
}

static void take_elsewhere(struct profile *profile,
			   const struct call_step *step);

static void take(struct step_callback *callback, const struct call_step *step)
{
	struct profile *profile = (struct profile *)callback;

	if (step->task != profile->task || step->cpu != profile->cpu) {
		take_elsewhere(profile, step);
		return;
	}
	if (!profile->is_wanted)
		return;
	pass(profile, step->clock_ns);
	if (step->kind == STEP_ENTER)
		enter(profile, step->function, step->how, step->time_ns);
	else if (step->kind == STEP_EXIT)
		leave(profile);
	else if (step->kind == STEP_COUNT)
		count_local(profile, step);
}

static uint32_t take_plain(struct step_callback *callback,
			   const struct call_step *step,
			   struct call_stack *stack,
			   const struct function_event *events, uint32_t count,
			   struct call_times *times)
{
	struct profile *profile = (struct profile *)callback;
	uint32_t i;

	if (step->task != profile->task || step->cpu != profile->cpu ||
	    !profile->is_wanted)
		return 0;
	for (i = 0; i < count && profile->task; i++) {
		const struct function_event *event = &events[i];
		uint64_t time_ns = call_times_ns(times, event);
		uint64_t clock_ns = call_times_clock(times, event);

		if (!plain_call_take(stack, event, time_ns, clock_ns))
			break;
		times->last_ns = time_ns;
		pass(profile, clock_ns);
		if (event->kind != FUNCTION_CALL)
			leave(profile);
		if (event->kind == FUNCTION_CALL)
			enter(profile, event->function, HOW_CALL, time_ns);
		else if (event->kind == FUNCTION_TAIL_CALL)
			enter(profile, event->function, HOW_TAIL, time_ns);
	}
	return i;
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct profile *profile = (const struct profile *)callback;

	return time_ns >= profile->options.window.until_ns;
}

/* Kept apart, so that take() needs no room on the stack. */
__attribute__((noinline)) static void
take_elsewhere(struct profile *profile, const struct call_step *step)
{
	if (profile->status)
		return;
	if (go_to(profile, step))
		take(&profile->callback, step);
	else
		fail(profile);
}

struct profile *profile_new(const struct profile_options *options)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->callback.take = take;
	profile->callback.is_done = is_done;
	profile->callback.take_plain = take_plain;
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

int profile_finish_tree(const struct profile_scope *scope,
			struct call_tree **tree,
			uint64_t part_ns[PROFILE_PARTS])
{
	struct call_tree *whole = *tree;

	if (scope) {
		*tree = profile_scope_apply(scope, whole, part_ns);
		call_tree_free(whole);
	}
	return *tree && call_tree_sort(*tree) ? 0 : -ERROR_MEMORY;
}

int profile_end(struct profile *profile)
{
	return profile->status ?
		       profile->status :
		       profile_finish_tree(profile->options.scope,
					   &profile->tree, profile->part_ns);
}

const uint64_t *profile_part_times(const struct profile *profile)
{
	return profile->part_ns;
}
