/* SPDX-License-Identifier: MIT */
#include "view/make/part_profile_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "view/data/call_sums.h"
#include "view/data/summary.h"

#include <stdlib.h>

/* Threads' sums in the current cell of time, until the cell is added to the
 * call sums. A CPU runs one thread for long, so sums are looked up by CPU and
 * path, and saved when the CPU switches to another thread.
 */
struct cell_sums {
	struct array cpus; /* struct cpu_sums */
	struct array done; /* struct call_cell_sums: saved */
};

/* Sums of the running thread of a CPU. */
struct cpu_sums {
	uint32_t thread;
	struct array sums; /* struct call_sum */
	/* uint32_t by path: the index of its sum, + 1; 0: none */
	struct array where;
};

static void cell_sums_init(struct cell_sums *cell)
{
	cell->cpus = ARRAY_OF(struct cpu_sums);
	cell->done = ARRAY_OF(struct call_cell_sums);
}

/* Empties @cell for the next cell. */
static void cell_sums_clear(struct cell_sums *cell)
{
	for (size_t i = 0; i < cell->done.count; i++) {
		struct call_cell_sums *done = array_at(&cell->done, i);

		array_free(&done->sums);
	}
	array_free(&cell->done);
}

static void cell_sums_free(struct cell_sums *cell)
{
	for (size_t i = 0; i < cell->cpus.count; i++) {
		struct cpu_sums *cpu = array_at(&cell->cpus, i);

		array_free(&cpu->sums);
		array_free(&cpu->where);
	}
	array_free(&cell->cpus);
	cell_sums_clear(cell);
}

static struct cpu_sums *cpu_of(struct cell_sums *cell, uint32_t number)
{
	while (cell->cpus.count <= number) {
		struct cpu_sums *cpu = array_add(&cell->cpus);

		if (!cpu)
			return NULL;
		cpu->sums = ARRAY_OF(struct call_sum);
		cpu->where = ARRAY_OF(uint32_t);
	}
	return array_at(&cell->cpus, number);
}

/* Saves the sums of the CPU's thread. */
static int put_aside(struct cell_sums *cell, struct cpu_sums *cpu)
{
	const struct call_sum *sums = cpu->sums.items;
	uint32_t *where = cpu->where.items;
	struct call_cell_sums *done;

	if (!cpu->sums.count)
		return 0;
	done = array_add(&cell->done);
	if (!done)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < cpu->sums.count; i++)
		where[sums[i].path] = 0;
	done->thread = cpu->thread;
	done->sums = cpu->sums;
	cpu->sums = ARRAY_OF(struct call_sum);
	return 0;
}

/* Returns the sum of @path of @thread, which runs on @cpu_number, valid until
 * the next call; NULL when out of memory.
 */
static struct call_sum *cell_sums_of(struct cell_sums *cell,
				     uint32_t cpu_number, uint32_t thread,
				     uint32_t path)
{
	struct cpu_sums *cpu = cpu_of(cell, cpu_number);
	struct call_sum *sum;
	uint32_t *where;

	if (!cpu || (cpu->thread != thread && put_aside(cell, cpu) < 0))
		return NULL;
	cpu->thread = thread;
	where = array_reach(&cpu->where, path);
	if (where && *where)
		return array_at(&cpu->sums, *where - 1);
	sum = where ? array_add(&cpu->sums) : NULL;
	if (!sum)
		return NULL;
	*where = (uint32_t)cpu->sums.count;
	sum->path = path;
	return sum;
}

/* Saves the sums of all CPUs, which completes cell->done. Returns 0 or
 * -ERROR_MEMORY.
 */
static int cell_sums_end(struct cell_sums *cell)
{
	int status = 0;

	for (size_t i = 0; i < cell->cpus.count && !status; i++)
		status = put_aside(cell, array_at(&cell->cpus, i));
	return status;
}

/* A thread's current node in the tree. */
struct thread_place {
	uint32_t node;
	bool is_known;
	/* the function that ended last was part of an interrupt */
	bool left_interrupt;
	/* time of the thread (call_step.clock_ns) that is already in sums */
	uint64_t clock_ns;
};

/* A CPU's state: the clock of its thread advances while it is traced. */
struct profile_cpu {
	uint32_t number;
	bool is_traced;
	uint64_t last_ns;
};

struct part_profile {
	struct view_summary *summary;
	const struct task_names *names;
	const struct context_kinds *kinds;
	const char *recorder;
	struct call_tree *paths; /* its nodes are the summary's paths */
	struct array threads;	 /* struct thread_place */
	struct array cpus;	 /* struct profile_cpu */
	uint64_t part_ns;
	uint64_t begin_ns; /* start and end of the current part of time */
	uint64_t end_ns;
	struct cell_sums cell; /* sums of the current part */
	int status;
};

struct part_profile *part_profile_new(struct view_summary *summary,
				      uint64_t part_ns,
				      const struct task_names *names,
				      const struct context_kinds *kinds,
				      const char *recorder)
{
	struct part_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->summary = summary;
	profile->names = names;
	profile->kinds = kinds;
	profile->recorder = recorder;
	profile->part_ns = part_ns;
	profile->threads = ARRAY_OF(struct thread_place);
	profile->cpus = ARRAY_OF(struct profile_cpu);
	profile->begin_ns = summary->first_ns;
	profile->end_ns = summary->first_ns + part_ns;
	cell_sums_init(&profile->cell);
	profile->paths = call_tree_new();
	if (profile->paths && call_tree_root(profile->paths, -1) == 0)
		return profile;
	part_profile_free(profile);
	return NULL;
}

void part_profile_free(struct part_profile *profile)
{
	if (!profile)
		return;
	call_tree_free(profile->paths);
	array_free(&profile->threads);
	array_free(&profile->cpus);
	cell_sums_free(&profile->cell);
	free(profile);
}

static void note(struct part_profile *profile, int status)
{
	if (status < 0 && !profile->status)
		profile->status = status;
}

/* Returns the index among profile->cpus of the stream that @step is from. A
 * stream is of a CPU, or, in a trace of chosen threads, of thread @number,
 * because several such threads may run at the same time.
 */
static uint32_t stream_slot(const struct call_step *step, uint32_t number)
{
	return step->cpu == UINT32_MAX ? 2 * number + 1 : 2 * step->cpu;
}

static struct call_sum *sum_of(struct part_profile *profile, uint32_t cpu,
			       uint32_t number, uint32_t path)
{
	struct call_sum *sum = cell_sums_of(&profile->cell, cpu, number, path);

	note(profile, sum ? 0 : -ERROR_MEMORY);
	return sum;
}

/* Adds a new node to the summary as a path. */
static void add_path(struct part_profile *profile, uint32_t node,
		     struct call_path path)
{
	struct call_sums *calls = profile->summary->calls;
	uint32_t count;

	call_sums_paths(calls, &count);
	if (node < count)
		return;
	pthread_mutex_lock(&profile->summary->lock);
	note(profile, call_sums_add_path(calls, path));
	pthread_mutex_unlock(&profile->summary->lock);
}

static struct thread_place *thread_of(struct part_profile *profile,
				      uint32_t number, int32_t tid)
{
	struct thread_place *thread = array_reach(&profile->threads, number);

	if (!thread || thread->is_known)
		return thread;
	thread->is_known = true;
	pthread_mutex_lock(&profile->summary->lock);
	note(profile,
	     call_sums_set_part(profile->summary->calls, number,
				profile_part_of_task(profile->names,
						     profile->recorder, tid)));
	pthread_mutex_unlock(&profile->summary->lock);
	return thread;
}

static void add_self(struct part_profile *profile, uint32_t cpu,
		     uint32_t number, uint64_t self_ns)
{
	struct thread_place *thread = array_at(&profile->threads, number);
	struct call_sum *sum = sum_of(profile, cpu, number, thread->node);

	if (sum)
		sum->self_ns += self_ns;
	thread->clock_ns += self_ns;
}

/* Adds the time of the threads on CPUs from their last call events to the
 * part's end.
 */
static void pass_end(struct part_profile *profile)
{
	for (uint32_t i = 0; i < profile->cpus.count; i++) {
		struct profile_cpu *cpu = array_at(&profile->cpus, i);

		if (!cpu->is_traced || cpu->last_ns >= profile->end_ns)
			continue;
		add_self(profile, i, cpu->number,
			 profile->end_ns - cpu->last_ns);
		cpu->last_ns = profile->end_ns;
	}
}

/* Writes the current part, and starts the next one. */
static void next_part(struct part_profile *profile)
{
	pass_end(profile);
	note(profile, cell_sums_end(&profile->cell));
	if (profile->cell.done.count && !profile->status) {
		pthread_mutex_lock(&profile->summary->lock);
		note(profile,
		     call_sums_add_cell(profile->summary->calls,
					profile->begin_ns, profile->end_ns,
					&profile->cell.done));
		pthread_mutex_unlock(&profile->summary->lock);
	}
	cell_sums_clear(&profile->cell);
	profile->begin_ns = profile->end_ns;
	profile->end_ns += profile->part_ns;
}

/* Counts a call from @node and returns its child for the callee; when out of
 * memory, sets profile->status and returns @node.
 */
static uint32_t call(struct part_profile *profile, uint32_t number,
		     uint32_t node, const struct call_step *step,
		     bool ends_interrupt)
{
	uint32_t child = call_tree_child(profile->paths, node, step->function,
					 ends_interrupt ? CALL_INTERRUPT_END :
							  CALL_NO_INTERRUPT);
	struct call_sum *sum;

	if (child == CALL_NODE_NONE) {
		profile->status = -ERROR_MEMORY;
		return node;
	}
	add_path(profile, child,
		 (struct call_path){
			 .parent = node,
			 .function = step->function,
			 .ends_interrupt = ends_interrupt,
		 });
	sum = sum_of(profile, stream_slot(step, number), number, child);
	if (sum && call_how_is_call(step->how))
		sum->calls++;
	return child;
}

/* Counts a call without entering it: a call whose target is the current
 * function itself counts at the current node.
 */
static void count_local(struct part_profile *profile, uint32_t number,
			uint32_t node, const struct call_step *step)
{
	struct call_sum *sum;

	if (call_tree_at(profile->paths, node)->function != step->function) {
		call(profile, number, node, step, false);
		return;
	}
	sum = sum_of(profile, stream_slot(step, number), number, node);
	if (sum)
		sum->calls++;
}

static void move(struct part_profile *profile, struct thread_place *thread,
		 uint32_t number, const struct call_step *step)
{
	const struct call_node *left;

	if (step->kind == STEP_ENTER) {
		thread->node =
			call(profile, number, thread->node, step,
			     step->how == HOW_TAIL && thread->left_interrupt);
		thread->left_interrupt = false;
	} else if (step->kind == STEP_EXIT) {
		left = call_tree_at(profile->paths, thread->node);
		thread->left_interrupt =
			left->interrupt == CALL_INTERRUPT_END ||
			profile_is_interrupt(profile->kinds, left->function);
		thread->node = left->parent;
	} else if (step->kind == STEP_COUNT) {
		count_local(profile, number, thread->node, step);
	}
}

/* Returns whether the CPU is traced after @step. @was: whether it was before.
 */
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
	case STEP_INTERRUPTS:
		break;
	}
	return was;
}

void part_profile_step(struct part_profile *profile,
		       const struct call_step *step, uint32_t number)
{
	uint32_t slot = stream_slot(step, number);
	struct thread_place *thread;
	struct profile_cpu *cpu;

	while (step->time_ns >= profile->end_ns && !profile->status &&
	       profile->end_ns <= profile->summary->last_ns)
		next_part(profile);
	if (profile->status)
		return;
	thread = thread_of(profile, number, step->task->tid);
	cpu = array_reach(&profile->cpus, slot);
	if (!thread || !cpu) {
		profile->status = -ERROR_MEMORY;
		return;
	}
	if (step->clock_ns > thread->clock_ns)
		add_self(profile, slot, number,
			 step->clock_ns - thread->clock_ns);
	cpu->number = number;
	cpu->is_traced = is_traced(step, cpu->is_traced);
	cpu->last_ns = step->time_ns;
	move(profile, thread, number, step);
}

int part_profile_end(struct part_profile *profile)
{
	next_part(profile);
	return profile->status;
}
