/* SPDX-License-Identifier: MIT */
#include "tables/profile/beneficiary_tree.h"

#include "common/error.h"
#include "report/steps/task_choice.h"

#include <stdbool.h>

static bool is_wanted(const struct profile_options *options, int32_t pid)
{
	const struct task process = { .pid = pid, .tid = pid };

	return pid > 0 ? step_filter_task(options->filter, &process) :
			 !step_filter_has_tasks(options->filter);
}

/* Returns the node below @root for the node @node below @work. */
static uint32_t place_below(struct call_tree *tree, uint32_t work,
			    uint32_t root, uint32_t node)
{
	const struct call_node *from = call_tree_at(tree, node);
	uint32_t function = from->function;
	bool is_interrupt = from->is_interrupt;
	uint32_t parent;

	if (node == work)
		return root;
	parent = place_below(tree, work, root, from->parent);
	return parent == CALL_NODE_NONE ?
		       CALL_NODE_NONE :
		       call_tree_find_child(tree, parent, function,
					    is_interrupt);
}

static uint64_t entries_of(const struct path_sum *sum, enum call_how how)
{
	return (sum->entries[how] + ENTRY_PARTS / 2) / ENTRY_PARTS;
}

/* Returns the number of the root for work for process @pid. */
static int32_t tree_for(const struct profile_options *options, int32_t pid)
{
	if (options->groups)
		return task_groups_beneficiary(options->groups, pid);
	return pid > 0 ? pid : 0;
}

static int add_sum(struct call_tree *tree, uint32_t place,
		   const struct path_sum *sum,
		   struct profile_interrupts *interrupts)
{
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
	call_tree_at(tree, place)->self_ns += sum->ns;
	call_tree_add_calls(tree, place, &calls,
			    sum->certain_ns[CERTAIN_INFERRED]);
	interrupts->exact_ns += sum->certain_ns[CERTAIN_EXACT];
	interrupts->inferred_ns += sum->certain_ns[CERTAIN_INFERRED];
	interrupts->nobodys_ns += sum->certain_ns[CERTAIN_NOBODY];
	return 0;
}

/* Returns the root for work for process @pid; CALL_NODE_NONE when out of
 * memory.
 */
static uint32_t root_for(struct call_tree *tree,
			 const struct profile_options *options, int32_t pid)
{
	return call_tree_part_root(tree, tree_for(options, pid),
				   pid > 0 ? profile_part_of(options, pid) :
					     PROFILE_WORK);
}

int beneficiary_tree_add(struct call_tree *tree, uint32_t work,
			 const struct profile_options *options,
			 const struct path_sums *sums,
			 struct profile_interrupts *interrupts)
{
	const struct path_sum *sum;
	int status = 0;

	for (size_t i = 0; !status && (sum = path_sums_at(sums, i)); i++) {
		uint32_t place;

		if (!is_wanted(options, sum->pid))
			continue;
		place = root_for(tree, options, sum->pid);
		if (place != CALL_NODE_NONE)
			place = place_below(tree, work, place, sum->path);
		status = add_sum(tree, place, sum, interrupts);
	}
	return status;
}
