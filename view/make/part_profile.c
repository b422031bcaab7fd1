/* SPDX-License-Identifier: MIT */
#include "view/make/part_profile.h"

#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "view/data/call_sums.h"
#include "view/data/summary.h"

#include <stdlib.h>

/* Where a thread is in the tree. */
struct thread_place {
	uint32_t node;
	bool is_known;
	uint64_t clock_ns; /* up to here its time is in a part */
};

/* This is what a CPU does: while it is traced, the clock of its thread goes. */
struct profile_cpu {
	uint32_t number;
	bool is_traced;
	uint64_t last_ns;
};

struct part_profile {
	struct view_summary *summary;
	struct call_tree *tree;	 /* its nodes are the places */
	struct call_tree *paths; /* those of all threads as one */
	struct array threads;	 /* struct thread_place */
	struct array cpus;	 /* struct profile_cpu */
	uint64_t part_ns;
	struct call_part_sums part; /* that goes on */
	struct array where;	    /* uint32_t by node: the number of its
					 * sum in the part, + 1; 0: none */
	int status;
};

struct part_profile *part_profile_new(struct view_summary *summary,
				      uint64_t part_ns)
{
	struct part_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->summary = summary;
	profile->part_ns = part_ns;
	profile->threads = ARRAY_OF(struct thread_place);
	profile->cpus = ARRAY_OF(struct profile_cpu);
	profile->where = ARRAY_OF(uint32_t);
	profile->part = (struct call_part_sums){
		.begin_ns = summary->first_ns,
		.end_ns = summary->first_ns + part_ns,
		.sums = ARRAY_OF(struct call_sum),
	};
	profile->tree = call_tree_new();
	profile->paths = call_tree_new();
	if (profile->tree && profile->paths &&
	    call_tree_root(profile->paths, -1) == 0)
		return profile;
	part_profile_free(profile);
	return NULL;
}

void part_profile_free(struct part_profile *profile)
{
	if (!profile)
		return;
	call_tree_free(profile->tree);
	call_tree_free(profile->paths);
	array_free(&profile->threads);
	array_free(&profile->cpus);
	array_free(&profile->where);
	array_free(&profile->part.sums);
	free(profile);
}

static void note(struct part_profile *profile, int status)
{
	if (status < 0 && !profile->status)
		profile->status = status;
}

static struct call_sum *sum_of(struct part_profile *profile, uint32_t node)
{
	uint32_t *where = array_reach(&profile->where, node);
	struct array *sums = &profile->part.sums;
	struct call_sum *sum;

	if (where && *where)
		return array_at(sums, *where - 1);
	sum = where ? array_add(sums) : NULL;
	if (!sum) {
		profile->status = -ERROR_MEMORY;
		return NULL;
	}
	*where = (uint32_t)sums->count;
	sum->place = node;
	return sum;
}

/* A node that is new becomes a place of the summary. */
static void add_place(struct part_profile *profile, struct call_place place)
{
	struct call_sums *calls = profile->summary->calls;

	if (call_tree_count(profile->tree) == call_sums_places(calls))
		return;
	if (place.parent != CALL_PLACE_NONE)
		place.path = call_tree_child(
			profile->paths,
			call_sums_place(calls, place.parent).path,
			place.function, false);
	pthread_mutex_lock(&profile->summary->lock);
	note(profile, place.path == CALL_NODE_NONE ?
			      -ERROR_MEMORY :
			      call_sums_add_place(calls, place));
	pthread_mutex_unlock(&profile->summary->lock);
}

static struct thread_place *thread_of(struct part_profile *profile,
				      uint32_t number)
{
	struct thread_place *thread = array_reach(&profile->threads, number);

	if (!thread || thread->is_known)
		return thread;
	thread->is_known = true;
	thread->node = call_tree_root(profile->tree, (int32_t)number);
	if (thread->node == CALL_NODE_NONE)
		return NULL;
	add_place(profile, (struct call_place){
				   .parent = CALL_PLACE_NONE,
				   .function = number,
			   });
	return thread;
}

static void add_self(struct part_profile *profile, struct thread_place *thread,
		     uint64_t self_ns)
{
	struct call_sum *sum = sum_of(profile, thread->node);

	if (sum)
		sum->self_ns += self_ns;
	thread->clock_ns += self_ns;
}

/* Adds what the threads on CPUs do from their last steps to the part's end. */
static void pass_end(struct part_profile *profile)
{
	uint64_t end_ns = profile->part.end_ns;

	for (size_t i = 0; i < profile->cpus.count; i++) {
		struct profile_cpu *cpu = array_at(&profile->cpus, i);

		if (!cpu->is_traced || cpu->last_ns >= end_ns)
			continue;
		add_self(profile, array_at(&profile->threads, cpu->number),
			 end_ns - cpu->last_ns);
		cpu->last_ns = end_ns;
	}
}

/* Writes the part that goes on, and begins the next one. */
static void next_part(struct part_profile *profile)
{
	struct call_part_sums *part = &profile->part;
	const struct call_sum *sums = part->sums.items;
	uint32_t *where = profile->where.items;

	pass_end(profile);
	for (size_t i = 0; i < part->sums.count; i++)
		where[sums[i].place] = 0;
	if (part->sums.count) {
		pthread_mutex_lock(&profile->summary->lock);
		note(profile,
		     call_sums_add_part(profile->summary->calls, part));
		pthread_mutex_unlock(&profile->summary->lock);
	}
	part->sums.count = 0;
	part->begin_ns = part->end_ns;
	part->end_ns += profile->part_ns;
}

/* Returns the child of @node that is called, counting that; CALL_NODE_NONE when
 * out of memory.
 */
static uint32_t call(struct part_profile *profile, uint32_t node,
		     const struct call_step *step)
{
	uint32_t child =
		call_tree_child(profile->tree, node, step->function, false);
	struct call_sum *sum;

	if (child == CALL_NODE_NONE) {
		profile->status = -ERROR_MEMORY;
		return child;
	}
	add_place(profile, (struct call_place){
				   .parent = node,
				   .function = step->function,
			   });
	sum = sum_of(profile, child);
	if (sum && step->how != HOW_START && step->how != HOW_INFERRED)
		sum->calls++;
	return child;
}

/* A call that leads to the function itself stays in its place. */
static void count_local(struct part_profile *profile, uint32_t node,
			const struct call_step *step)
{
	struct call_sum *sum;

	if (call_tree_at(profile->tree, node)->function != step->function) {
		call(profile, node, step);
		return;
	}
	sum = sum_of(profile, node);
	if (sum)
		sum->calls++;
}

static void move(struct part_profile *profile, struct thread_place *thread,
		 const struct call_step *step)
{
	if (step->kind == STEP_ENTER)
		thread->node = call(profile, thread->node, step);
	else if (step->kind == STEP_EXIT)
		thread->node =
			call_tree_at(profile->tree, thread->node)->parent;
	else if (step->kind == STEP_COUNT)
		count_local(profile, thread->node, step);
}

/* Returns whether the CPU is traced behind @step, as it @was before it. */
static bool is_traced(const struct call_step *step, bool was)
{
	switch ((enum call_step_kind)step->kind) {
	case STEP_STATE:
		return step->detail == CPU_TRACED;
	case STEP_GAP:
	case STEP_END:
		return false;
	case STEP_ENTER:
	case STEP_EXIT:
	case STEP_COUNT:
	case STEP_LEAVE:
	case STEP_SWITCH:
		break;
	}
	return was;
}

void part_profile_step(struct part_profile *profile,
		       const struct call_step *step, uint32_t number)
{
	struct thread_place *thread;
	struct profile_cpu *cpu;

	while (step->time_ns >= profile->part.end_ns && !profile->status &&
	       profile->part.end_ns <= profile->summary->last_ns)
		next_part(profile);
	if (profile->status)
		return;
	thread = thread_of(profile, number);
	cpu = array_reach(&profile->cpus, step->cpu);
	if (!thread || !cpu) {
		profile->status = -ERROR_MEMORY;
		return;
	}
	if (step->clock_ns > thread->clock_ns)
		add_self(profile, thread, step->clock_ns - thread->clock_ns);
	cpu->number = number;
	cpu->is_traced = is_traced(step, cpu->is_traced);
	cpu->last_ns = step->time_ns;
	move(profile, thread, step);
}

int part_profile_end(struct part_profile *profile)
{
	next_part(profile);
	return profile->status;
}
