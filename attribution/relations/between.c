/* SPDX-License-Identifier: MIT */
#include "attribution/relations/between.h"

#include "attribution/relations/between_paths.h"
#include "attribution/relations/function_choice.h"
#include "common/error.h"
#include "report/steps/step_filter.h"
#include "symbolize/functions/context_kinds.h"

#include <stdlib.h>

/* A call of A. */
struct open_call {
	uint32_t function;
	uint32_t depth;
	uint32_t interrupts; /* open below it */
	uint64_t begin_ns;
	uint64_t begin_clock_ns;
	bool has_reached;
	bool has_ended; /* unless a jump comes next */
	uint8_t doubt;	/* enum call_doubt bits of its end */
};

struct open_function {
	uint32_t function;
	bool is_interrupt;
};

struct task_state {
	struct array functions; /* struct open_function by depth */
	struct array calls;	/* struct open_call, outermost first */
	uint32_t interrupts;	/* of functions */
};

struct between {
	struct between_question question;
	struct between_answer answer;
	struct array tasks; /* struct task_state by task index */
	struct between_paths *paths;
};

struct between *between_new(const struct between_question *question)
{
	struct between *between = calloc(1, sizeof(*between));

	if (!between)
		return NULL;
	between->question = *question;
	between->answer.time = HISTOGRAM_EMPTY;
	between->tasks = ARRAY_OF(struct task_state);
	between->paths = between_paths_new();
	if (between->paths)
		return between;
	between_free(between);
	return NULL;
}

void between_free(struct between *between)
{
	if (!between)
		return;
	for (size_t i = 0; i < between->tasks.count; i++) {
		struct task_state *task = array_at(&between->tasks, i);

		array_free(&task->functions);
		array_free(&task->calls);
	}
	array_free(&between->tasks);
	between_paths_free(between->paths);
	histogram_free(&between->answer.time);
	free(between);
}

static struct task_state *state_of(struct between *between,
				   const struct task *task)
{
	while (between->tasks.count <= task->index) {
		struct task_state *state = array_add(&between->tasks);

		if (!state)
			return NULL;
		state->functions = ARRAY_OF(struct open_function);
		state->calls = ARRAY_OF(struct open_call);
	}
	return array_at(&between->tasks, task->index);
}

static int open_function(struct between *between, struct task_state *task,
			 const struct call_step *step)
{
	enum context_kind kind =
		context_kind_of(between->question.kinds, step->function);
	struct open_function *function;

	function = array_reach(&task->functions, step->depth);
	if (!function)
		return -ERROR_MEMORY;
	function->function = step->function;
	function->is_interrupt = kind == CONTEXT_INTERRUPT ||
				 kind == CONTEXT_NMI;
	task->interrupts += function->is_interrupt;
	return 0;
}

static void close_function(struct task_state *task, uint32_t depth)
{
	const struct open_function *function =
		array_at(&task->functions, depth);

	task->interrupts -= function->is_interrupt;
	task->functions.count = depth;
}

static void finish_call(struct between *between, const struct open_call *call)
{
	struct between_answer *answer = &between->answer;

	if (call->has_reached)
		return;
	if (call->doubt & DOUBT_BEGIN)
		answer->unseen_begin++;
	else if (call->doubt & DOUBT_END)
		answer->open++;
	else if (call->doubt & DOUBT_INSIDE)
		answer->doubtful++;
	else
		answer->never++;
}

/* Calls whose function has ended are over unless it jumped to this one. */
static void finish_ended(struct between *between, struct task_state *task,
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
		finish_call(between, call);
		task->calls.count--;
	}
	for (size_t i = task->calls.count; i-- > 0;) {
		struct open_call *call = array_at(&task->calls, i);

		if (call->depth != step->depth)
			return;
		call->has_ended = false;
	}
}

/* Returns the path from @call to the innermost function, which is B. */
static struct between_path *find_path(struct between *between,
				      const struct task_state *task,
				      const struct open_call *call)
{
	const struct open_function *functions = task->functions.items;
	uint32_t node = between_paths_begin(between->paths, call->function);
	uint32_t depth = call->depth;

	/* It may have jumped on. */
	if (functions[depth].function == call->function &&
	    depth + 1 < task->functions.count)
		depth++;
	for (; depth < task->functions.count; depth++)
		node = between_paths_go_on(between->paths, node,
					   functions[depth].function);
	return between_paths_to(between->paths, node);
}

static int reach(struct between *between, const struct task_state *task,
		 struct open_call *call, const struct call_step *step)
{
	uint64_t time_ns = step->time_ns - call->begin_ns;
	uint64_t on_cpu_ns = step->clock_ns - call->begin_clock_ns;
	struct between_path *path;

	call->has_reached = true;
	/* Since when it ran is not known. */
	if (call->doubt & DOUBT_BEGIN) {
		between->answer.unseen_begin++;
		return 0;
	}
	path = find_path(between, task, call);
	if (!path || histogram_add(&path->time, time_ns) < 0 ||
	    histogram_add(&between->answer.time, time_ns) < 0)
		return -ERROR_MEMORY;
	path->on_cpu_ns += on_cpu_ns;
	between->answer.on_cpu_ns += on_cpu_ns;
	return 0;
}

/* B begins: the first time for some calls of A. */
static int meet(struct between *between, struct task_state *task,
		const struct call_step *step)
{
	int status = 0;

	for (size_t i = 0; i < task->calls.count && !status; i++) {
		struct open_call *call = array_at(&task->calls, i);

		if (call->interrupts < task->interrupts)
			between->answer.in_interrupts++;
		else if (call->has_reached)
			between->answer.again++;
		else
			status = reach(between, task, call, step);
	}
	return status;
}

static bool is_asked_for(const struct between_question *question,
			 const struct call_step *step)
{
	return step->time_ns >= question->window.since_ns &&
	       step->time_ns < question->window.until_ns &&
	       step_filter_task(question->filter, step->task) &&
	       step_filter_cpu(question->filter, step->cpu);
}

static int open_call(struct between *between, struct task_state *task,
		     const struct call_step *step)
{
	struct open_call *call;

	if (!is_asked_for(&between->question, step))
		return 0;
	call = array_add(&task->calls);
	if (!call)
		return -ERROR_MEMORY;
	*call = (struct open_call){
		.function = step->function,
		.depth = step->depth,
		.interrupts = task->interrupts,
		.begin_ns = step->time_ns,
		.begin_clock_ns = step->clock_ns,
		.doubt = step->doubt,
	};
	between->answer.calls++;
	return 0;
}

static int enter(struct between *between, struct task_state *task,
		 const struct call_step *step)
{
	int status = open_function(between, task, step);

	if (!status && !(step->doubt & DOUBT_BEGIN) &&
	    function_choice_has(between->question.to, step->function))
		status = meet(between, task, step);
	if (!status &&
	    function_choice_has(between->question.from, step->function))
		status = open_call(between, task, step);
	return status;
}

static void leave(struct task_state *task, const struct call_step *step)
{
	close_function(task, step->depth);
	for (size_t i = task->calls.count; i-- > 0;) {
		struct open_call *call = array_at(&task->calls, i);

		if (call->depth < step->depth)
			return;
		call->has_ended = true;
		call->doubt |= step->doubt;
	}
}

int between_take(struct between *between, const struct call_step *step)
{
	struct task_state *task = state_of(between, step->task);

	if (!task)
		return -ERROR_MEMORY;
	finish_ended(between, task, step);
	if (step->kind == STEP_ENTER)
		return enter(between, task, step);
	if (step->kind == STEP_EXIT)
		leave(task, step);
	return 0;
}

void between_end(struct between *between)
{
	for (size_t i = 0; i < between->tasks.count; i++) {
		struct task_state *task = array_at(&between->tasks, i);

		for (size_t at = 0; at < task->calls.count; at++)
			finish_call(between, array_at(&task->calls, at));
		task->calls.count = 0;
	}
	between_paths_sort(between->paths);
}

const struct between_answer *between_answer(const struct between *between)
{
	return &between->answer;
}

const struct between_paths *between_paths(const struct between *between)
{
	return between->paths;
}
