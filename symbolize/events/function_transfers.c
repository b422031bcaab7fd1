/* SPDX-License-Identifier: MIT */
#include "symbolize/events/function_events_parts.h"

struct function_event *function_events_emit(struct function_events *events,
					    const struct flow_item *item,
					    uint8_t kind)
{
	struct function_event *event = &events->events[events->event_count++];

	*event = (struct function_event){
		.time_ns = item->time_ns,
		.early_ns = item->early_ns,
		.late_ns = item->late_ns,
		.kind = kind,
	};
	return event;
}

static struct function_event *emit_at(struct function_events *events,
				      const struct flow_item *item,
				      uint8_t kind, uint32_t function,
				      uint64_t address)
{
	struct function_event *event = function_events_emit(events, item, kind);

	event->function = function;
	event->address = address;
	event->is_user = item->ip < events->arch->kernel_start;
	return event;
}

void function_events_emit_switch(struct function_events *events,
				 const struct flow_item *item)
{
	const struct task_id *task = &events->tasks.current;
	struct function_event *event =
		function_events_emit(events, item, FUNCTION_SWITCH);

	event->address = (uint64_t)(uint32_t)task->pid << 32 |
			 (uint32_t)task->tid;
	event->detail = events->tasks.preempted;
	symbol_cache_switch(events->cache, task->pid);
}

/* The next record of a switch: among the items at hand, or behind them. */
static const struct flow_item *next_switch(const struct function_events *events)
{
	for (size_t i = events->item_at; i < events->item_count; i++)
		if (events->items[i].kind == FLOW_SWITCH)
			return &events->items[i];
	return flow_source_next_switch(events->source);
}

/* The kernel changes stacks where it enters the switch point, programs where
 * it enters the exec point.
 */
static void check_points(struct function_events *events,
			 const struct flow_item *item,
			 const struct symbol *target)
{
	if (target->role == CODE_EXEC_POINT)
		function_events_emit(events, item, FUNCTION_NEW_PROGRAM);
	if (target->role == CODE_SWITCH_POINT &&
	    task_switch_point(&events->tasks, item->time_ns,
			      next_switch(events)))
		function_events_emit_switch(events, item);
}

static bool is_entry(const struct symbol *symbol, uint64_t ip)
{
	return ip == symbol->start || symbol->padding;
}

static void take_call(struct function_events *events,
		      const struct flow_item *item, const struct symbol *target,
		      uint32_t from, uint64_t return_address)
{
	if (target->function == from && !is_entry(target, item->ip)) {
		emit_at(events, item, FUNCTION_LOCAL_CALL, from, item->ip)
			->detail = from == FUNCTION_UNKNOWN ||
				   target->role == CODE_UNNAMED;
		return;
	}
	check_points(events, item, target);
	emit_at(events, item, FUNCTION_CALL, target->function, return_address);
}

static void take_jump(struct function_events *events,
		      const struct flow_item *item, const struct symbol *target,
		      uint32_t from)
{
	if (target->function == from)
		return;
	if (!is_entry(target, item->ip)) {
		/* The kernel's assembly jumps about without leaving.  Between
		 * symbols it may well be the start of a function.
		 */
		if (item->ip < events->arch->kernel_start &&
		    target->function != FUNCTION_UNKNOWN &&
		    target->role != CODE_UNNAMED)
			emit_at(events, item, FUNCTION_FAR_JUMP,
				target->function, item->ip);
		return;
	}
	check_points(events, item, target);
	emit_at(events, item, FUNCTION_TAIL_CALL, target->function, item->ip);
}

/* An NMI handler that drains the trace unit's buffer has it off meanwhile. */
static void watch_nmi(struct function_events *events,
		      const struct symbol *target, uint64_t return_address)
{
	if (target->role == CODE_NMI)
		events->nmi_return = return_address;
}

static void take_return(struct function_events *events,
			const struct flow_item *item,
			const struct symbol *target, uint8_t kind)
{
	emit_at(events, item, kind, target->function, item->ip);
	events->events[events->event_count - 1].detail =
		is_entry(target, item->ip);
}

/* A conditional branch that was not taken goes on right behind itself. */
static bool was_taken(const struct function_events *events, uint64_t ip)
{
	uint64_t distance = ip - events->exit_end;

	return distance < events->arch->min_conditional_bytes ||
	       distance > events->arch->max_conditional_bytes;
}

static void take_exception_return(struct function_events *events,
				  const struct flow_item *item,
				  const struct symbol *target)
{
	if (item->ip == events->nmi_return)
		events->nmi_return = NO_NMI;
	take_return(events, item, target, FUNCTION_EXCEPTION_RETURN);
}

static void take_exception(struct function_events *events,
			   const struct flow_item *item,
			   const struct symbol *target, uint8_t detail)
{
	bool is_local = target->function == events->here.function &&
			!is_entry(target, item->ip);

	watch_nmi(events, target, events->return_address);
	emit_at(events, item,
		is_local ? FUNCTION_LOCAL_EXCEPTION : FUNCTION_EXCEPTION,
		target->function, events->return_address);
	events->events[events->event_count - 1].detail = detail;
}

static void take_start(struct function_events *events,
		       const struct flow_item *item,
		       const struct symbol *target, uint8_t exit)
{
	emit_at(events, item, FUNCTION_TRACE_START, target->function, item->ip);
	/* Only a start that the trace names is an entry for certain; from user
	 * space it is, also into the middle of a symbol, as the table of
	 * interrupt entries is one.
	 */
	events->events[events->event_count - 1].detail =
		exit == EXIT_ENTRY ||
		(exit == EXIT_START && is_entry(target, item->ip));
	events->running = true;
	watch_nmi(events, target, 0);
}

/* Control came from the last block, left by @exit in @from, to @target. */
static void take_exit(struct function_events *events,
		      const struct flow_item *item, const struct symbol *target,
		      uint8_t exit, uint32_t from, uint64_t return_address)
{
	switch (exit) {
	case FLOW_EXIT_CALL:
		take_call(events, item, target, from, return_address);
		break;
	case FLOW_EXIT_CONDITIONAL:
		if (was_taken(events, item->ip))
			take_jump(events, item, target, from);
		break;
	case FLOW_EXIT_JUMP:
	case FLOW_EXIT_FAR_JUMP:
		take_jump(events, item, target, from);
		break;
	case FLOW_EXIT_RETURN:
		take_return(events, item, target, FUNCTION_RETURN);
		break;
	case FLOW_EXIT_FAR_RETURN:
		take_exception_return(events, item, target);
		break;
	case FLOW_EXIT_FAR_CALL:
		take_exception(events, item, target,
			       FUNCTION_EXCEPTION_SYSTEM_CALL);
		break;
	case EXIT_ASYNC:
		take_exception(events, item, target,
			       FUNCTION_EXCEPTION_INTERRUPT);
		break;
	case EXIT_START:
	case EXIT_ENTRY:
	case EXIT_UNSEEN:
		take_start(events, item, target, exit);
		break;
	case FLOW_EXIT_NONE:
	default:
		break;
	}
}

/* Returns whether @exit stays part of the thunks it leads to. */
static bool can_fold(uint8_t exit, const struct symbol *target)
{
	return target->role == CODE_VECTOR || exit <= FLOW_EXIT_RETURN ||
	       exit == FLOW_EXIT_FAR_JUMP;
}

static void enter_thunk(struct function_events *events,
			const struct flow_item *item,
			const struct symbol *target)
{
	/* The trace starts, or goes on after a gap, in no function yet. */
	if (events->exit == EXIT_START || events->exit == EXIT_UNSEEN) {
		events->fold.active = true;
		events->fold.exit = EXIT_UNSEEN;
		return;
	}
	if (!can_fold(events->exit, target))
		take_exit(events, item, target, events->exit,
			  events->here.function, events->return_address);
	if (events->exit != FLOW_EXIT_FAR_RETURN ||
	    !thunk_fold_resume(&events->folds, &events->fold, item->ip))
		thunk_fold_begin(&events->fold, target, events->exit,
				 events->here.function, events->return_address);
}

void function_events_arrive(struct function_events *events,
			    const struct flow_item *item)
{
	const struct symbol *target =
		symbol_cache_find(events->cache, item->ip);
	bool is_thunk = thunk_fold_covers(target);

	if (events->exit == EXIT_ASYNC && events->fold.active &&
	    events->fold.exit == EXIT_UNSEEN)
		take_start(events, item, &events->here, EXIT_UNSEEN);
	if (events->exit == EXIT_ASYNC)
		thunk_fold_suspend(&events->folds, &events->fold,
				   events->return_address);
	if (!events->fold.active && is_thunk) {
		enter_thunk(events, item, target);
	} else if (!events->fold.active) {
		take_exit(events, item, target, events->exit,
			  events->here.function, events->return_address);
	} else if (!is_thunk) {
		events->fold.active = false;
		take_exit(events, item, target, events->fold.exit,
			  events->fold.from, events->fold.return_address);
	}
	events->here = *target;
	events->exit = FLOW_EXIT_NONE;
}
