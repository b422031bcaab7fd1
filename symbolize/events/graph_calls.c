/* SPDX-License-Identifier: MIT */
/* Converts entry and exit records to calls and returns, with the kernel
 * contexts around them, which the tracer does not report.
 */
#include "common/error.h"
#include "decoder/flow/flow.h"
#include "symbolize/events/graph_ahead.h"
#include "symbolize/events/graph_roles.h"
#include "symbolize/events/graph_stream.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

static int add(struct graph_events *events, enum function_event_kind kind,
	       uint8_t detail, uint32_t function)
{
	return graph_events_add(events, (struct function_event){
						.kind = (uint8_t)kind,
						.detail = detail,
						.function = function,
					});
}

/* Resumes tracing in the task's innermost open function. */
static int resume(struct graph_events *events)
{
	events->is_running = true;
	return add(events, FUNCTION_TRACE_START, 0,
		   graph_task_running(events->task));
}

/* Pushes a frame of kind @frame and @function, and emits an event of @kind. */
static int push(struct graph_events *events, enum graph_frame_kind frame,
		enum function_event_kind kind, uint8_t detail,
		uint32_t function)
{
	int error = graph_task_push(events->task, frame, function,
				    events->record.depth);

	events->is_running |= kind == FUNCTION_TRACE_START;
	return error ? error : add(events, kind, detail, function);
}

/* All functions ended on the way to user space. */
static int leave_kernel(struct graph_events *events)
{
	events->task->frames.count = 0;
	events->is_running = false;
	return add(events, FUNCTION_TRACE_STOP, FLOW_STOP_LEVEL,
		   FUNCTION_UNKNOWN);
}

/* Starts an outermost frame for a kernel thread, or for a task that was in the
 * kernel before it was traced: the functions below its first one are unknown.
 */
static int begin_root(struct graph_events *events)
{
	uint32_t function = events->task->tid ?
				    FUNCTION_UNKNOWN :
				    graph_roles_idle(events->tasks->roles);

	return push(events, GRAPH_ROOT, FUNCTION_TRACE_START, 0, function);
}

/* Adjusts the task's stack for a function at @depth, and resumes tracing there
 * if it changed or tracing was off.
 */
static int prepare(struct graph_events *events, int32_t depth)
{
	int changed = graph_task_fit(events->task, depth);

	if (changed < 0)
		return changed;
	if (!changed && events->is_running)
		return 0;
	return resume(events);
}

static bool comes_from_user(const struct graph_task *task, enum graph_role role)
{
	return role == GRAPH_ROLE_SYSTEM_CALL || role == GRAPH_ROLE_WAY_IN ||
	       role == GRAPH_ROLE_USER_LOCK || role == GRAPH_ROLE_USER_FAULT ||
	       (task->enters && task->tid);
}

/* Returns whether @role's function is called before the actual work of its
 * context.
 */
static bool is_on_way_in(enum graph_role role)
{
	return role == GRAPH_ROLE_WAY_IN || role == GRAPH_ROLE_USER_LOCK ||
	       role == GRAPH_ROLE_INTERRUPT;
}

/* Returns whether an interrupt runs that interrupted a context from user space
 * between its functions.
 */
static bool interrupts_context(const struct graph_task *task)
{
	const struct graph_frame *outermost = task->frames.items;

	return graph_task_is_in(task, GRAPH_EXCEPTION) &&
	       outermost->kind == GRAPH_CONTEXT;
}

/* Enters a function at depth 0: its caller was not reported. Starts a context
 * if the function does not belong to the current one.
 */
static int enter_outermost(struct graph_events *events, uint32_t function,
			   enum graph_role role)
{
	struct graph_task *task = events->task;
	uint32_t entry =
		role == GRAPH_ROLE_INTERRUPT ?
			graph_vector_ahead(events, function) :
			graph_role_entry(events->tasks->roles, function);

	if (interrupts_context(task) && role != GRAPH_ROLE_SYSTEM_CALL &&
	    role != GRAPH_ROLE_WAY_IN)
		return events->is_running ? 0 : resume(events);
	if (graph_task_is_in(task, GRAPH_CONTEXT) &&
	    graph_context_lasts(events, role, entry, events->record.time_ns)) {
		task->is_on_way_in &= role == GRAPH_ROLE_NONE ||
				      is_on_way_in(role);
		task->is_at_end |= role == GRAPH_ROLE_LAST_WAY_OUT;
		return events->is_running ? 0 : resume(events);
	}
	if (graph_task_is_in(task, GRAPH_SCHEDULE) ||
	    !comes_from_user(task, role)) {
		if (!graph_task_is_in(task, GRAPH_ROOT) &&
		    !graph_task_is_in(task, GRAPH_SCHEDULE))
			return begin_root(events);
		return events->is_running ? 0 : resume(events);
	}
	task->enters = true;
	task->is_on_way_in = is_on_way_in(role);
	task->is_on_way_out = false;
	task->is_at_end = role == GRAPH_ROLE_LAST_WAY_OUT;
	task->is_in_interrupt = role == GRAPH_ROLE_INTERRUPT;
	task->frames.count = 0;
	task->last_exit_ns = 0;
	if (entry == FUNCTION_UNKNOWN && !graph_role_is_way_out(role))
		entry = function;
	return push(events, GRAPH_CONTEXT, FUNCTION_TRACE_START, 1, entry);
}

/* Pushes the inferred frame of an interrupt or fault in the kernel, or of the
 * scheduler, if @function implies one.
 */
static int interrupt(struct graph_events *events, uint32_t function,
		     enum graph_role role)
{
	uint32_t entry = graph_role_entry(events->tasks->roles, function);

	if (role == GRAPH_ROLE_SWITCHING && entry != function)
		return push(events, GRAPH_SCHEDULE, FUNCTION_CALL, 0, entry);
	if (role != GRAPH_ROLE_INTERRUPT && role != GRAPH_ROLE_FAULT)
		return 0;
	if (graph_task_is_in(events->task, GRAPH_CONTEXT) &&
	    !events->record.depth &&
	    (role == GRAPH_ROLE_FAULT || events->task->is_in_interrupt))
		return 0;
	if (role == GRAPH_ROLE_INTERRUPT)
		entry = graph_vector_ahead(events, function);
	return push(events, GRAPH_EXCEPTION, FUNCTION_EXCEPTION,
		    FUNCTION_EXCEPTION_INTERRUPT, entry);
}

/* Returns whether the innermost frame is a context that has @function itself as
 * its entry.
 */
static bool is_begun_by(const struct graph_task *task, uint32_t function)
{
	const struct graph_frame *top = graph_task_top(task);

	return top && top->kind == GRAPH_CONTEXT && top->function == function;
}

/* Pushes @function and emits its call, unless its context has been emitted
 * under the same name.
 */
static int begin_function(struct graph_events *events, uint32_t function)
{
	struct graph_task *task = events->task;
	bool is_known = !events->record.depth && is_begun_by(task, function);
	int error = graph_task_push(task, GRAPH_FUNCTION, function,
				    events->record.depth);

	if (error)
		return error;
	return is_known ? 0 : add(events, FUNCTION_CALL, 0, function);
}

int graph_calls_enter(struct graph_events *events)
{
	int32_t depth = events->record.depth;
	uint32_t function =
		graph_events_symbol(events, &events->record).function;
	enum graph_role role = graph_role_of(events->tasks->roles, function);
	int error;

	if (depth) {
		error = prepare(events, depth);
	} else {
		error = graph_task_fit(events->task, depth);
		error = error < 0 ? error :
				    enter_outermost(events, function, role);
	}
	if (!error)
		error = interrupt(events, function, role);
	return error ? error : begin_function(events, function);
}

/* A function at depth 0 of a context from user space has ended. */
static int exit_outermost(struct graph_events *events, uint32_t function)
{
	struct graph_task *task = events->task;

	task->last_exit_ns = events->record.time_ns;
	task->is_on_way_out = false;
	if (!graph_context_goes_on(events)) {
		task->is_on_way_out = !task->is_in_interrupt &&
				      graph_call_is_interrupted(events);
		if (!task->is_on_way_out)
			return leave_kernel(events);
	}
	if (is_begun_by(task, function))
		return 0;
	return add(events, FUNCTION_RETURN, 0, graph_task_running(task));
}

/* Returns whether an interrupt or fault in the kernel ends with @role's
 * function.
 */
static bool ends_exception(const struct graph_events *events,
			   enum graph_role role)
{
	if (!graph_task_is_in(events->task, GRAPH_EXCEPTION))
		return false;
	if (role == GRAPH_ROLE_INTERRUPT_END ||
	    role == GRAPH_ROLE_INTERRUPT_TAIL)
		return !graph_interrupt_goes_on(events);
	return role == GRAPH_ROLE_FAULT;
}

/* Ends the innermost frame, which is inferred, and emits that. */
static int pop_inferred(struct graph_events *events)
{
	bool is_exception = graph_task_is_in(events->task, GRAPH_EXCEPTION);

	graph_task_pop(events->task);
	return add(events,
		   is_exception ? FUNCTION_EXCEPTION_RETURN : FUNCTION_RETURN,
		   0, graph_task_running(events->task));
}

/* Ends the inferred innermost frame, if it ends with @role's function. */
static int end_inferred(struct graph_events *events, enum graph_role role)
{
	bool is_switched = role == GRAPH_ROLE_SWITCHED &&
			   graph_task_is_in(events->task, GRAPH_SCHEDULE);

	if (!is_switched && !ends_exception(events, role))
		return 0;
	return pop_inferred(events);
}

/* Ends inferred frames that no function ended, when their caller ends. */
static int end_all_inferred(struct graph_events *events)
{
	const struct graph_frame *top = graph_task_top(events->task);
	int error = 0;

	while (!error && top &&
	       (top->kind == GRAPH_EXCEPTION || top->kind == GRAPH_SCHEDULE) &&
	       top->depth > events->record.depth) {
		error = pop_inferred(events);
		top = graph_task_top(events->task);
	}
	return error;
}

/* Ends the innermost function. */
static int end_function(struct graph_events *events, uint32_t function)
{
	int error;

	graph_task_pop(events->task);
	if (!events->record.depth &&
	    graph_task_is_in(events->task, GRAPH_CONTEXT))
		return exit_outermost(events, function);
	error = add(events, FUNCTION_RETURN, 0,
		    graph_task_running(events->task));
	if (error)
		return error;
	return end_inferred(events,
			    graph_role_of(events->tasks->roles, function));
}

/* Ends a function of which only the exit was recorded: its entry was lost. */
static int end_unseen(struct graph_events *events)
{
	int changed = graph_task_fit(events->task, events->record.depth);

	if (changed < 0)
		return changed;
	return resume(events);
}

int graph_calls_exit(struct graph_events *events)
{
	uint32_t function =
		graph_events_symbol(events, &events->record).function;
	const struct graph_frame *top;
	int error = end_all_inferred(events);

	if (error)
		return error;
	error = prepare(events, events->record.depth + 1);
	if (error < 0)
		return error;
	top = graph_task_top(events->task);
	if (top->function == function && top->kind == GRAPH_FUNCTION)
		return end_function(events, function);
	return end_unseen(events);
}
