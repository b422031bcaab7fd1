/* SPDX-License-Identifier: MIT */
#include "tables/relations/latency_internal.h"

#include "attribution/time/wait_channels.h"
#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/steps/task_choice.h"
#include "report/text/function_label.h"
#include "symbolize/functions/context_kinds.h"
#include "tables/relations/function_choice_internal.h"

#include <stdlib.h>

/* A is the first function of --between, B the second. For each task there is a
 * list of the open calls of A. Each entry of B is counted for the open calls
 * that have not reached B yet: their time so far, and the path of functions
 * from A to B, a node of a call tree with A at the root (struct latency_paths).
 *
 * A call of A that ends without B is one of the other counts of struct
 * latency_answer. If A ends by a jump, its call continues in the next function,
 * so that it is only known at the next event whether it has ended (has_ended).
 */

struct latency_paths {
	struct call_tree *tree;
	struct keyed_array all; /* struct latency_path by node */
};

/* A call of A that is open or has just ended. */
struct open_call {
	uint32_t function;
	uint32_t depth;
	uint64_t begin_ns;
	uint64_t begin_clock_ns;
	bool has_reached;
	/* its function has ended, but may have jumped: see finish_ended() */
	bool has_ended;
	uint8_t unseen; /* enum call_unseen bits of its end */
};

struct task_state {
	struct array calls; /* struct open_call, outermost first */
};

struct latency {
	struct latency_question question;
	struct latency_answer answer;
	struct array tasks; /* struct task_state by task index */
	size_t open_calls;  /* of all tasks */
	struct latency_paths *paths;
};

static void latency_paths_free(struct latency_paths *paths)
{
	if (!paths)
		return;
	for (size_t i = 0; i < paths->all.items.count; i++) {
		struct latency_path *path = array_at(&paths->all.items, i);

		histogram_free(&path->time);
	}
	keyed_array_free(&paths->all);
	call_tree_free(paths->tree);
	free(paths);
}

/* Returns NULL when out of memory. */
static struct latency_paths *latency_paths_new(void)
{
	struct latency_paths *paths = calloc(1, sizeof(*paths));

	if (!paths)
		return NULL;
	paths->all = KEYED_ARRAY_OF(struct latency_path, node);
	paths->tree = call_tree_new();
	if (paths->tree && call_tree_root(paths->tree, -1) != CALL_NODE_NONE)
		return paths;
	latency_paths_free(paths);
	return NULL;
}

/* Return the node of @function at the root, or below @node; CALL_NODE_NONE when
 * out of memory, or if @node is CALL_NODE_NONE.
 */
static uint32_t latency_paths_begin(struct latency_paths *paths,
				    uint32_t function)
{
	return call_tree_child(paths->tree, call_tree_first_root(paths->tree),
			       function, false);
}

static uint32_t latency_paths_go_on(struct latency_paths *paths, uint32_t node,
				    uint32_t function)
{
	return node == CALL_NODE_NONE ?
		       node :
		       call_tree_child(paths->tree, node, function,
				       CALL_NO_INTERRUPT);
}

/* Returns the path to @node, adding it if it is new; the pointer is valid until
 * the next call. NULL when out of memory, or if @node is CALL_NODE_NONE.
 */
static struct latency_path *latency_paths_to(struct latency_paths *paths,
					     uint32_t node)
{
	return node == CALL_NODE_NONE ?
		       NULL :
		       keyed_array_add(&paths->all,
				       &(struct latency_path){
					       .node = node,
					       .time = HISTOGRAM_EMPTY,
				       });
}

/* Sorts by falling number, then by falling time. Afterwards, latency_paths_to()
 * must not be called.
 */
static void latency_paths_sort(struct latency_paths *paths)
{
	array_sort_by(&paths->all.items,
		      KEYS(FALLING(struct latency_path, time.count),
			   FALLING(struct latency_path, time.total),
			   RISING(struct latency_path, node)));
}

const struct latency_path *latency_paths_at(const struct latency_paths *paths,
					    size_t index)
{
	return index < paths->all.items.count ?
		       array_at(&paths->all.items, index) :
		       NULL;
}

const struct call_tree *latency_paths_tree(const struct latency_paths *paths)
{
	return paths->tree;
}

struct latency *latency_new(const struct latency_question *question)
{
	struct latency *latency = calloc(1, sizeof(*latency));

	if (!latency)
		return NULL;
	latency->question = *question;
	latency->answer.time = HISTOGRAM_EMPTY;
	latency->tasks = ARRAY_OF(struct task_state);
	latency->paths = latency_paths_new();
	if (latency->paths)
		return latency;
	latency_free(latency);
	return NULL;
}

void latency_free(struct latency *latency)
{
	if (!latency)
		return;
	for (size_t i = 0; i < latency->tasks.count; i++) {
		struct task_state *task = array_at(&latency->tasks, i);

		array_free(&task->calls);
	}
	array_free(&latency->tasks);
	latency_paths_free(latency->paths);
	histogram_free(&latency->answer.time);
	free(latency);
}

static struct task_state *state_of(struct latency *latency,
				   const struct task *task)
{
	return array_reach_like(&latency->tasks, task->index,
				&(struct task_state){
					.calls = ARRAY_OF(struct open_call),
				});
}

static void finish_call(struct latency *latency, const struct open_call *call)
{
	struct latency_answer *answer = &latency->answer;

	if (call->has_reached)
		return;
	if (call->unseen & UNSEEN_BEGIN)
		answer->unseen_begin++;
	else if (call->unseen & UNSEEN_END)
		answer->open++;
	else if (call->unseen & UNSEEN_INSIDE)
		answer->doubtful++;
	else
		answer->never++;
}

/* Finishes calls whose function has ended, unless it jumped to the function of
 * @step.
 */
static void finish_ended(struct latency *latency, struct task_state *task,
			 const struct call_step *step)
{
	bool is_jump = step->kind == STEP_ENTER && step->how == HOW_TAIL;

	while (task->calls.count) {
		struct open_call *call =
			array_at(&task->calls, task->calls.count - 1);

		if (!call->has_ended)
			return;
		if (is_jump && call->depth == step->depth)
			break;
		finish_call(latency, call);
		task->calls.count--;
		latency->open_calls--;
	}
	for (size_t i = task->calls.count; i-- > 0;) {
		struct open_call *call = array_at(&task->calls, i);

		if (call->depth != step->depth)
			return;
		call->has_ended = false;
	}
}

/* Returns the depth of the innermost running interrupt, or 0. Calls at a lower
 * depth are interrupted.
 */
static size_t interrupt_depth(const struct latency *latency,
			      const struct path_frame *frames, size_t count)
{
	for (size_t i = count; i-- > 1;) {
		enum context_kind kind = context_kind_of(
			latency->question.kinds, frames[i].function);

		if (kind == CONTEXT_INTERRUPT || kind == CONTEXT_NMI)
			return i;
	}
	return 0;
}

/* Returns the path from @call to the innermost of @frames, which is B. Leaves
 * out the middle of a deep path: if A is recursive, each of its many open calls
 * has a path.
 */
static struct latency_path *find_path(struct latency *latency,
				      const struct open_call *call,
				      const struct path_frame *frames,
				      size_t count)
{
	uint32_t node = latency_paths_begin(latency->paths, call->function);
	uint32_t depth = call->depth;
	size_t left_out;
	size_t gap_at;

	/* A itself is in the path already, unless it has jumped to another
	 * function.
	 */
	if (frames[depth].function == call->function && depth + 1 < count)
		depth++;
	left_out = stack_left_out(count - depth + 1);
	gap_at = depth + STACK_ENDS - 1;
	for (; depth < count; depth++) {
		bool is_gap = left_out && depth == gap_at;

		node = latency_paths_go_on(
			latency->paths, node,
			is_gap ? frame_state_function(FRAME_LEFT_OUT) :
				 frames[depth].function);
		depth += is_gap ? (uint32_t)left_out - 1 : 0;
	}
	return latency_paths_to(latency->paths, node);
}

static int reach(struct latency *latency, struct open_call *call,
		 const struct path_frame *frames, size_t count,
		 const struct call_step *step)
{
	uint64_t time_ns = step->time_ns - call->begin_ns;
	uint64_t on_cpu_ns = step->clock_ns - call->begin_clock_ns;
	struct latency_path *path;

	call->has_reached = true;
	/* The call's start time is unknown. */
	if (call->unseen & UNSEEN_BEGIN) {
		latency->answer.unseen_begin++;
		return 0;
	}
	path = find_path(latency, call, frames, count);
	if (!path || histogram_add(&path->time, time_ns) < 0 ||
	    histogram_add(&latency->answer.time, time_ns) < 0)
		return -ERROR_MEMORY;
	path->on_cpu_ns += on_cpu_ns;
	latency->answer.on_cpu_ns += on_cpu_ns;
	return 0;
}

/* Applies an entry of B to the open calls of A: it is the first one in some of
 * them.
 */
static int meet(struct latency *latency, struct task_state *task,
		const struct call_step *step)
{
	size_t count;
	const struct path_frame *frames = task_paths_of(
		latency->question.paths, step->task->index, &count);
	size_t interrupt = interrupt_depth(latency, frames, count);
	int status = 0;

	for (size_t i = 0; i < task->calls.count && !status; i++) {
		struct open_call *call = array_at(&task->calls, i);

		if (call->depth < interrupt)
			latency->answer.in_interrupts++;
		else if (call->has_reached)
			latency->answer.again++;
		else
			status = reach(latency, call, frames, count, step);
	}
	return status;
}

static bool is_asked_for(const struct latency_question *question,
			 const struct call_step *step)
{
	return time_window_has(question->window, step->time_ns) &&
	       step_filter_task(question->filter, step->task) &&
	       step_filter_cpu(question->filter, step->cpu);
}

static int open_call(struct latency *latency, struct task_state *task,
		     const struct call_step *step)
{
	struct open_call *call;

	if (!is_asked_for(&latency->question, step))
		return 0;
	call = array_add(&task->calls);
	if (!call)
		return -ERROR_MEMORY;
	*call = (struct open_call){
		.function = step->function,
		.depth = step->depth,
		.begin_ns = step->time_ns,
		.begin_clock_ns = step->clock_ns,
		.unseen = step->unseen,
	};
	latency->answer.calls++;
	latency->open_calls++;
	return 0;
}

static int enter(struct latency *latency, struct task_state *task,
		 const struct call_step *step)
{
	int status = 0;

	if (!(step->unseen & UNSEEN_BEGIN) &&
	    function_choice_has(latency->question.to, step->function))
		status = meet(latency, task, step);
	if (!status &&
	    function_choice_has(latency->question.from, step->function))
		status = open_call(latency, task, step);
	return status;
}

static void leave(struct task_state *task, const struct call_step *step)
{
	for (size_t i = task->calls.count; i-- > 0;) {
		struct open_call *call = array_at(&task->calls, i);

		if (call->depth < step->depth)
			return;
		call->has_ended = true;
		call->unseen |= step->unseen;
	}
}

int latency_consume(struct latency *latency, const struct call_step *step)
{
	struct task_state *task = state_of(latency, step->task);

	if (!task)
		return -ERROR_MEMORY;
	finish_ended(latency, task, step);
	if (step->kind == STEP_ENTER)
		return enter(latency, task, step);
	if (step->kind == STEP_EXIT)
		leave(task, step);
	return 0;
}

bool latency_is_done(const struct latency *latency, uint64_t time_ns)
{
	return time_ns >= latency->question.window.until_ns &&
	       !latency->open_calls;
}

void latency_end(struct latency *latency)
{
	for (size_t i = 0; i < latency->tasks.count; i++) {
		struct task_state *task = array_at(&latency->tasks, i);

		for (size_t at = 0; at < task->calls.count; at++)
			finish_call(latency, array_at(&task->calls, at));
		task->calls.count = 0;
	}
	latency_paths_sort(latency->paths);
}

const struct latency_answer *latency_answer(const struct latency *latency)
{
	return &latency->answer;
}

const struct latency_paths *latency_paths(const struct latency *latency)
{
	return latency->paths;
}
