/* SPDX-License-Identifier: MIT */
#include "tables/relations/function_study_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/steps/task_choice.h"
#include "report/text/function_label.h"
#include "tables/relations/function_choice_internal.h"

#include <stdlib.h>

/* The slowest of the offered calls, the slowest first. */
struct slow_calls {
	struct array list; /* struct slow_call */
	size_t most;
};

/* Calls in classes of similar wall time. */
struct study_classes {
	struct array list; /* struct study_class, the fastest first */
};

#define STUDY_CLASSES_EMPTY \
	((struct study_classes){ ARRAY_OF(struct study_class) })

/* Returns an empty list for the @most slowest calls. */
static struct slow_calls slow_calls_of(size_t most)
{
	return (struct slow_calls){ ARRAY_OF(struct slow_call), most };
}

static struct slow_call *call_at(const struct slow_calls *calls, size_t rank)
{
	return array_at(&calls->list, rank);
}

static void slow_calls_free(struct slow_calls *calls)
{
	for (size_t i = 0; i < calls->list.count; i++)
		call_parts_free(&call_at(calls, i)->parts);
	array_free(&calls->list);
}

static size_t rank_of(const struct slow_calls *calls, uint64_t wall_ns)
{
	size_t rank = calls->list.count;

	while (rank && call_at(calls, rank - 1)->wall_ns < wall_ns)
		rank--;
	return rank;
}

/* Makes room at the end of the list: appends an entry, or empties the last one
 * if the list is full.
 */
static int make_room(struct slow_calls *calls)
{
	struct slow_call *last;

	if (calls->list.count < calls->most) {
		if (!array_add(&calls->list))
			return -ERROR_MEMORY;
		return 0;
	}
	last = call_at(calls, calls->list.count - 1);
	call_parts_free(&last->parts);
	*last = (struct slow_call){ 0 };
	return 0;
}

/* Copies @call if it is slow enough. Of equally slow calls, the first wins.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int slow_calls_offer(struct slow_calls *calls,
			    const struct slow_call *call)
{
	size_t rank = rank_of(calls, call->wall_ns);
	struct slow_call copy = *call;

	if (rank >= calls->most)
		return 0;
	copy.parts = CALL_PARTS_EMPTY;
	if (call_parts_join(&copy.parts, &call->parts) < 0 ||
	    make_room(calls) < 0) {
		call_parts_free(&copy.parts);
		return -ERROR_MEMORY;
	}
	for (size_t i = calls->list.count - 1; i > rank; i--)
		*call_at(calls, i) = *call_at(calls, i - 1);
	*call_at(calls, rank) = copy;
	return 0;
}

/* Returns the call at @rank, counted from 0, or NULL. */
static const struct slow_call *slow_calls_at(const struct slow_calls *calls,
					     size_t rank)
{
	return rank < calls->list.count ? call_at(calls, rank) : NULL;
}

/* Classes per octave, as a power of two. */
enum { CLASS_BITS = 4 };

void study_class_free(struct study_class *study_class)
{
	call_parts_free(&study_class->parts);
}

static struct study_class *class_at(const struct study_classes *classes,
				    size_t index)
{
	return array_at(&classes->list, index);
}

static void study_classes_free(struct study_classes *classes)
{
	for (size_t i = 0; i < classes->list.count; i++)
		study_class_free(class_at(classes, i));
	array_free(&classes->list);
}

static size_t class_of(uint64_t wall_ns)
{
	unsigned int shift;

	if (wall_ns < 1 << CLASS_BITS)
		return wall_ns;
	shift = 63 - CLASS_BITS - (unsigned int)__builtin_clzll(wall_ns);
	return ((size_t)shift << CLASS_BITS) + (wall_ns >> shift);
}

/* Counts @call.  Returns 0 or -ERROR_MEMORY. */
static int study_classes_add(struct study_classes *classes,
			     const struct slow_call *call)
{
	size_t index = class_of(call->wall_ns);
	struct study_class *found = array_reach_like(
		&classes->list, index,
		&(struct study_class){ .parts = CALL_PARTS_EMPTY });

	if (!found)
		return -ERROR_MEMORY;
	if (!found->calls || call->wall_ns < found->min_ns)
		found->min_ns = call->wall_ns;
	if (call->wall_ns > found->max_ns)
		found->max_ns = call->wall_ns;
	found->calls++;
	return call_parts_join(&found->parts, &call->parts);
}

static int join(struct study_class *sum, const struct study_class *more)
{
	if (!more->calls)
		return 0;
	if (!sum->calls || more->min_ns < sum->min_ns)
		sum->min_ns = more->min_ns;
	if (more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
	sum->calls += more->calls;
	return call_parts_join(&sum->parts, &more->parts);
}

static uint64_t count_all(const struct study_classes *classes)
{
	uint64_t count = 0;

	for (size_t i = 0; i < classes->list.count; i++)
		count += class_at(classes, i)->calls;
	return count;
}

static int add_slow(const struct study_classes *classes, uint64_t wanted,
		    struct study_class *slow)
{
	int status = 0;

	for (size_t i = classes->list.count;
	     i-- > 0 && !status && slow->calls < wanted;)
		status = join(slow, class_at(classes, i));
	return status;
}

static int add_typical(const struct study_classes *classes, uint64_t rank,
		       struct study_class *typical)
{
	uint64_t passed = 0;

	for (size_t i = 0; i < classes->list.count; i++) {
		passed += class_at(classes, i)->calls;
		if (passed >= rank)
			return join(typical, class_at(classes, i));
	}
	return 0;
}

/* See function_study_compare(). */
static int study_classes_compare(const struct study_classes *classes,
				 struct study_class *slow,
				 struct study_class *typical)
{
	uint64_t count = count_all(classes);
	int status;

	*slow = (struct study_class){ .parts = CALL_PARTS_EMPTY };
	*typical = (struct study_class){ .parts = CALL_PARTS_EMPTY };
	status = add_slow(classes, (count + 9) / 10, slow);
	if (!status)
		status = add_typical(classes, (count + 1) / 2, typical);
	if (status < 0) {
		study_class_free(slow);
		study_class_free(typical);
	}
	return status;
}

/* An open call of the function. */
struct open_study {
	struct slow_call call; /* without the times that are known at its end */
	uint32_t depth;
	/* node of the current function; only of the first STUDY_NESTED calls */
	uint32_t node;
	uint32_t levels; /* depth of the current function below the call */
	uint64_t self_ns;
};

struct study_task {
	/* struct open_study, outermost first; entries after the open ones keep
	 * their memory
	 */
	struct array calls;
	size_t open;
	uint32_t depth;	   /* of the current function */
	uint64_t clock_ns; /* task clock up to which its time is in the parts */
	uint64_t left_ns;  /* when it left the CPU; 0: running */
};

struct function_study {
	struct function_study_options options;
	struct histogram times[STUDY_TIMES];
	struct call_tree *tree;
	struct array tasks; /* struct study_task by task index */
	size_t open_calls;  /* of all tasks */
	uint64_t nested;    /* finished calls without parts */
	struct slow_calls slow;
	struct study_classes classes;
};

struct function_study *
function_study_new(const struct function_study_options *options)
{
	struct function_study *study = calloc(1, sizeof(*study));

	if (!study)
		return NULL;
	study->options = *options;
	for (int i = 0; i < STUDY_TIMES; i++)
		study->times[i] = HISTOGRAM_EMPTY;
	study->tasks = ARRAY_OF(struct study_task);
	study->slow = slow_calls_of(options->slowest);
	study->classes = STUDY_CLASSES_EMPTY;
	study->tree = call_tree_new();
	if (!study->tree || call_tree_root(study->tree, -1) == CALL_NODE_NONE) {
		function_study_free(study);
		return NULL;
	}
	return study;
}

static void free_task(struct study_task *task)
{
	for (size_t i = 0; i < task->calls.count; i++) {
		struct open_study *open = array_at(&task->calls, i);

		call_parts_free(&open->call.parts);
	}
	array_free(&task->calls);
}

void function_study_free(struct function_study *study)
{
	if (!study)
		return;
	for (int i = 0; i < STUDY_TIMES; i++)
		histogram_free(&study->times[i]);
	for (size_t i = 0; i < study->tasks.count; i++)
		free_task(array_at(&study->tasks, i));
	array_free(&study->tasks);
	slow_calls_free(&study->slow);
	study_classes_free(&study->classes);
	call_tree_free(study->tree);
	free(study);
}

static struct study_task *task_of(struct function_study *study,
				  const struct task *task)
{
	return array_reach_like(
		&study->tasks, task->index,
		&(struct study_task){ .calls = ARRAY_OF(struct open_study) });
}

static struct open_study *open_at(const struct study_task *task, size_t index)
{
	return array_at(&task->calls, index);
}

/* Returns the number of the task's open calls with parts. The limit makes the
 * cost of a call event independent of the recursion depth.
 */
static size_t open_with_parts(const struct study_task *task)
{
	return task->open < STUDY_NESTED ? task->open : STUDY_NESTED;
}

static void charge_self(const struct study_task *task, uint64_t on_cpu_ns)
{
	struct open_study *open;

	if (!task->open)
		return;
	open = open_at(task, task->open - 1);
	if (open->depth == task->depth)
		open->self_ns += on_cpu_ns;
}

/* Adds the time since the task's last call event. */
static int charge(struct study_task *task, const struct call_step *step)
{
	uint64_t on_cpu_ns = step->clock_ns - task->clock_ns;
	uint64_t off_cpu_ns = task->left_ns ? step->time_ns - task->left_ns : 0;

	task->clock_ns = step->clock_ns;
	task->left_ns = step->kind == STEP_LEAVE ? step->time_ns : 0;
	if (!on_cpu_ns && !off_cpu_ns)
		return 0;
	charge_self(task, on_cpu_ns);
	for (size_t i = 0; i < open_with_parts(task); i++) {
		struct open_study *open = open_at(task, i);
		struct call_part *part =
			call_parts_at(&open->call.parts, open->node);

		if (!part)
			return -ERROR_MEMORY;
		part->on_cpu_ns += on_cpu_ns;
		part->off_cpu_ns += off_cpu_ns;
	}
	return 0;
}

static int descend(struct function_study *study, struct open_study *open,
		   const struct call_step *step)
{
	struct call_part *part;

	/* Time of deeper functions stays with the last level. */
	if (open->levels++ >= DEPTH_DRAWN)
		return 0;
	open->node = call_tree_enter(study->tree, open->node, step->function,
				     step->how);
	part = open->node == CALL_NODE_NONE ?
		       NULL :
		       call_parts_at(&open->call.parts, open->node);
	if (!part)
		return -ERROR_MEMORY;
	part->calls++;
	return 0;
}

static bool is_asked_for(const struct function_study_options *options,
			 const struct call_step *step)
{
	return function_choice_has(options->functions, step->function) &&
	       time_window_has(options->window, step->time_ns) &&
	       step_filter_task(options->filter, step->task) &&
	       step_filter_cpu(options->filter, step->cpu);
}

static int begin(struct function_study *study, struct study_task *task,
		 const struct call_step *step)
{
	struct open_study *open;

	if (task->open == task->calls.count) {
		open = array_add(&task->calls);
		if (!open)
			return -ERROR_MEMORY;
		open->call.parts = CALL_PARTS_EMPTY;
	}
	open = open_at(task, task->open++);
	study->open_calls++;
	call_parts_clear(&open->call.parts);
	open->call.begin_ns = step->time_ns;
	open->call.pid = step->task->pid;
	open->call.tid = step->task->tid;
	open->call.cpu = step->cpu;
	open->depth = step->depth;
	open->self_ns = 0;
	open->levels = 0;
	open->node = call_tree_first_root(study->tree);
	return task->open > STUDY_NESTED ? 0 : descend(study, open, step);
}

static int enter(struct function_study *study, struct study_task *task,
		 const struct call_step *step)
{
	task->depth = step->depth;
	for (size_t i = 0; i < open_with_parts(task); i++)
		if (descend(study, open_at(task, i), step) < 0)
			return -ERROR_MEMORY;
	return is_asked_for(&study->options, step) ? begin(study, task, step) :
						     0;
}

static int count_times(struct function_study *study, struct open_study *open,
		       const struct call_step *step)
{
	const uint64_t times[STUDY_TIMES] = {
		[STUDY_WALL] = step->wall_ns,
		[STUDY_ON_CPU] = step->on_cpu_ns,
		[STUDY_SELF] = open->self_ns,
		[STUDY_OFF_CPU] = step->wall_ns - step->on_cpu_ns,
	};

	for (int i = 0; i < STUDY_TIMES; i++)
		if (histogram_add(&study->times[i], times[i]) < 0)
			return -ERROR_MEMORY;
	return 0;
}

/* Finishes the innermost open call. */
static int finish(struct function_study *study, struct study_task *task,
		  const struct call_step *step)
{
	struct open_study *open = open_at(task, --task->open);

	study->open_calls--;
	if (step->unseen & (UNSEEN_BEGIN | UNSEEN_END))
		return 0;
	open->call.wall_ns = step->wall_ns;
	if (count_times(study, open, step) < 0)
		return -ERROR_MEMORY;
	if (task->open >= STUDY_NESTED) {
		study->nested++;
		return 0;
	}
	if (study_classes_add(&study->classes, &open->call) < 0 ||
	    slow_calls_offer(&study->slow, &open->call) < 0)
		return -ERROR_MEMORY;
	return 0;
}

static int leave(struct function_study *study, struct study_task *task,
		 const struct call_step *step)
{
	int status = 0;

	if (task->open && open_at(task, task->open - 1)->depth == step->depth)
		status = finish(study, task, step);
	task->depth = step->depth ? step->depth - 1 : UINT32_MAX;
	for (size_t i = 0; i < open_with_parts(task); i++) {
		struct open_study *open = open_at(task, i);

		if (--open->levels < DEPTH_DRAWN)
			open->node =
				call_tree_at(study->tree, open->node)->parent;
	}
	return status;
}

int function_study_consume(struct function_study *study,
			   const struct call_step *step)
{
	struct study_task *task = task_of(study, step->task);
	int status = task ? charge(task, step) : -ERROR_MEMORY;

	if (!status && step->kind == STEP_ENTER)
		status = enter(study, task, step);
	else if (!status && step->kind == STEP_EXIT)
		status = leave(study, task, step);
	return status;
}

bool function_study_is_done(const struct function_study *study,
			    uint64_t time_ns)
{
	return time_ns >= study->options.window.until_ns && !study->open_calls;
}

const struct histogram *function_study_time(const struct function_study *study,
					    enum study_time time)
{
	return &study->times[time];
}

uint64_t function_study_nested(const struct function_study *study)
{
	return study->nested;
}

const struct call_tree *function_study_tree(const struct function_study *study)
{
	return study->tree;
}

const struct slow_call *function_study_slow(const struct function_study *study,
					    size_t rank)
{
	return slow_calls_at(&study->slow, rank);
}

int function_study_compare(const struct function_study *study,
			   struct study_class *slow,
			   struct study_class *typical)
{
	return study_classes_compare(&study->classes, slow, typical);
}
