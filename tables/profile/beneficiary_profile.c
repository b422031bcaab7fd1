/* SPDX-License-Identifier: MIT */
#include "tables/profile/beneficiary_profile.h"

#include "attribution/interrupts/interrupt_stacks.h"
#include "attribution/interrupts/path_sums.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "report/steps/step_filter.h"
#include "report/steps/task_groups.h"
#include "tables/table.h"

#include <stdlib.h>

/* Above all processes: the root below which slices of work are until it is
 * known whose they are.
 */
enum { WORK_PID = -2 };

/* Where a task is in the tree. */
struct task_path {
	uint32_t node;
	uint32_t stopped;  /* in work: where it goes on afterwards */
	uint64_t clock_ns; /* up to here its time is in the tree */
	bool is_known;	   /* else it has had no step */
	bool is_wanted;
	bool is_in_work; /* node is below the root of work */
};

struct beneficiary_profile {
	struct event_handler handler;
	struct interrupt_accounts *accounts;
	struct path_sums paths;
	struct call_tree *tree;
	struct array tasks; /* struct task_path by task index */
	struct array slots; /* uint32_t by node: where the slice
					 * that was there last has it, perhaps */
	uint32_t work;	    /* the root of work */
	struct profile_options options;
	uint64_t part_ns[PROFILE_PARTS];
	struct profile_interrupts interrupts;
};

static struct task_path *path_of(struct beneficiary_profile *profile,
				 const struct task *task)
{
	struct task_path *path = array_reach(&profile->tasks, task->index);

	if (!path || path->is_known)
		return path;
	path->is_known = true;
	path->is_wanted = step_filter_task(profile->options.filter, task);
	path->node = call_tree_part_root(
		profile->tree, profile_tree_of(&profile->options, task),
		profile_part_of(&profile->options, task->tid));
	return path->node == CALL_NODE_NONE ? NULL : path;
}

/* Returns what @slice did at @node, making it if it is new there. */
static struct path_work *work_of(struct beneficiary_profile *profile,
				 struct interrupt_slice *slice, uint32_t node)
{
	uint32_t *slot = array_reach(&profile->slots, node);
	struct path_work *work = slice->paths.items;

	if (!slot)
		return NULL;
	if (*slot < slice->paths.count && work[*slot].path == node)
		return &work[*slot];
	*slot = (uint32_t)slice->paths.count;
	work = array_add(&slice->paths);
	if (work)
		work->path = node;
	return work;
}

/* Adds @more to what is done in a slice.  What is no interrupt work there is
 * the task's own.
 */
static bool add_work(struct beneficiary_profile *profile,
		     const struct interrupt_stack *stack,
		     const struct path_work *more)
{
	struct interrupt_slice *slice = interrupt_stack_charged(stack);
	struct path_work *work;

	if (!slice)
		return path_sums_add_own(&profile->paths, stack->pid, more);
	work = work_of(profile, slice, more->path);
	if (!work)
		return false;
	work->ns += more->ns;
	for (int how = 0; how < CALL_HOWS; how++)
		work->entries[how] += more->entries[how];
	return true;
}

static bool charge(struct beneficiary_profile *profile, struct task_path *path,
		   const struct interrupt_stack *stack,
		   const struct call_step *step)
{
	uint64_t ns = step->clock_ns - path->clock_ns;

	path->clock_ns = step->clock_ns;
	if (!ns || !step_filter_cpu(profile->options.filter, step->cpu))
		return true;
	if (path->is_in_work)
		return add_work(profile, stack,
				&(struct path_work){ .path = path->node,
						     .ns = ns });
	if (path->is_wanted)
		call_tree_at(profile->tree, path->node)->self_ns += ns;
	return true;
}

/* Counts the entry that @step is, at @node. */
static bool count(struct beneficiary_profile *profile,
		  const struct task_path *path,
		  const struct interrupt_stack *stack,
		  const struct call_step *step, uint32_t node)
{
	struct path_work entry = { .path = node };

	if (!time_window_has(profile->options.window, step->time_ns) ||
	    !step_filter_cpu(profile->options.filter, step->cpu))
		return true;
	if (!path->is_in_work) {
		call_tree_count_entry(profile->tree, node, step->how);
		return true;
	}
	entry.entries[step->how] = 1;
	return add_work(profile, stack, &entry);
}

/* Returns whether the function that @step enters or counts is in a slice of
 * work.
 */
static bool is_in_slice(const struct interrupt_stack *stack,
			const struct call_step *step)
{
	const struct interrupt_slice *slices = stack->slices.items;

	return stack->slices.count && step->depth >= slices->depth;
}

static void begin_work(const struct beneficiary_profile *profile,
		       struct task_path *path)
{
	path->stopped = path->node;
	path->node = profile->work;
	path->is_in_work = true;
}

static bool enter(struct beneficiary_profile *profile, struct task_path *path,
		  const struct interrupt_stack *stack,
		  const struct call_step *step)
{
	if (is_in_slice(stack, step) && !path->is_in_work)
		begin_work(profile, path);
	if (!path->is_in_work && !path->is_wanted)
		return true;
	path->node = call_tree_enter(profile->tree, path->node, step->function,
				     step->how);
	return path->node != CALL_NODE_NONE &&
	       count(profile, path, stack, step, path->node);
}

static void leave(const struct beneficiary_profile *profile,
		  struct task_path *path)
{
	if (!path->is_in_work && !path->is_wanted)
		return;
	path->node = call_tree_at(profile->tree, path->node)->parent;
	if (!path->is_in_work || path->node != profile->work)
		return;
	path->node = path->stopped;
	path->is_in_work = false;
}

/* A call that leads to the function itself stays in its place. */
static bool count_local(struct beneficiary_profile *profile,
			const struct task_path *path,
			const struct interrupt_stack *stack,
			const struct call_step *step)
{
	uint32_t node = path->node;

	if (!path->is_in_work && !path->is_wanted)
		return true;
	if (call_tree_at(profile->tree, node)->function != step->function)
		node = call_tree_enter(profile->tree, node, step->function,
				       step->how);
	return node != CALL_NODE_NONE &&
	       count(profile, path, stack, step, node);
}

/* Time belongs to what was going on before the step, a call to what it
 * begins: the accounts take the step between the two.
 */
static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct beneficiary_profile *profile =
		(struct beneficiary_profile *)handler;
	struct event_handler *accounts =
		interrupt_accounts_handler(profile->accounts);
	struct task_path *path = path_of(profile, step->task);
	const struct interrupt_stack *stack = interrupt_accounts_stack(
		profile->accounts, step->task, step->cpu);
	bool is_done = path && stack && charge(profile, path, stack, step);

	if (is_done && step->kind == STEP_EXIT)
		leave(profile, path);
	accounts->step(accounts, step);
	if (is_done && step->kind <= STEP_COUNT && step->kind != STEP_EXIT) {
		stack = interrupt_accounts_stack(profile->accounts, step->task,
						 step->cpu);
		is_done = stack &&
			  (step->kind == STEP_ENTER ?
				   enter(profile, path, stack, step) :
				   count_local(profile, path, stack, step));
	}
	if (!is_done)
		interrupt_accounts_fail(profile->accounts);
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct beneficiary_profile *profile =
		(struct beneficiary_profile *)handler;
	struct event_handler *accounts =
		interrupt_accounts_handler(profile->accounts);

	accounts->event(accounts, event);
}

struct beneficiary_profile *
beneficiary_profile_new(const struct attribution_input *input,
			const struct profile_options *options)
{
	struct beneficiary_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->handler = (struct event_handler){ .step = take_step,
						   .event = take_event };
	profile->options = *options;
	profile->tasks = ARRAY_OF(struct task_path);
	profile->slots = ARRAY_OF(uint32_t);
	profile->tree = call_tree_new();
	profile->paths = PATH_SUMS_NONE;
	if (profile->tree) {
		profile->work = call_tree_part_root(profile->tree, WORK_PID,
						    PROFILE_WORK);
		profile->accounts = interrupt_accounts_new(
			input, trackers_threads(input->trackers),
			&profile->paths);
	}
	if (profile->accounts && profile->work != CALL_NODE_NONE)
		return profile;
	beneficiary_profile_free(profile);
	return NULL;
}

void beneficiary_profile_free(struct beneficiary_profile *profile)
{
	if (!profile)
		return;
	interrupt_accounts_free(profile->accounts);
	path_sums_free(&profile->paths);
	call_tree_free(profile->tree);
	array_free(&profile->tasks);
	array_free(&profile->slots);
	free(profile);
}

struct event_handler *
beneficiary_profile_handler(struct beneficiary_profile *profile)
{
	return &profile->handler;
}

static bool is_wanted(const struct beneficiary_profile *profile, int32_t pid)
{
	const struct task process = { .pid = pid, .tid = pid };

	return pid > 0 ? step_filter_task(profile->options.filter, &process) :
			 !step_filter_has_tasks(profile->options.filter);
}

/* Returns the node for path @node of work in the tree below @root. */
static uint32_t place_below(struct beneficiary_profile *profile, uint32_t root,
			    uint32_t node)
{
	const struct call_node *from = call_tree_at(profile->tree, node);
	uint32_t function = from->function;
	bool is_interrupt = from->is_interrupt;
	uint32_t parent;

	if (node == profile->work)
		return root;
	parent = place_below(profile, root, from->parent);
	return parent == CALL_NODE_NONE ?
		       CALL_NODE_NONE :
		       call_tree_find_child(profile->tree, parent, function,
					    is_interrupt);
}

static uint64_t entries_of(const struct path_sum *sum, enum call_how how)
{
	return (uint64_t)(sum->entries[how] + 0.5);
}

/* Returns the number of the tree for work that was for process @pid. */
static int32_t tree_for(const struct beneficiary_profile *profile, int32_t pid)
{
	if (profile->options.groups)
		return task_groups_beneficiary(profile->options.groups, pid);
	return pid > 0 ? pid : 0;
}

/* Adds @sum to the calls of the process that it was for. */
static int add_sum(struct beneficiary_profile *profile,
		   const struct path_sum *sum)
{
	uint32_t root = call_tree_part_root(
		profile->tree, tree_for(profile, sum->pid),
		sum->pid > 0 ? profile_part_of(&profile->options, sum->pid) :
			       PROFILE_WORK);
	uint32_t place = root == CALL_NODE_NONE ?
				 root :
				 place_below(profile, root, sum->path);
	const struct call_counts calls = {
		.direct = entries_of(sum, HOW_CALL) +
			  entries_of(sum, HOW_SYSTEM_CALL),
		.tail = entries_of(sum, HOW_TAIL),
		.async = entries_of(sum, HOW_EXCEPTION),
		.starts = entries_of(sum, HOW_START),
		.inferred = entries_of(sum, HOW_INFERRED),
	};

	if (place == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	call_tree_at(profile->tree, place)->self_ns += sum->ns;
	call_tree_add_calls(profile->tree, place, &calls,
			    sum->certain_ns[CERTAIN_INFERRED]);
	profile->interrupts.exact_ns += sum->certain_ns[CERTAIN_EXACT];
	profile->interrupts.inferred_ns += sum->certain_ns[CERTAIN_INFERRED];
	profile->interrupts.nobodys_ns += sum->certain_ns[CERTAIN_NOBODY];
	return 0;
}

int beneficiary_profile_end(struct beneficiary_profile *profile)
{
	int status = interrupt_accounts_end(profile->accounts);
	const struct path_sum *sum;

	for (size_t i = 0; !status && (sum = path_sums_at(&profile->paths, i));
	     i++)
		if (is_wanted(profile, sum->pid))
			status = add_sum(profile, sum);
	return status ? status :
			profile_finish_tree(&profile->options, &profile->tree,
					    profile->part_ns);
}

const struct call_tree *
beneficiary_profile_tree(const struct beneficiary_profile *profile)
{
	return profile->tree;
}

const uint64_t *
beneficiary_profile_part_times(const struct beneficiary_profile *profile)
{
	return profile->part_ns;
}

const struct profile_interrupts *
beneficiary_profile_interrupts(const struct beneficiary_profile *profile)
{
	return &profile->interrupts;
}
