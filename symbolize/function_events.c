/* SPDX-License-Identifier: MIT */
#include "symbolize/function_events.h"

#include "decoder/flow_source.h"
#include "symbolize/symbol_cache.h"
#include "symbolize/task_switch.h"
#include "symbolize/thunk_fold.h"

#include <stdlib.h>

enum {
	BATCH_EVENTS = 4096,
	/* What one flow item can lead to at most. */
	EVENTS_PER_ITEM = 4,
	/* Ways to reach a block that are no enum flow_exit. */
	EXIT_ASYNC = 64,
	EXIT_START,
	EXIT_ENTRY,	/* from user space */
	EXIT_UNSEEN,
};

#define NO_NMI UINT64_MAX

struct function_events {
	struct flow_source *source;
	const struct symbols *symbols;
	const struct arch *arch;
	struct symbol_cache *cache;

	const struct flow_item *items;
	size_t item_count;
	size_t item_at;

	struct symbol here;		/* of the block that ran last */
	uint8_t exit;			/* how it was left */
	uint64_t exit_end;		/* its last instruction's address */
	uint64_t return_address;	/* of a call or break-in */
	struct thunk_fold fold;
	struct thunk_fold_stack folds;
	struct task_switch tasks;
	bool running;			/* the CPU is being traced */
	bool outside;			/* it left for user space */
	uint64_t nmi_return;		/* where the NMI that runs will return
					 * to; NO_NMI: none does */

	size_t event_count;
	struct function_event events[BATCH_EVENTS];
};

struct function_events *function_events_new(struct flow_source *source,
					    const struct symbols *symbols,
					    int32_t pid, int32_t tid)
{
	struct function_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	events->source = source;
	events->symbols = symbols;
	events->arch = symbols_arch(symbols);
	events->exit = EXIT_UNSEEN;
	events->nmi_return = NO_NMI;
	events->tasks.current = (struct task_id){ .pid = pid, .tid = tid };
	events->cache = symbol_cache_new(symbols);
	if (!events->cache) {
		function_events_free(events);
		return NULL;
	}
	symbol_cache_switch(events->cache, pid);
	return events;
}

void function_events_free(struct function_events *events)
{
	if (!events)
		return;
	symbol_cache_free(events->cache);
	free(events);
}

static struct function_event *emit(struct function_events *events,
				   const struct flow_item *item, uint8_t kind)
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

static void emit_at(struct function_events *events,
		    const struct flow_item *item, uint8_t kind,
		    uint32_t function, uint64_t address)
{
	struct function_event *event = emit(events, item, kind);

	event->function = function;
	event->address = address;
	event->is_user = item->ip < events->arch->kernel_start;
}

static void emit_switch(struct function_events *events,
			const struct flow_item *item)
{
	const struct task_id *task = &events->tasks.current;
	struct function_event *event = emit(events, item, FUNCTION_SWITCH);

	event->address = (uint64_t)(uint32_t)task->pid << 32 |
			 (uint32_t)task->tid;
	event->detail = events->tasks.preempted;
	symbol_cache_switch(events->cache, task->pid);
}

/* The kernel changes stacks where it enters the switch point, programs where
 * it enters the exec point.
 */
static void check_points(struct function_events *events,
			 const struct flow_item *item,
			 const struct symbol *target)
{
	if (target->role == CODE_EXEC_POINT)
		emit(events, item, FUNCTION_NEW_PROGRAM);
	if (target->role == CODE_SWITCH_POINT &&
	    task_switch_point(&events->tasks, item,
			      events->item_count - events->item_at))
		emit_switch(events, item);
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
		emit_at(events, item, FUNCTION_LOCAL_CALL, from, item->ip);
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

static void take_break_return(struct function_events *events,
			      const struct flow_item *item,
			      const struct symbol *target)
{
	if (item->ip == events->nmi_return)
		events->nmi_return = NO_NMI;
	take_return(events, item, target, FUNCTION_BREAK_RETURN);
}

static void take_break(struct function_events *events,
		       const struct flow_item *item,
		       const struct symbol *target, uint8_t detail)
{
	bool is_local = target->function == events->here.function &&
			!is_entry(target, item->ip);

	watch_nmi(events, target, events->return_address);
	emit_at(events, item, is_local ? FUNCTION_LOCAL_BREAK : FUNCTION_BREAK,
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
		take_break_return(events, item, target);
		break;
	case FLOW_EXIT_FAR_CALL:
		take_break(events, item, target, FUNCTION_BREAK_SYSTEM_CALL);
		break;
	case EXIT_ASYNC:
		take_break(events, item, target, FUNCTION_BREAK_INTERRUPT);
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
				 events->here.function,
				 events->return_address);
}

/* Control reached @item->ip, in another symbol or by a call or return. */
static void arrive(struct function_events *events, const struct flow_item *item)
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

static bool stays_inside(const struct function_events *events, uint64_t ip)
{
	return events->exit <= FLOW_EXIT_JUMP && ip >= events->here.start &&
	       ip < events->here.end;
}

static void take_block(struct function_events *events,
		       const struct flow_item *item)
{
	if (!stays_inside(events, item->ip))
		arrive(events, item);
	events->exit = item->detail;
	events->exit_end = item->ip + item->last;
	if (item->detail == FLOW_EXIT_CALL ||
	    item->detail == FLOW_EXIT_FAR_CALL)
		events->return_address = flow_return_address(item);
}

static void take_async(struct function_events *events,
		       const struct flow_item *item)
{
	/* The last block's branch was done: it led to what is interrupted. */
	if (events->exit != EXIT_UNSEEN && !stays_inside(events, item->ip))
		arrive(events, item);
	events->exit = EXIT_ASYNC;
	events->return_address = item->ip;
}

static void forget_place(struct function_events *events, uint8_t exit)
{
	events->exit = exit;
	events->fold.active = false;
	events->folds.count = 0;
	events->here = (struct symbol){ .function = FUNCTION_NONE };
}

static void take_stop(struct function_events *events,
		      const struct flow_item *item)
{
	emit(events, item, FUNCTION_TRACE_STOP)->detail = item->detail;
	forget_place(events, EXIT_UNSEEN);
	/* Kernel entry and exit do not switch: it is still to come. */
	events->outside = item->detail == FLOW_STOP_LEVEL;
	if (events->outside)
		events->nmi_return = NO_NMI;
	if (events->outside || events->nmi_return != NO_NMI)
		return;
	events->running = false;
	if (task_switch_lost(&events->tasks))
		emit_switch(events, item);
}

static void take_gap(struct function_events *events,
		     const struct flow_item *item)
{
	struct function_event *event = emit(events, item, FUNCTION_GAP);

	event->detail = item->detail;
	event->address = item->ip;
	event->lost_bytes = item->last;
	forget_place(events, EXIT_UNSEEN);
	events->running = false;
	events->outside = false;
	events->nmi_return = NO_NMI;
	if (task_switch_lost(&events->tasks))
		emit_switch(events, item);
}

static void take_item(struct function_events *events,
		      const struct flow_item *item)
{
	switch ((enum flow_kind)item->kind) {
	case FLOW_BLOCK:
		take_block(events, item);
		break;
	case FLOW_ASYNC:
		take_async(events, item);
		break;
	case FLOW_START:
		forget_place(events,
			     events->outside ? EXIT_ENTRY : EXIT_START);
		events->outside = false;
		break;
	case FLOW_STOP:
		take_stop(events, item);
		break;
	case FLOW_GAP:
		take_gap(events, item);
		break;
	case FLOW_SWITCH:
		if (task_switch_record(&events->tasks, item, events->running))
			emit_switch(events, item);
		break;
	case FLOW_END:
		emit(events, item, FUNCTION_END);
		break;
	case FLOW_MODE:
	case FLOW_ADDRESS_SPACE:
	case FLOW_TRANSACTION:
	case FLOW_PTWRITE:
		break;
	}
}

int function_events_next(struct function_events *events,
			 const struct function_event **batch)
{
	events->event_count = 0;
	while (events->event_count <= BATCH_EVENTS - EVENTS_PER_ITEM) {
		if (events->item_at == events->item_count) {
			int count;

			if (events->event_count)
				break;
			count = flow_source_next(events->source,
						 &events->items);
			if (count <= 0)
				return count;
			events->item_count = (size_t)count;
			events->item_at = 0;
		}
		take_item(events, &events->items[events->item_at++]);
	}
	*batch = events->events;
	return (int)events->event_count;
}
