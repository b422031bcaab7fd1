/* SPDX-License-Identifier: MIT */
#include "symbolize/events/graph_events.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/flow/flow.h"
#include "decoder/recording/tracepoint.h"
#include "decoder/trace_dat/ring_page.h"
#include "symbolize/arch/arch.h"
#include "symbolize/events/graph_tasks.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdbool.h>
#include <stdlib.h>

/* One CPU's records of function_graph as function events. Functions are
 * reported; their contexts are inferred by the roles of functions (struct
 * graph_roles) and by the next records, which are read ahead from a copy of the
 * iterator:
 *
 *	a function at depth 0 ─► of the current context, an interrupt in it, or
 *	                         the first of a new one?
 *	its end ──────────────► does the context continue, or is it left?
 *
 * The answers depend on the order of roles on the ways into and out of the
 * kernel and, as no record marks the end of a context, on the time between
 * functions. After a loss, the depth of the next record shows which open
 * functions have ended (graph_task_fit()).
 */

/* One CPU's stream. */
struct graph_events {
	const struct symbols *symbols;
	struct graph_tasks *tasks;
	int32_t cpu;
	struct ring_pages pages; /* the position after record */
	struct graph_record record;
	bool has_record;	 /* record is not consumed yet */
	struct graph_task *task; /* the running task */
	bool is_running;	 /* task is being traced */
	bool has_next;		 /* a switch to next_tid was announced */
	int32_t next_tid;
	bool is_preempted;
	uint64_t last_ns;   /* time of the newest event */
	uint64_t record_ns; /* time of the previous record */
	uint64_t pace_ns;   /* usual time between two records */
	bool has_ended;
	struct array out; /* struct function_event */
};

/* Adds an event at @time_ns, but not before the newest event. Returns 0 or
 * -ERROR_MEMORY.
 */
static int graph_events_add_at(struct graph_events *events,
			       struct function_event event, uint64_t time_ns)
{
	struct function_event *added = array_add(&events->out);

	if (!added)
		return -ERROR_MEMORY;
	if (time_ns > events->last_ns)
		events->last_ns = time_ns;
	*added = event;
	added->time_ns = events->last_ns;
	return 0;
}

/* Returns the symbol of @record's function. */
static struct symbol graph_events_symbol(const struct graph_events *events,
					 const struct graph_record *record)
{
	struct symbol symbol;

	symbols_find(events->symbols, -1, 0, record->address, &symbol);
	return symbol;
}

/* Maximum time between the end of a function and the start of the next one on
 * the way to user space; a function that starts later belongs to another
 * context. On a slow machine, or with a slow tracer, it is FOLLOWS_RECORDS
 * times the usual time between two records, if that is longer.
 */
enum { FOLLOWS_NS = 2000, FOLLOWS_RECORDS = 8 };

/* Limits on the records searched: for the vector of an interrupt, after its
 * first record, and for the end of an interrupt.
 */
enum { VECTOR_RECORDS = 64, INTERRUPT_RECORDS = 4096 };

static uint32_t function_of(const struct graph_events *events,
			    const struct graph_record *record)
{
	return graph_events_symbol(events, record).function;
}

/* Returns the entry of the interrupt whose first function is @function, the
 * function of the current record. Reads ahead for the function of its vector.
 */
static uint32_t graph_vector_ahead(const struct graph_events *events,
				   uint32_t function)
{
	const struct graph_roles *roles = events->tasks->roles;
	struct ring_pages pages = events->pages;
	struct graph_record record;

	for (int i = 0;
	     i < VECTOR_RECORDS && graph_record_next(&pages, &record) &&
	     record.tid == events->record.tid &&
	     record.depth >= events->record.depth;
	     i++) {
		uint32_t next;

		if (record.event != GRAPH_ENTRY ||
		    record.depth > events->record.depth)
			continue;
		next = function_of(events, &record);
		if (graph_role_of(roles, next) == GRAPH_ROLE_VECTOR)
			return graph_role_entry(roles, next);
	}
	return graph_role_entry(roles, function);
}

/* Returns whether @time_ns is so soon after the task's last exit that a
 * function which starts then may belong to the same context.
 */
static bool is_near(const struct graph_events *events, uint64_t time_ns)
{
	uint64_t last_ns = events->task->last_exit_ns;
	uint64_t most_ns = events->pace_ns * FOLLOWS_RECORDS;

	if (most_ns < FOLLOWS_NS)
		most_ns = FOLLOWS_NS;
	return !last_ns || time_ns - last_ns <= most_ns;
}

/* Returns whether the task is in a system call or fault that has not reached
 * its actual work, and therefore cannot have ended: a function that starts now
 * belongs to an interrupt.
 */
static bool has_to_go_on(const struct graph_task *task)
{
	return task->is_on_way_in && !task->is_in_interrupt;
}

/* Returns whether a function at depth 0 with @role, which implies @entry, still
 * belongs to the task's current context when it starts at @time_ns.
 */
static bool graph_context_lasts(const struct graph_events *events,
				enum graph_role role, uint32_t entry,
				uint64_t time_ns)
{
	const struct graph_task *task = events->task;
	const struct graph_frame *context = array_at(&task->frames, 0);

	switch (role) {
	case GRAPH_ROLE_SYSTEM_CALL:
		return task->is_on_way_in && context->function == entry;
	case GRAPH_ROLE_WAY_IN:
	case GRAPH_ROLE_FAULT:
		return false;
	case GRAPH_ROLE_INTERRUPT:
		return has_to_go_on(task) || task->is_on_way_out;
	case GRAPH_ROLE_VECTOR:
		return task->is_on_way_in || is_near(events, time_ns);
	case GRAPH_ROLE_SWITCHING:
	case GRAPH_ROLE_SWITCHED:
	case GRAPH_ROLE_INTERRUPT_END:
	case GRAPH_ROLE_INTERRUPT_TAIL:
	case GRAPH_ROLE_WAY_OUT:
	case GRAPH_ROLE_CALL_WAY_OUT:
		return true;
	case GRAPH_ROLE_NONE:
		return is_near(events, time_ns);
	case GRAPH_ROLE_LAST_WAY_OUT:
		return !task->is_at_end && is_near(events, time_ns);
	case GRAPH_ROLE_USER_LOCK:
	case GRAPH_ROLE_USER_FAULT:
		return !task->is_at_end &&
		       (task->is_on_way_in || is_near(events, time_ns)) &&
		       context->function == entry;
	}
	return false;
}

/* Returns whether the next record is of the same task and starts a function at
 * @depth, and sets *next to it.
 */
static bool begins_next(const struct graph_events *events, int32_t depth,
			struct graph_record *next)
{
	struct ring_pages pages = events->pages;

	return graph_record_next(&pages, next) &&
	       next->tid == events->record.tid && next->event == GRAPH_ENTRY &&
	       next->depth == depth && !next->has_loss && !next->follows_damage;
}

/* Returns whether the next record still belongs to the context, when a function
 * at depth 0 ended.
 */
static bool graph_context_goes_on(const struct graph_events *events)
{
	const struct graph_roles *roles = events->tasks->roles;
	struct graph_record next;
	uint32_t function;

	/* A function that the tracer itself calls is recorded at depth 1, as
	 * the tracer has not decreased the depth yet.
	 */
	if (has_to_go_on(events->task) && begins_next(events, 1, &next))
		return true;
	if (!begins_next(events, 0, &next))
		return false;
	function = function_of(events, &next);
	return graph_context_lasts(events, graph_role_of(roles, function),
				   graph_role_entry(roles, function),
				   next.time_ns);
}

/* Returns whether a function at depth 0 with @role may be part of an interrupt.
 */
static bool may_interrupt(enum graph_role role)
{
	return role == GRAPH_ROLE_NONE || role == GRAPH_ROLE_LAST_WAY_OUT ||
	       role == GRAPH_ROLE_INTERRUPT || role == GRAPH_ROLE_VECTOR ||
	       role == GRAPH_ROLE_INTERRUPT_END ||
	       role == GRAPH_ROLE_INTERRUPT_TAIL;
}

/* Returns whether an interrupt follows, and after it a function that only the
 * exit path of a system call calls, so that the system call has not ended.
 */
static bool graph_call_is_interrupted(const struct graph_events *events)
{
	const struct graph_roles *roles = events->tasks->roles;
	struct ring_pages pages = events->pages;
	enum graph_role role = GRAPH_ROLE_NONE;
	struct graph_record next;

	if (!begins_next(events, 0, &next) ||
	    graph_role_of(roles, function_of(events, &next)) !=
		    GRAPH_ROLE_INTERRUPT)
		return false;
	for (int i = 0; i < INTERRUPT_RECORDS && may_interrupt(role) &&
			graph_record_next(&pages, &next) &&
			next.tid == events->record.tid && !next.has_loss &&
			!next.follows_damage;
	     i++)
		if (next.event == GRAPH_ENTRY && !next.depth)
			role = graph_role_of(roles, function_of(events, &next));
	return role == GRAPH_ROLE_CALL_WAY_OUT;
}

/* Returns whether the next record is a function of an interrupt's exit path,
 * when the interrupt's last function before that path has ended. Source:
 * irqentry_exit() in the kernel's include/linux/irq-entry-common.h.
 */
static bool graph_interrupt_goes_on(const struct graph_events *events)
{
	struct graph_record next;

	return begins_next(events, events->record.depth, &next) &&
	       graph_role_of(events->tasks->roles,
			     function_of(events, &next)) ==
		       GRAPH_ROLE_INTERRUPT_TAIL;
}

static int add(struct graph_events *events, enum function_event_kind kind,
	       uint8_t detail, uint32_t function)
{
	return graph_events_add_at(events,
				   (struct function_event){
					   .kind = (uint8_t)kind,
					   .detail = detail,
					   .function = function,
				   },
				   events->record.time_ns);
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

/* Ends all open functions: the task returns to user space. */
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

/* Returns whether an interrupt runs that came between two functions of a
 * context from user space.
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

/* Applies the current record, the entry of a function of the running task, to
 * the task's stack. Returns 0 or -ERROR_MEMORY.
 */
static int graph_calls_enter(struct graph_events *events)
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

/* Ends a function at depth 0 of a context from user space. */
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

/* Ends the innermost frame, which is inferred, and emits its return. */
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

static int graph_calls_exit(struct graph_events *events)
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

/* Events of a batch; a switch ends it earlier. */
enum { BATCH_EVENTS = 512 };

/* The kernel changes stacks between the last function of one task and the first
 * of the next. Their times differ by less than this, unless the tracer filters
 * functions.
 */
enum { NEAR_NS = 20000 };

int32_t graph_events_first_tid(const struct recording *recording,
			       const struct aux_stream *stream)
{
	struct ring_pages pages =
		ring_pages_of(recording_graph_trace(recording), stream);
	struct graph_record record;

	return graph_record_next(&pages, &record) ? record.tid : -1;
}

int graph_events_open(const struct recording *recording,
		      const struct aux_stream *stream,
		      const struct symbols *symbols, struct graph_tasks *tasks,
		      struct graph_events **opened)
{
	int32_t tid = graph_events_first_tid(recording, stream);
	struct graph_events *events = calloc(1, sizeof(*events));

	if (!events)
		return -ERROR_MEMORY;
	events->symbols = symbols;
	events->tasks = tasks;
	events->cpu = stream->cpu;
	events->pages = ring_pages_of(recording_graph_trace(recording), stream);
	events->out = ARRAY_OF(struct function_event);
	events->task = graph_tasks_get(tasks, stream->cpu, tid);
	if (!events->task) {
		graph_events_close(events);
		return -ERROR_MEMORY;
	}
	*opened = events;
	return 0;
}

void graph_events_close(struct graph_events *events)
{
	if (!events)
		return;
	array_free(&events->out);
	free(events);
}

static int switch_to(struct graph_events *events, int32_t tid, uint64_t time_ns)
{
	struct graph_task *task =
		graph_tasks_get(events->tasks, events->cpu, tid);
	struct function_event event = {
		.kind = FUNCTION_SWITCH,
		.detail = events->has_next && events->is_preempted,
	};

	if (!task)
		return -ERROR_MEMORY;
	event.address = (uint64_t)(uint32_t)task->pid << 32 | (uint32_t)tid;
	if (time_ns > events->last_ns &&
	    time_ns - events->last_ns < FLOW_NO_BOUND)
		event.early_ns = (uint32_t)(time_ns - events->last_ns);
	events->task = task;
	events->has_next = false;
	return graph_events_add_at(events, event, time_ns);
}

/* Switches to the announced task, which ran untraced. */
static int go_away(struct graph_events *events)
{
	struct function_event stop = {
		.kind = FUNCTION_TRACE_STOP,
		.detail = FLOW_STOP_OFF,
	};

	if (events->is_running &&
	    graph_events_add_at(events, stop, events->last_ns) < 0)
		return -ERROR_MEMORY;
	events->is_running = false;
	return switch_to(events, events->next_tid, events->last_ns);
}

/* Switches to the task of the current record, which is not the last record's
 * task. If a third task was announced, or the record only reports that the
 * announced task leaves, the announced task ran untraced: switches only to that
 * task.
 */
static int change_task(struct graph_events *events)
{
	const struct graph_record *record = &events->record;
	bool is_near = record->time_ns - events->last_ns <= NEAR_NS;

	if (events->has_next &&
	    (events->next_tid != record->tid || record->event == GRAPH_SWITCH))
		return go_away(events);
	return switch_to(events, record->tid,
			 is_near || !events->is_running ? record->time_ns :
							  events->last_ns);
}

static int lose(struct graph_events *events)
{
	struct function_event gap = {
		.kind = FUNCTION_GAP,
		.detail = events->record.follows_damage ? FLOW_GAP_BAD_TRACE :
							  FLOW_GAP_LOST,
		.address = events->record.place,
	};

	events->record.has_loss = false;
	events->record.follows_damage = false;
	events->is_running = false;
	events->has_next = false;
	return graph_events_add_at(events, gap,
				   events->last_ns ? events->last_ns :
						     events->record.time_ns);
}

static void announce(struct graph_events *events)
{
	events->has_next = true;
	events->next_tid = events->record.next;
	events->is_preempted = events->record.is_preempted;
}

/* Updates the usual time between records. A much longer one, as over sleep or
 * user code, counts as about twice the usual one.
 */
static void note_pace(struct graph_events *events)
{
	enum { WEIGHT = 32 };
	uint64_t time_ns = events->record.time_ns;
	uint64_t step_ns =
		time_ns > events->record_ns ? time_ns - events->record_ns : 0;

	if (!events->record_ns)
		step_ns = 0;
	else if (step_ns > 2 * events->pace_ns + WEIGHT)
		step_ns = 2 * events->pace_ns + WEIGHT;
	events->pace_ns = (events->pace_ns * (WEIGHT - 1) + step_ns) / WEIGHT;
	events->record_ns = time_ns;
}

/* Consumes the current record, or only the loss or the change of task before
 * it.
 */
static int consume_record(struct graph_events *events)
{
	const struct graph_record *record = &events->record;

	if (record->has_loss || record->follows_damage)
		return lose(events);
	if (record->tid != events->task->tid)
		return change_task(events);
	events->has_record = false;
	switch (record->event) {
	case GRAPH_ENTRY:
	case GRAPH_ENTRY_FROM:
		return graph_calls_enter(events);
	case GRAPH_EXIT:
		return graph_calls_exit(events);
	case GRAPH_SWITCH:
		announce(events);
		return 0;
	case GRAPH_EVENTS:
		break;
	}
	return 0;
}

static int end(struct graph_events *events)
{
	const struct function_event event = { .kind = FUNCTION_END };
	int error = 0;

	if (events->has_next)
		return go_away(events);
	if (events->record.follows_damage || events->record.has_loss)
		error = lose(events);
	events->has_ended = true;
	return error ? error :
		       graph_events_add_at(events, event, events->last_ns);
}

static bool is_full(const struct graph_events *events)
{
	const struct function_event *last =
		events->out.count ?
			array_at(&events->out, events->out.count - 1) :
			NULL;

	return last && (events->out.count >= BATCH_EVENTS ||
			last->kind == FUNCTION_SWITCH);
}

int graph_events_next(void *ctx, const struct function_event **batch)
{
	struct graph_events *events = ctx;
	int error = 0;

	events->out.count = 0;
	while (!error && !events->has_ended && !is_full(events)) {
		if (!events->has_record) {
			events->has_record = graph_record_next(&events->pages,
							       &events->record);
			note_pace(events);
		}
		error = events->has_record ? consume_record(events) :
					     end(events);
	}
	*batch = events->out.items;
	return error ? error : (int)events->out.count;
}
