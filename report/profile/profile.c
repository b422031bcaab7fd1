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

static struct task_place *place_of(struct profile *profile,
				   const struct task *task)
{
	struct task_place *place = profile->places.items;

	if (task->index < profile->places.count &&
	    place[task->index].is_known)
		return &place[task->index];
	return add_place(profile, task);
}

static bool is_counted(const struct profile *profile,
		       const struct call_step *step)
{
	return step->time_ns >= profile->options.window.since_ns &&
	       step->time_ns < profile->options.window.until_ns &&
	       step_filter_cpu(profile->options.filter, step->cpu);
}

static uint32_t child_for(struct profile *profile, uint32_t parent,
			  const struct call_step *step)
{
	bool is_break = step->how == HOW_BREAK ||
			call_tree_at(profile->tree, parent)->is_break;

	return call_tree_child(profile->tree, parent, step->function,
			       is_break);
}

static void enter(struct profile *profile, struct task_place *place,
		  const struct call_step *step)
{
	uint32_t node = child_for(profile, place->node, step);

	if (node == CALL_NODE_NONE) {
		profile->status = -ERROR_MEMORY;
		return;
	}
	place->node = node;
	if (is_counted(profile, step))
		call_counts_add(&call_tree_at(profile->tree, node)->calls,
				step->how);
}

static void count(struct profile *profile, const struct task_place *place,
		  const struct call_step *step)
{
	uint32_t node = place->node;

	if (call_tree_at(profile->tree, node)->function != step->function)
		node = child_for(profile, node, step);
	if (node == CALL_NODE_NONE)
		profile->status = -ERROR_MEMORY;
	else if (is_counted(profile, step))
		call_counts_add(&call_tree_at(profile->tree, node)->calls,
				step->how);
}

static void charge(struct profile *profile, struct task_place *place,
		   const struct call_step *step)
{
	if (step_filter_cpu(profile->options.filter, step->cpu))
		call_tree_at(profile->tree, place->node)->self_ns +=
			step->clock_ns - place->clock_ns;
	place->clock_ns = step->clock_ns;
}

static void take(struct step_sink *sink, const struct call_step *step)
{
	struct profile *profile = (struct profile *)sink;
	struct task_place *place = place_of(profile, step->task);

	if (!place || profile->status) {
		profile->status = -ERROR_MEMORY;
		return;
	}
	if (!place->is_wanted)
		return;
	charge(profile, place, step);
	if (step->kind == STEP_ENTER)
		enter(profile, place, step);
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
