/* SPDX-License-Identifier: MIT */
#include "report/profile/profile.h"

#include "common/array.h"
#include "common/error.h"
#include "report/profile/profile_cursor.h"
#include "report/steps/call_frames.h"
#include "report/steps/task_choice.h"

#include <stdlib.h>

/* The position of a task while steps of other tasks are processed. */
struct task_place {
	uint32_t node;
	uint64_t clock_ns; /* its time up to here is in the tree */
	bool is_wanted;
	bool is_known; /* false: it has had no step */
};

struct profile {
	struct step_callback callback;
	struct call_tree *tree;
	/* The task, the CPU and the position of the newest step. */
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

/* Switches to the task and the CPU of @step. Returns false when out of memory.
 */
static bool go_to(struct profile *profile, const struct call_step *step)
{
	struct task_place *place;

	if (profile->task) {
		place = place_of(profile, profile->task);
		place->node =
			call_tree_index(profile->tree, profile->cursor.node);
		place->clock_ns = profile->cursor.clock_ns;
	}
	profile->task = NULL;
	place = place_of(profile, step->task);
	if (!place)
		return false;
	profile->task = step->task;
	profile->is_wanted = place->is_wanted;
	profile->cpu = step->cpu;
	profile->cursor = (struct profile_cursor){
		.tree = profile->tree,
		.clock_ns = place->clock_ns,
		.node = call_tree_at(profile->tree, place->node),
		.has_cpu = step_filter_cpu(profile->options.filter, step->cpu),
	};
	return true;
}

static inline bool is_in_window(const struct profile *profile, uint64_t time_ns)
{
	return time_window_has(profile->options.window, time_ns);
}

/* Ignores all further steps. */
static void fail(struct profile *profile)
{
	profile->status = -ERROR_MEMORY;
	profile->task = NULL;
}

static void take_elsewhere(struct profile *profile,
			   const struct call_step *step);

static void take(struct step_callback *callback, const struct call_step *step)
{
	struct profile *profile = (struct profile *)callback;
	struct profile_cursor *cursor = &profile->cursor;
	bool is_whole = true;

	if (step->task != profile->task || step->cpu != profile->cpu) {
		take_elsewhere(profile, step);
		return;
	}
	if (!profile->is_wanted)
		return;
	profile_cursor_pass(cursor, step->clock_ns);
	if (step->kind == STEP_ENTER)
		is_whole = profile_cursor_enter(
			cursor, step->function, step->how,
			is_in_window(profile, step->time_ns));
	else if (step->kind == STEP_EXIT)
		profile_cursor_leave(cursor);
	else if (step->kind == STEP_COUNT)
		is_whole = profile_cursor_local(
			cursor, step->function, step->how,
			is_in_window(profile, step->time_ns));
	if (!is_whole)
		fail(profile);
}

/* Applies plain events. Compiled twice: in the usual case @has_plain_times, in
 * which the profile counts all times, nothing is compared. State that changes
 * with each event is copied, so that the loop keeps it in registers.
 */
__attribute__((always_inline)) static inline uint32_t
take_run(struct profile *profile, struct call_stack *stack,
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
		if (!plain_call_take(&open, event, time_ns, clock_ns))
			break;
		now.last_ns = time_ns;
		is_whole = profile_cursor_go(
			&cursor, event, clock_ns,
			has_plain_times || is_in_window(profile, time_ns));
	}
	plain_frames_put_back(&open, stack);
	*times = now;
	profile->cursor = cursor;
	if (!is_whole)
		fail(profile);
	return i;
}

static uint32_t take_plain(struct step_callback *callback,
			   const struct call_step *step,
			   struct call_stack *stack,
			   const struct function_event *events, uint32_t count,
			   struct call_times *times)
{
	struct profile *profile = (struct profile *)callback;

	if (step->task != profile->task || step->cpu != profile->cpu ||
	    !profile->is_wanted || !count)
		return 0;
	if (profile->cursor.has_cpu &&
	    call_times_are_plain(times, events, &events[count - 1]))
		return take_run(profile, stack, events, count, times, true);
	return take_run(profile, stack, events, count, times, false);
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct profile *profile = (const struct profile *)callback;

	return time_ns >= profile->options.window.until_ns;
}

/* A separate function, so that take() needs no stack frame. */
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
	profile->callback.ignores_bounds = true;
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
