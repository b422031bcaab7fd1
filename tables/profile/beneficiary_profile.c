/* SPDX-License-Identifier: MIT */
#include "tables/profile/beneficiary_profile_internal.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/interrupts/interrupt_slice.h"
#include "attribution/table_records.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "tables/profile/slice_works_internal.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stdlib.h>

/* A task's current node in the tree. */
struct work_path {
	uint32_t node;
	/* after a STEP_EXIT with detail 1: the node that a jump has ended, until
	 * the call event that follows; otherwise 0, a root
	 */
	uint32_t left;
	uint32_t stopped;  /* while in work: the node to return to */
	uint64_t clock_ns; /* task clock up to which its time is in the tree */
	bool is_known;	   /* false: no call event yet */
	bool is_wanted;
	bool is_in_work; /* node is below the root of work */
	/* depth of the outermost function of the work, plus 1; 0: not in work
	 */
	uint32_t work_from;
};

/* The call paths of tasks in a tree where interrupt work has a root of its
 * own, above all processes, where it stays until its beneficiary is known. A
 * task that the filter leaves out is in the tree only while in such work.
 */
struct work_paths {
	const struct profile_options *options;
	struct call_tree *tree;
	uint32_t root;	    /* root of interrupt work */
	struct array tasks; /* struct work_path by task index */
};

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

/* Adds a path for the new task @task and returns it; NULL when out of memory.
 */
static struct work_path *work_paths_add(struct work_paths *paths,
					const struct task *task)
{
	struct work_path *path = array_reach(&paths->tasks, task->index);

	if (!path)
		return NULL;
	path->is_known = true;
	path->is_wanted = step_filter_task(paths->options->filter, task);
	path->node = call_tree_part_root(
		paths->tree, profile_tree_of(paths->options, task),
		profile_part_of(paths->options, task->tid));
	return path->node == CALL_NODE_NONE ? NULL : path;
}

/* Returns the path of @task, valid until a new task is added; NULL when out of
 * memory.
 */
static inline struct work_path *work_paths_of(struct work_paths *paths,
					      const struct task *task)
{
	struct work_path *all = paths->tasks.items;

	return task->index < paths->tasks.count && all[task->index].is_known ?
		       &all[task->index] :
		       work_paths_add(paths, task);
}

/* Returns whether the task's current function is in the tree. */
static inline bool work_path_is_shown(const struct work_path *path)
{
	return path->is_in_work || path->is_wanted;
}

/* Leaves the innermost function, at its exit @step. */
static inline void work_path_leave(const struct work_paths *paths,
				   struct work_path *path,
				   const struct call_step *step)
{
	if (!work_path_is_shown(path))
		return;
	path->left = step->detail ? path->node : 0;
	path->node = call_tree_at(paths->tree, path->node)->parent;
	if (!path->is_in_work || path->node != paths->root)
		return;
	path->node = path->stopped;
	path->is_in_work = false;
	path->work_from = 0;
}

/* The root's number, which no process has. */
enum { WORK_PID = -2 };

/* Borrows @tree and @options. Returns false when out of memory. The caller must
 * free paths->tasks in either case.
 */
static bool work_paths_open(struct work_paths *paths, struct call_tree *tree,
			    const struct profile_options *options)
{
	*paths = (struct work_paths){
		.options = options,
		.tree = tree,
		.root = call_tree_part_root(tree, WORK_PID, PROFILE_WORK),
		.tasks = ARRAY_OF(struct work_path),
	};
	return paths->root != CALL_NODE_NONE;
}

static void begin_work(const struct work_paths *paths, struct work_path *path,
		       uint32_t depth)
{
	path->stopped = path->node;
	path->node = paths->root;
	path->is_in_work = true;
	path->work_from = depth + 1;
}

static bool enter_path(struct work_paths *paths, struct work_path *path,
		       const struct call_step *step)
{
	if (!work_path_is_shown(path))
		return true;
	if (step->how == HOW_TAIL &&
	    profile_ends_interrupt(paths->options,
				   call_tree_at(paths->tree, path->left)))
		path->node = call_tree_child(paths->tree, path->node,
					     step->function,
					     CALL_INTERRUPT_END);
	else
		path->node = call_tree_enter(paths->tree, path->node,
					     step->function, step->how);
	path->left = 0;
	return path->node != CALL_NODE_NONE;
}

/* Enters the function of @step, which starts work if @is_work and its task is
 * in none. Returns false when out of memory.
 */
static bool work_paths_enter(struct work_paths *paths, struct work_path *path,
			     const struct call_step *step, bool is_work)
{
	if (is_work && !path->is_in_work)
		begin_work(paths, path, step->depth);
	return enter_path(paths, path, step);
}

/* Enters the function of @step, which was open at the start of decoding, after
 * work_paths_pack() has read. Returns false when out of memory.
 */
static bool work_paths_reopen(struct work_paths *paths,
			      const struct call_step *step)
{
	struct work_path *path = work_paths_of(paths, step->task);

	if (path && step->depth + 1 == path->work_from)
		begin_work(paths, path, step->depth);
	return path && enter_path(paths, path, step);
}

/* Writes or reads which open functions of tasks started work. After reading,
 * the open functions must be entered with work_paths_reopen(), which restores
 * the nodes.
 */
static void work_paths_pack(struct work_paths *paths,
			    const struct task_pack *tasks)
{
	uint32_t count = (uint32_t)paths->tasks.count;

	pack_u32(tasks->pack, &count);
	task_pack_check(tasks, count);
	for (uint32_t i = 0; i < count && !tasks->pack->failed; i++) {
		struct work_path *path = array_reach(&paths->tasks, i);

		pack_check(tasks->pack, path);
		if (path)
			pack_u32(tasks->pack, &path->work_from);
	}
}

static bool is_wanted(const struct profile_options *options, int32_t pid)
{
	const struct task process = { .pid = pid, .tid = pid };

	return pid > 0 ? step_filter_task(options->filter, &process) :
			 !step_filter_has_tasks(options->filter);
}

/* Returns the node whose path below @root is that of @node below @work, added
 * if it is new; CALL_NODE_NONE when out of memory.
 */
static uint32_t place_below(struct call_tree *tree, uint32_t work,
			    uint32_t root, uint32_t node)
{
	const struct call_node *from = call_tree_at(tree, node);
	uint32_t function = from->function;
	uint8_t interrupt = from->interrupt;
	uint32_t parent;

	if (node == work)
		return root;
	parent = place_below(tree, work, root, from->parent);
	return parent == CALL_NODE_NONE ?
		       CALL_NODE_NONE :
		       call_tree_find_child(tree, parent, function, interrupt);
}

/* Returns the whole number of entries nearest to @parts. */
static uint64_t entries_of(uint64_t parts)
{
	return (parts + ENTRY_PARTS / 2) / ENTRY_PARTS;
}

/* The sums of one path so far. A process gets the difference of two rounded
 * running sums, so that the processes' entries add up to those of the path.
 */
struct shared_path {
	uint32_t path;
	uint64_t entries[CALL_HOWS]; /* in units of 1 / ENTRY_PARTS */
};

/* Adds the entries @how of @sum to @shared; returns the whole number of entries
 * that the process of @sum gets.
 */
static uint64_t share_entries(struct shared_path *shared,
			      const struct path_sum *sum, enum call_how how)
{
	uint64_t before = shared->entries[how];

	shared->entries[how] += sum->entries[how];
	return entries_of(shared->entries[how]) - entries_of(before);
}

static struct call_counts share_calls(struct shared_path *shared,
				      const struct path_sum *sum)
{
	if (shared->path != sum->path)
		*shared = (struct shared_path){ .path = sum->path };
	return (struct call_counts){
		.direct = share_entries(shared, sum, HOW_CALL) +
			  share_entries(shared, sum, HOW_SYSTEM_CALL),
		.tail = share_entries(shared, sum, HOW_TAIL),
		.async = share_entries(shared, sum, HOW_EXCEPTION),
		.starts = share_entries(shared, sum, HOW_START),
		.inferred = share_entries(shared, sum, HOW_INFERRED),
	};
}

static int compare_sums(const void *a, const void *b)
{
	const struct path_sum *one = *(const struct path_sum *const *)a;
	const struct path_sum *other = *(const struct path_sum *const *)b;

	if (one->path != other->path)
		return one->path < other->path ? -1 : 1;
	return (one->pid > other->pid) - (one->pid < other->pid);
}

/* Sets @sorted to the sums (struct path_sum *) by path and process. Returns 0
 * or -ERROR_MEMORY.
 */
static int sort_sums(const struct path_sums *sums, struct array *sorted)
{
	const struct path_sum *sum;

	for (size_t i = 0; (sum = path_sums_at(sums, i)); i++)
		if (array_append(sorted, &sum) < 0)
			return -ERROR_MEMORY;
	array_sort(sorted, compare_sums);
	return 0;
}

/* Returns the number of the root for work for process @pid. */
static int32_t tree_for(const struct profile_options *options, int32_t pid)
{
	if (options->groups)
		return task_groups_beneficiary(options->groups, pid);
	return pid > 0 ? pid : 0;
}

static int add_sum(struct call_tree *tree, uint32_t place,
		   const struct path_sum *sum, const struct call_counts *calls,
		   struct profile_interrupts *interrupts)
{
	if (place == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	call_tree_at(tree, place)->self_ns += sum->ns;
	call_tree_add_calls(tree, place, calls,
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

/* Adds @sums, whose paths are below @work in @tree, to the calls of the
 * processes that the work was for, below each process's root, if
 * @options->filter selects the process; adds to @interrupts how certain that
 * is. Returns 0 or -ERROR_MEMORY.
 */
static int beneficiary_tree_add(struct call_tree *tree, uint32_t work,
				const struct profile_options *options,
				const struct path_sums *sums,
				struct profile_interrupts *interrupts)
{
	struct array sorted = ARRAY_OF(const struct path_sum *);
	struct shared_path shared = { .path = CALL_NODE_NONE };
	int status = sort_sums(sums, &sorted);

	for (size_t i = 0; !status && i < sorted.count; i++) {
		const struct path_sum *sum =
			*(const struct path_sum **)array_at(&sorted, i);
		const struct call_counts calls = share_calls(&shared, sum);
		uint32_t place;

		if (!is_wanted(options, sum->pid))
			continue;
		place = root_for(tree, options, sum->pid);
		if (place != CALL_NODE_NONE)
			place = place_below(tree, work, place, sum->path);
		status = add_sum(tree, place, sum, &calls, interrupts);
	}
	array_free(&sorted);
	return status;
}

/* Adds @more to the innermost slice if the task's time is interrupt work now,
 * else to the task's own work.
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

static void consume_charge(struct charge_callback *callback,
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

static bool enter_function(struct beneficiary_profile *profile,
			   struct work_path *path,
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

/* Applies a call event. Time belongs to the state before the event, a call to
 * the state after it, so the accounts apply the event between the two.
 */
static void consume_step(struct event_handler *handler,
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
		work_path_leave(&profile->tasks, path, step);
	accounts->step(accounts, step);
	if (is_done && step->kind <= STEP_COUNT && step->kind != STEP_EXIT) {
		stack = interrupt_accounts_stack(profile->accounts, step->task);
		is_done = stack &&
			  (step->kind == STEP_ENTER ?
				   enter_function(profile, path, stack, step) :
				   count_local(profile, path, stack, step));
	}
	if (!is_done)
		interrupt_accounts_fail(profile->accounts);
}

static void consume_event(struct event_handler *handler,
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

static void consume_open(struct event_handler *handler,
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
	profile->handler = (struct event_handler){ .step = consume_step,
						   .event = consume_event,
						   .pack = pack_paths,
						   .open = consume_open };
	profile->options = *options;
	profile->tree = call_tree_new();
	profile->works = slice_works_new();
	profile->paths = PATH_SUMS_NONE;
	profile->callback.consume = consume_charge;
	if (profile->tree && profile->works &&
	    work_paths_open(&profile->tasks, profile->tree, &profile->options))
		profile->accounts = interrupt_accounts_new(
			input, trackers_threads(input->trackers));
	if (profile->accounts) {
		interrupt_rows_listen(
			interrupt_accounts_rows(profile->accounts),
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
	array_free(&profile->tasks.tasks);
	free(profile);
}

struct event_handler *
beneficiary_profile_handler(struct beneficiary_profile *profile)
{
	return &profile->handler;
}

static struct interrupt_accounts *accounts_of(struct event_handler *handler)
{
	return ((struct beneficiary_profile *)handler)->accounts;
}

/* The events of a window do not suffice to find beneficiaries: these come from
 * records.
 */
static void begin_window(struct event_handler *handler)
{
	interrupt_rows_listen(interrupt_accounts_rows(accounts_of(handler)),
			      NULL);
}

static void keep(struct event_handler *handler,
		 struct cache_file_writer *writer)
{
	interrupt_accounts_keep(
		interrupt_accounts_handler(accounts_of(handler)), writer);
}

static void keep_at_end(struct event_handler *handler)
{
	/* An error is kept, and returned by beneficiary_profile_end(). */
	interrupt_accounts_end(accounts_of(handler));
}

/* When reading, this is the first call after the call events, so it ends the
 * accounts.
 */
static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	struct beneficiary_profile *profile =
		(struct beneficiary_profile *)handler;

	if (pack->is_reading && interrupt_accounts_end(profile->accounts) < 0)
		pack_check(pack, false);
	interrupt_rows_listen(interrupt_accounts_rows(profile->accounts),
			      &profile->callback);
	interrupt_accounts_pack_rest(
		interrupt_accounts_handler(profile->accounts), pack);
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	interrupt_accounts_read(
		interrupt_accounts_handler(accounts_of(handler)), pack);
}

const struct table_records beneficiary_records = {
	.name = "interrupts",
	.checkpoints = "report_profile_index",
	.begin_window = begin_window,
	.keep = keep,
	.keep_at_end = keep_at_end,
	.pack_rest = pack_rest,
	.consume = consume_record,
	.wanted = table_records_overlap,
};

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
