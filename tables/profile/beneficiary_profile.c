/* SPDX-License-Identifier: MIT */
#include "tables/profile/beneficiary_profile.h"

#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/interrupts/interrupt_stacks.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/step_filter.h"
#include "tables/profile/beneficiary_tree.h"
#include "tables/profile/path_sums.h"
#include "tables/profile/slice_works.h"
#include "tables/profile/work_paths.h"
#include "tables/table.h"

#include <stdlib.h>

struct beneficiary_profile {
	struct event_handler handler;
	struct charge_callback callback;
	struct interrupt_accounts *accounts;
	struct slice_works *works;
	struct path_sums paths;
	struct call_tree *tree;
	struct work_paths tasks;
	struct profile_options options;
	uint64_t part_ns[PROFILE_PARTS];
	struct profile_interrupts interrupts;
};

/* Adds @more to the current slice. Work in it that is no interrupt work is
 * charged to the task itself.
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

static bool charge(struct beneficiary_profile *profile, struct work_path *path,
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

/* Counts the entry of @step at @node. */
static bool count(struct beneficiary_profile *profile,
		  const struct work_path *path,
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
 * interrupt work.
 */
static bool is_in_slice(const struct interrupt_stack *stack,
			const struct call_step *step)
{
	const struct interrupt_slice *slices = stack->slices.items;

	return stack->slices.count && step->depth >= slices->depth;
}

static bool enter(struct beneficiary_profile *profile, struct work_path *path,
		  const struct interrupt_stack *stack,
		  const struct call_step *step)
{
	return work_paths_enter(&profile->tasks, path, step,
				is_in_slice(stack, step)) &&
	       (!work_path_is_shown(path) ||
		count(profile, path, stack, step, path->node));
}

/* Counts a call without entering it: a call whose target is the current
 * function itself counts at the current node.
 */
static bool count_local(struct beneficiary_profile *profile,
			const struct work_path *path,
			const struct interrupt_stack *stack,
			const struct call_step *step)
{
	uint32_t node = path->node;

	if (!work_path_is_shown(path))
		return true;
	if (call_tree_at(profile->tree, node)->function != step->function)
		node = call_tree_enter(profile->tree, node, step->function,
				       step->how);
	return node != CALL_NODE_NONE &&
	       count(profile, path, stack, step, node);
}

/* Time belongs to the state before the event, a call to the state after it, so
 * the accounts apply the event between the two.
 */
static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct beneficiary_profile *profile =
		(struct beneficiary_profile *)handler;
	struct event_handler *accounts =
		interrupt_accounts_handler(profile->accounts);
	struct work_path *path = work_paths_of(&profile->tasks, step->task);
	const struct interrupt_stack *stack =
		interrupt_accounts_stack(profile->accounts, step->task);
	bool is_done = path && stack && charge(profile, path, stack, step);

	if (is_done && step->kind == STEP_EXIT)
		work_path_leave(&profile->tasks, path);
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

static void pack_paths(struct event_handler *handler,
		       const struct task_pack *tasks)
{
	struct beneficiary_profile *profile =
		(struct beneficiary_profile *)handler;
	struct event_handler *accounts =
		interrupt_accounts_handler(profile->accounts);

	accounts->pack(accounts, tasks);
	work_paths_pack(&profile->tasks, tasks);
}

static void take_open(struct event_handler *handler,
		      const struct call_step *step)
{
	struct beneficiary_profile *profile =
		(struct beneficiary_profile *)handler;

	if (!work_paths_reopen(&profile->tasks, step))
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
	profile->tree = call_tree_new();
	profile->works = slice_works_new();
	profile->paths = PATH_SUMS_NONE;
	profile->callback.take = take_charge;
	if (profile->tree && profile->works &&
	    work_paths_open(&profile->tasks, profile->tree, &profile->options))
		profile->accounts = interrupt_accounts_new(
			input, trackers_threads(input->trackers));
	if (profile->accounts) {
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
	work_paths_close(&profile->tasks);
	free(profile);
}

struct event_handler *
beneficiary_profile_handler(struct beneficiary_profile *profile)
{
	return &profile->handler;
}

/* The events of the window do not suffice to find beneficiaries: those come
 * from records.
 */
void beneficiary_profile_begin_window(struct beneficiary_profile *profile)
{
	interrupt_rows_tell(interrupt_accounts_rows(profile->accounts), NULL);
}

void beneficiary_profile_keep(struct beneficiary_profile *profile,
			      struct kept_file_writer *writer)
{
	interrupt_accounts_keep(profile->accounts, writer);
}

/* When reading, this is called first after the call events, so it ends the
 * accounts.
 */
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

int beneficiary_profile_end(struct beneficiary_profile *profile)
{
	int status = interrupt_accounts_end(profile->accounts);

	if (!slice_works_end(profile->works, &profile->paths))
		status = -ERROR_MEMORY;
	if (!status)
		status = beneficiary_tree_add(
			profile->tree, profile->tasks.root, &profile->options,
			&profile->paths, &profile->interrupts);
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
