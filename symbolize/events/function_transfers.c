/* SPDX-License-Identifier: MIT */
#include "symbolize/events/function_transfers.h"
#include "symbolize/arch/arch.h"
#include "symbolize/symbols/symbol_cache.h"

struct function_event *
function_transfers_emit(struct function_transfers *transfers,
			const struct flow_item *item, uint8_t kind)
{
	struct function_event *event = &transfers->events[transfers->count++];

	*event = (struct function_event){
		.time_ns = item->time_ns,
		.early_ns = item->early_ns,
		.late_ns = item->late_ns,
		.kind = kind,
	};
	return event;
}

static struct function_event *emit_at(struct function_transfers *transfers,
				      const struct flow_item *item,
				      uint8_t kind, uint32_t function,
				      uint64_t address)
{
	struct function_event *event =
		function_transfers_emit(transfers, item, kind);

	event->function = function;
	event->address = address;
	event->is_user = item->ip < transfers->arch->kernel_start;
	return event;
}

void function_transfers_emit_switch(struct function_transfers *transfers,
				    const struct flow_item *item)
{
	const struct task_id *task = &transfers->tasks.state.current;
	struct function_event *event =
		function_transfers_emit(transfers, item, FUNCTION_SWITCH);

	event->address = (uint64_t)(uint32_t)task->pid << 32 |
			 (uint32_t)task->tid;
	event->detail = transfers->tasks.state.preempted;
	symbol_cache_switch(transfers->cache, task->pid);
}

/* Returns whether the task changes at switch point @item. */
static bool pass_switch_point(struct function_transfers *transfers,
			      const struct flow_item *item)
{
	uint64_t low_ns = flow_stop_low_ns(item->time_ns, item->early_ns);
	uint64_t high_ns = item->late_ns == FLOW_NO_BOUND ?
				   UINT64_MAX :
				   item->time_ns + item->late_ns;
	int status;

	if (!transfers->tasks.feed)
		return task_switch_point(
			&transfers->tasks.state, item->time_ns,
			transfers->next_switch(transfers->ctx));
	status = stream_tasks_point(&transfers->tasks, low_ns, high_ns,
				    item->time_ns);
	if (status < 0)
		transfers->error = status;
	return status > 0;
}

/* The kernel changes stacks at the entry of the switch point, a task its
 * program at the entry of the exec point.
 */
static void check_points(struct function_transfers *transfers,
			 const struct flow_item *item,
			 const struct symbol *target)
{
	if (target->role == CODE_EXEC_POINT)
		function_transfers_emit(transfers, item, FUNCTION_NEW_PROGRAM);
	if (target->role == CODE_SWITCH_POINT &&
	    pass_switch_point(transfers, item))
		function_transfers_emit_switch(transfers, item);
}

static bool is_entry(const struct symbol *symbol, uint64_t ip)
{
	return ip == symbol->start || symbol->padding;
}

static void take_call(struct function_transfers *transfers,
		      const struct flow_item *item, const struct symbol *target,
		      uint32_t from, uint64_t return_address)
{
	if (target->function == from && !is_entry(target, item->ip)) {
		emit_at(transfers, item, FUNCTION_LOCAL_CALL, from, item->ip)
			->detail = from == FUNCTION_UNKNOWN ||
				   target->role == CODE_UNNAMED;
		return;
	}
	check_points(transfers, item, target);
	emit_at(transfers, item, FUNCTION_CALL, target->function,
		return_address);
}

/* Like take_jump_inside() in execution/walk/walk.c. */
static void take_jump_inside(struct function_transfers *transfers,
			     const struct flow_item *item,
			     const struct symbol *target,
			     const struct function_departure *departure)
{
	bool is_unnamed = target->role == CODE_UNNAMED;

	if (item->ip >= transfers->arch->kernel_start ||
	    target->function == FUNCTION_UNKNOWN)
		return;
	if (is_unnamed &&
	    !symbols_are_of_two_files(transfers->symbols, departure->from,
				      target->function))
		return;
	if (is_unnamed && departure->last_role == CODE_INDIRECT_THUNK)
		emit_at(transfers, item, FUNCTION_TAIL_CALL, target->function,
			item->ip);
	else
		emit_at(transfers, item, FUNCTION_FAR_JUMP, target->function,
			item->ip)
			->detail = is_unnamed;
}

static void take_jump(struct function_transfers *transfers,
		      const struct flow_item *item, const struct symbol *target,
		      const struct function_departure *departure)
{
	if (target->function == departure->from)
		return;
	if (!is_entry(target, item->ip)) {
		take_jump_inside(transfers, item, target, departure);
		return;
	}
	check_points(transfers, item, target);
	emit_at(transfers, item, FUNCTION_TAIL_CALL, target->function,
		item->ip);
}

/* Remembers the return address of an NMI. Its handler may drain the trace
 * buffer, with the unit off meanwhile, which is not a pause of the task.
 */
static void watch_nmi(struct function_transfers *transfers,
		      const struct symbol *target, uint64_t return_address)
{
	if (target->role == CODE_NMI)
		transfers->nmi_return = return_address;
}

static void take_return(struct function_transfers *transfers,
			const struct flow_item *item,
			const struct symbol *target, uint8_t kind)
{
	emit_at(transfers, item, kind, target->function, item->ip);
	transfers->events[transfers->count - 1].detail =
		is_entry(target, item->ip);
}

/* A conditional branch that is not taken continues at the next instruction. */
static bool was_taken(const struct function_transfers *transfers, uint64_t end,
		      uint64_t ip)
{
	uint64_t distance = ip - end;

	return distance < transfers->arch->min_conditional_bytes ||
	       distance > transfers->arch->max_conditional_bytes;
}

static void take_exception_return(struct function_transfers *transfers,
				  const struct flow_item *item,
				  const struct symbol *target)
{
	if (item->ip == transfers->nmi_return)
		transfers->nmi_return = NO_NMI;
	take_return(transfers, item, target, FUNCTION_EXCEPTION_RETURN);
}

static void take_exception(struct function_transfers *transfers,
			   const struct flow_item *item,
			   const struct symbol *target,
			   const struct function_departure *departure,
			   uint8_t detail)
{
	bool is_local = target->function == departure->last &&
			!is_entry(target, item->ip);

	watch_nmi(transfers, target, departure->last_return);
	emit_at(transfers, item,
		is_local ? FUNCTION_LOCAL_EXCEPTION : FUNCTION_EXCEPTION,
		target->function, departure->last_return);
	transfers->events[transfers->count - 1].detail = detail;
}

static uint8_t start_detail(const struct symbol *target,
			    const struct flow_item *item, uint8_t exit)
{
	if (exit == EXIT_GUEST)
		return FUNCTION_START_AFTER_GUEST;
	return exit == EXIT_ENTRY ||
	       (exit == EXIT_START && is_entry(target, item->ip));
}

static void take_start(struct function_transfers *transfers,
		       const struct flow_item *item,
		       const struct symbol *target, uint8_t exit)
{
	emit_at(transfers, item, FUNCTION_TRACE_START, target->function,
		item->ip);
	/* A start reported by the trace is at the entry of a function only if
	 * its address is one. A start from user space always is an entry, even
	 * in the middle of a symbol: the table of interrupt entries is one
	 * symbol.
	 */
	transfers->events[transfers->count - 1].detail =
		start_detail(target, item, exit);
	transfers->tasks.is_running = true;
	watch_nmi(transfers, target, 0);
}

void function_transfers_take(struct function_transfers *transfers,
			     const struct flow_item *item,
			     const struct symbol *target,
			     const struct function_departure *departure)
{
	uint32_t from = departure->from;

	switch (departure->exit) {
	case FLOW_EXIT_CALL:
		take_call(transfers, item, target, from,
			  departure->return_address);
		break;
	case FLOW_EXIT_CONDITIONAL:
		if (was_taken(transfers, departure->end, item->ip))
			take_jump(transfers, item, target, departure);
		break;
	case FLOW_EXIT_JUMP:
	case FLOW_EXIT_FAR_JUMP:
		take_jump(transfers, item, target, departure);
		break;
	case FLOW_EXIT_RETURN:
		take_return(transfers, item, target, FUNCTION_RETURN);
		break;
	case FLOW_EXIT_FAR_RETURN:
		take_exception_return(transfers, item, target);
		break;
	case FLOW_EXIT_FAR_CALL:
		take_exception(transfers, item, target, departure,
			       FUNCTION_EXCEPTION_SYSTEM_CALL);
		break;
	case EXIT_ASYNC:
		take_exception(transfers, item, target, departure,
			       FUNCTION_EXCEPTION_INTERRUPT);
		break;
	case EXIT_START:
	case EXIT_ENTRY:
	case EXIT_UNTRACED:
	case EXIT_GUEST:
		take_start(transfers, item, target, departure->exit);
		break;
	case FLOW_EXIT_NONE:
	default:
		break;
	}
}
