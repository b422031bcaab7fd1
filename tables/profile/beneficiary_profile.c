/* SPDX-License-Identifier: MIT */
#include "tables/profile/beneficiary_profile.h"

#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/interrupts/interrupt_stacks.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/pack.h"
#include "report/steps/step_filter.h"
#include "report/steps/task_groups.h"
#include "report/steps/task_pack.h"
#include "tables/profile/path_sums.h"
#include "tables/profile/slice_works.h"
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
	bool is_in_work;    /* node is below the root of work */
	uint32_t work_from; /* depth of the outermost function there, plus 1;
			     * 0: it is in none, and leads to none */
};

struct beneficiary_profile {
	struct event_handler handler;
	struct charge_callback callback;
	struct interrupt_accounts *accounts;
	struct slice_works *works;
	struct path_sums paths;
	struct call_tree *tree;
	struct array tasks; /* struct task_path by task index */
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

/* Adds @more to what is done in a slice.  What is no interrupt work there is
 * the task's own.
 */
static bool add_work(struct beneficiary_profile *profile,
		     const struct interrupt_stack *stack,
		     const struct path_work *more)
{
	const struct interrupt_slice *slice = interrupt_stack_charged(stack);

	return slice ? slice_works_add(profile->works, slice->span.serial,
				       more) :
		       path_sums_add_own(&profile->paths, stack->task->pid,
					 more);
}

static void take_charge(struct charge_callback *callback,
			const struct interrupt_row *work, int32_t pid,
			const struct interrupt_charge *charge)
{
	struct beneficiary_profile *profile =
		container_of(callback, struct beneficiary_profile, callback);

	(void)work;
	if (!slice_works_charge(profile->works, &profile->paths, pid, charge))
		interrupt_accounts_fail(profile->accounts);
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
	entry.entries[step->how] = ENTRY_PARTS;
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
		       struct task_path *path, uint32_t depth)
{
	path->stopped = path->node;
	path->node = profile->work;
	path->is_in_work = true;
	path->work_from = depth + 1;
}

static bool enter_node(struct beneficiary_profile *profile,
		       struct task_path *path, const struct call_step *step)
{
	path->node = call_tree_enter(profile->tree, path->node, step->function,
				     step->how);
	return path->node != CALL_NODE_NONE;
}

static bool enter(struct beneficiary_profile *profile, struct task_path *path,
		  const struct interrupt_stack *stack,
		  const struct call_step *step)
{
	if (is_in_slice(stack, step) && !path->is_in_work)
		begin_work(profile, path, step->depth);
	if (!path->is_in_work && !path->is_wanted)
		return true;
	return enter_node(profile, path, step) &&
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
	path->work_from = 0;
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
	const struct interrupt_stack *stack =
		interrupt_accounts_stack(profile->accounts, step->task);
	bool is_done = path && stack && charge(profile, path, stack, step);

	if (is_done && step->kind == STEP_EXIT)
		leave(profile, path);
	accounts->step(accounts, step);
	if (is_done && step->kind <= STEP_COUNT && step->kind != STEP_EXIT) {
		stack = interrupt_accounts_stack(profile->accounts, step->task);
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

/* The functions that are open, which come next, lead to where the tasks are. */
static void pack_paths(struct event_handler *handler,
		       const struct task_pack *tasks)
{
	struct beneficiary_profile *profile =
		(struct beneficiary_profile *)handler;
	struct event_handler *accounts =
		interrupt_accounts_handler(profile->accounts);
	uint32_t count = (uint32_t)profile->tasks.count;

	accounts->pack(accounts, tasks);
	pack_u32(tasks->pack, &count);
	task_pack_check(tasks, count);
	for (uint32_t i = 0; i < count && !tasks->pack->failed; i++) {
		struct task_path *path = array_reach(&profile->tasks, i);

		pack_check(tasks->pack, path);
		if (path)
			pack_u32(tasks->pack, &path->work_from);
	}
}

static void take_open(struct event_handler *handler,
		      const struct call_step *step)
{
	struct beneficiary_profile *profile =
		(struct beneficiary_profile *)handler;
	struct task_path *path = path_of(profile, step->task);

	if (path && step->depth + 1 == path->work_from)
		begin_work(profile, path, step->depth);
	if (!path || ((path->is_in_work || path->is_wanted) &&
		      !enter_node(profile, path, step)))
		interrupt_accounts_fail(profile->accounts);
}

struct beneficiary_profile *
beneficiary_profile_new(const struct attribution_input *input,
			const struct profile_options *options)
{
	struct beneficiary_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->handler = (struct event_handler){ .step = take_step,
						   .event = take_event,
						   .pack = pack_paths,
						   .open = take_open };
	profile->options = *options;
	profile->tasks = ARRAY_OF(struct task_path);
	profile->tree = call_tree_new();
	profile->works = slice_works_new();
	profile->paths = PATH_SUMS_NONE;
	profile->callback.take = take_charge;
	if (profile->tree && profile->works) {
		profile->work = call_tree_part_root(profile->tree, WORK_PID,
						    PROFILE_WORK);
		profile->accounts = interrupt_accounts_new(
			input, trackers_threads(input->trackers));
	}
	if (profile->accounts && profile->work != CALL_NODE_NONE) {
		interrupt_rows_tell(interrupt_accounts_rows(profile->accounts),
				    &profile->callback);
		return profile;
	}
	beneficiary_profile_free(profile);
	return NULL;
}

void beneficiary_profile_free(struct beneficiary_profile *profile)
{
	if (!profile)
		return;
	interrupt_accounts_free(profile->accounts);
	slice_works_free(profile->works);
	path_sums_free(&profile->paths);
	call_tree_free(profile->tree);
	array_free(&profile->tasks);
	free(profile);
}

struct event_handler *
beneficiary_profile_handler(struct beneficiary_profile *profile)
{
	return &profile->handler;
}

/* For whom work is cannot be told by what is seen then. */
void beneficiary_profile_begin_window(struct beneficiary_profile *profile)
{
	interrupt_rows_tell(interrupt_accounts_rows(profile->accounts), NULL);
}

void beneficiary_profile_keep(struct beneficiary_profile *profile,
			      struct kept_file_writer *writer)
{
	interrupt_accounts_keep(profile->accounts, writer);
}

/* It is what is read first, after the steps. */
void beneficiary_profile_pack_rest(struct beneficiary_profile *profile,
				   struct pack *pack)
{
	if (pack->is_reading && interrupt_accounts_end(profile->accounts) < 0)
		pack_check(pack, false);
	interrupt_rows_tell(interrupt_accounts_rows(profile->accounts),
			    &profile->callback);
	interrupt_accounts_pack_rest(profile->accounts, pack);
}

void beneficiary_profile_read(struct beneficiary_profile *profile,
			      struct pack *pack)
{
	interrupt_accounts_read(profile->accounts, pack);
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
	return (sum->entries[how] + ENTRY_PARTS / 2) / ENTRY_PARTS;
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

	if (!slice_works_end(profile->works, &profile->paths))
		status = -ERROR_MEMORY;
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
