/* SPDX-License-Identifier: MIT */
#include "report/profile/profile.h"

#include "common/array.h"
#include "common/error.h"
#include "report/steps/step_filter.h"

#include <stdlib.h>

struct task_place {
	uint32_t node;		/* CALL_NODE_NONE before its first step */
	uint64_t clock_ns;	/* up to here its time is in the tree */
	bool is_wanted;
	bool is_known;
};

struct profile {
	struct step_sink sink;
	struct profile_options options;
	struct call_tree *tree;
	struct array places;	/* struct task_place by task index */
	const struct task *task;	/* of the newest step, and its place */
	struct task_place *place;
	bool has_cpus;		/* only some CPUs count */
	int status;
};

static struct task_place *add_place(struct profile *profile,
				    const struct task *task)
{
	struct task_place *place;

	place = array_reach(&profile->places, task->index);
	if (!place)
		return NULL;
	place->is_known = true;
	place->is_wanted = step_filter_task(profile->options.filter, task);
	place->node = call_tree_root(
		profile->tree, profile->options.by_process ? task->pid : -1);
	return place->node == CALL_NODE_NONE ? NULL : place;
}

/* Returns false when out of memory. */
static bool go_to_task(struct profile *profile, const struct task *task)
{
	struct task_place *place = profile->places.items;

	if (task->index < profile->places.count && place[task->index].is_known)
		place += task->index;
	else
		place = add_place(profile, task);
	profile->task = task;
	profile->place = place;
	return place;
}

static bool has_cpu(const struct profile *profile, const struct call_step *step)
{
	return !profile->has_cpus ||
	       step_filter_cpu(profile->options.filter, step->cpu);
}

static void count_call(const struct profile *profile, uint32_t node,
		       const struct call_step *step)
{
	if (step->time_ns >= profile->options.window.since_ns &&
	    step->time_ns < profile->options.window.until_ns &&
	    has_cpu(profile, step))
		call_counts_add(&call_tree_at(profile->tree, node)->calls,
				step->how);
}

/* Returns where @step leads to from @parent. */
static inline uint32_t child_for(struct profile *profile, uint32_t parent,
				 const struct call_step *step)
{
	bool is_break = step->how == HOW_BREAK ||
			call_tree_at(profile->tree, parent)->is_break;
	uint32_t node = call_tree_child(profile->tree, parent, step->function,
					is_break);

	if (node == CALL_NODE_NONE)
		profile->status = -ERROR_MEMORY;
	else
		count_call(profile, node, step);
	return node;
}

static void count(struct profile *profile, const struct task_place *place,
		  const struct call_step *step)
{
	if (call_tree_at(profile->tree, place->node)->function !=
	    step->function)
		child_for(profile, place->node, step);
	else
		count_call(profile, place->node, step);
}

static void charge(const struct profile *profile, struct task_place *place,
		   const struct call_step *step)
{
	if (has_cpu(profile, step))
		call_tree_at(profile->tree, place->node)->self_ns +=
			step->clock_ns - place->clock_ns;
	place->clock_ns = step->clock_ns;
}

static void take(struct step_sink *sink, const struct call_step *step)
{
	struct profile *profile = (struct profile *)sink;
	struct task_place *place;

	if (profile->status ||
	    (step->task != profile->task && !go_to_task(profile, step->task))) {
		profile->status = -ERROR_MEMORY;
		return;
	}
	place = profile->place;
	if (!place->is_wanted)
		return;
	charge(profile, place, step);
	if (step->kind == STEP_ENTER)
		place->node = child_for(profile, place->node, step);
	else if (step->kind == STEP_EXIT)
		place->node = call_tree_at(profile->tree, place->node)->parent;
	else if (step->kind == STEP_COUNT)
		count(profile, place, step);
}

struct profile *profile_new(const struct profile_options *options)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->sink.take = take;
	profile->options = *options;
	profile->has_cpus = options->filter && options->filter->cpu_count;
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

struct step_sink *profile_sink(struct profile *profile)
{
	return &profile->sink;
}

const struct call_tree *profile_tree(const struct profile *profile)
{
	return profile->tree;
}

int profile_status(const struct profile *profile)
{
	return profile->status;
}
