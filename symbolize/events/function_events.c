/* SPDX-License-Identifier: MIT */
#include "symbolize/events/function_events.h"

#include "common/error.h"
#include "decoder/code/process_maps.h"
#include "decoder/code/process_view.h"
#include "decoder/flow/flow.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "symbolize/arch/arch.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Function events from the flow of a second engine, which provides blocks: each
 * block is compared with how the last one was left (struct function_departure),
 * and the transfer between the two is a call, a return, a jump, an exception or
 * nothing (consume_transfer()).
 *
 * Thunks are folded: a block inside a thunk emits nothing, and the transfer out
 * of the thunks counts as one from the last block before the thunks. Switch
 * points and records of switches are joined by stream_tasks.h, as in
 * execution_stream.c; both engines must emit the same events, which `ktrace-hw
 * verify` compares.
 */

enum {
	BATCH_EVENTS = 4096,
	LONGEST_INSTRUCTION = 15, /* bytes: Intel SDM, volume 2, 2.3.11 */
	/* Events that one flow item can lead to, at most. */
	EVENTS_PER_ITEM = 5,
	/* How a block is reached, in addition to enum flow_exit. */
	EXIT_ASYNC = 64,
	EXIT_START,
	EXIT_ENTRY, /* from user space */
	EXIT_UNTRACED,
	EXIT_GUEST, /* from a virtual machine */
};

#define NO_NMI UINT64_MAX

/* The events made of transfers of control, with the state that they depend on.
 */
struct function_transfers {
	const struct arch *arch;
	const struct symbols *symbols;
	struct symbol_cache *cache;
	/* Returns the next switch record, or NULL. */
	const struct flow_item *(*next_switch)(const void *ctx);
	const void *ctx;
	/* If tasks.feed is set, time bounds and the trace decide which switch
	 * record belongs to which switch point.
	 */
	struct stream_tasks tasks;
	int error; /* 0 or -ERROR_MEMORY */
	/* return address of the NMI that runs, or NO_NMI */
	uint64_t nmi_return;
	size_t count;
	struct function_event events[BATCH_EVENTS];
};

/* How the last block was left. */
struct function_departure {
	uint8_t exit; /* enum flow_exit, or an EXIT_ value above */
	/* CONDITIONAL: where execution continues if the branch is not taken */
	uint64_t next;
	/* the block's function, or the one that entered the thunks */
	uint32_t from;
	/* return address of a call from that function */
	uint64_t return_address;
	uint32_t last; /* the block's own function */
	/* return address of the newest call or exception */
	uint64_t last_return;
	/* enum code_role of the block's own function */
	uint8_t last_role;
};

/* Adds an event at @item's time, with the other fields zeroed. */
static struct function_event *emit(struct function_transfers *transfers,
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
	struct function_event *event = emit(transfers, item, kind);

	event->function = function;
	event->address = address;
	event->is_user = item->ip < transfers->arch->kernel_start;
	return event;
}

/* Adds a FUNCTION_SWITCH to the running task. */
static void emit_switch(struct function_transfers *transfers,
			const struct flow_item *item)
{
	struct task_id task = stream_tasks_shown(&transfers->tasks);
	struct function_event *event = emit(transfers, item, FUNCTION_SWITCH);

	event->address = (uint64_t)(uint32_t)task.pid << 32 |
			 (uint32_t)task.tid;
	event->detail = transfers->tasks.state.preempted;
	symbol_cache_switch(transfers->cache, task.pid);
}

/* Returns the upper bound of @item's time. */
static uint64_t high_of(const struct flow_item *item)
{
	return item->late_ns == FLOW_NO_BOUND ? UINT64_MAX :
						item->time_ns + item->late_ns;
}

/* Returns whether the task changes at switch point @item. */
static bool pass_switch_point(struct function_transfers *transfers,
			      const struct flow_item *item)
{
	uint64_t low_ns = flow_stop_low_ns(item->time_ns, item->early_ns);
	int status;

	if (!transfers->tasks.feed)
		return task_switch_point(
			&transfers->tasks.state, item->time_ns,
			transfers->next_switch(transfers->ctx));
	status = stream_tasks_point(&transfers->tasks, low_ns, high_of(item),
				    item->time_ns);
	if (status < 0)
		transfers->error = status;
	return status > 0;
}

/* Emits the further events of entering @target if it has a special role: the
 * kernel changes stacks at the entry of the switch point, a task changes its
 * program at that of the exec point.
 */
static void check_points(struct function_transfers *transfers,
			 const struct flow_item *item,
			 const struct symbol *target)
{
	if (target->role == CODE_EXEC_POINT)
		emit(transfers, item, FUNCTION_NEW_PROGRAM);
	if (target->role == CODE_SWITCH_POINT &&
	    pass_switch_point(transfers, item))
		emit_switch(transfers, item);
}

static bool is_entry(const struct symbol *symbol, uint64_t ip)
{
	return ip == symbol->start || symbol->padding;
}

static void consume_call(struct function_transfers *transfers,
			 const struct flow_item *item,
			 const struct symbol *target, uint32_t from,
			 uint64_t return_address)
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

/* Like emit_jump_inside() in execution/walk/walk.c. */
static void consume_jump_inside(struct function_transfers *transfers,
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

static void consume_jump(struct function_transfers *transfers,
			 const struct flow_item *item,
			 const struct symbol *target,
			 const struct function_departure *departure)
{
	if (target->function == departure->from)
		return;
	if (!is_entry(target, item->ip)) {
		consume_jump_inside(transfers, item, target, departure);
		return;
	}
	check_points(transfers, item, target);
	emit_at(transfers, item, FUNCTION_TAIL_CALL, target->function,
		item->ip);
}

/* If @target is the entry of an NMI, stores the return address. The NMI's
 * handler may switch the trace unit off to drain the buffer: a stop before the
 * NMI returns does not mean that the task pauses.
 */
static void watch_nmi(struct function_transfers *transfers,
		      const struct symbol *target, uint64_t return_address)
{
	if (target->role == CODE_NMI)
		transfers->nmi_return = return_address;
}

static void consume_return(struct function_transfers *transfers,
			   const struct flow_item *item,
			   const struct symbol *target, uint8_t kind)
{
	emit_at(transfers, item, kind, target->function, item->ip);
	transfers->events[transfers->count - 1].detail =
		is_entry(target, item->ip);
}

static void consume_exception_return(struct function_transfers *transfers,
				     const struct flow_item *item,
				     const struct symbol *target)
{
	if (item->ip == transfers->nmi_return)
		transfers->nmi_return = NO_NMI;
	consume_return(transfers, item, target, FUNCTION_EXCEPTION_RETURN);
}

static void consume_exception(struct function_transfers *transfers,
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

static void consume_start(struct function_transfers *transfers,
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

/* Adds the events of a transfer by @departure to @item->ip, in @target. */
static void consume_transfer(struct function_transfers *transfers,
			     const struct flow_item *item,
			     const struct symbol *target,
			     const struct function_departure *departure)
{
	uint32_t from = departure->from;

	switch (departure->exit) {
	case FLOW_EXIT_CALL:
		consume_call(transfers, item, target, from,
			     departure->return_address);
		break;
	case FLOW_EXIT_CONDITIONAL:
		if (item->ip != departure->next)
			consume_jump(transfers, item, target, departure);
		break;
	case FLOW_EXIT_JUMP:
	case FLOW_EXIT_FAR_JUMP:
		consume_jump(transfers, item, target, departure);
		break;
	case FLOW_EXIT_RETURN:
		consume_return(transfers, item, target, FUNCTION_RETURN);
		break;
	case FLOW_EXIT_FAR_RETURN:
		consume_exception_return(transfers, item, target);
		break;
	case FLOW_EXIT_FAR_CALL:
		consume_exception(transfers, item, target, departure,
				  FUNCTION_EXCEPTION_SYSTEM_CALL);
		break;
	case EXIT_ASYNC:
		consume_exception(transfers, item, target, departure,
				  FUNCTION_EXCEPTION_INTERRUPT);
		break;
	case EXIT_START:
	case EXIT_ENTRY:
	case EXIT_UNTRACED:
	case EXIT_GUEST:
		consume_start(transfers, item, target, departure->exit);
		break;
	case FLOW_EXIT_NONE:
	default:
		break;
	}
}

struct function_events {
	struct flow_source *source;
	const struct flow_item *items;
	size_t item_count;
	size_t item_at;

	struct symbol here; /* symbol of the last block */
	/* how the last block was left: enum flow_exit or EXIT_ */
	uint8_t exit;
	/* address of the last block's last instruction */
	uint64_t exit_end;
	uint64_t exit_next;	 /* flow_return_address() of the last block */
	uint64_t return_address; /* of a call or exception */
	struct thunk_fold fold;
	struct thunk_fold_stack folds;
	bool outside;  /* execution left for user space */
	bool in_guest; /* execution left for a virtual machine */
	bool at_end;
	/* number of switch records whose FLOW_SWITCH items were read, if
	 * tasks.feed is set
	 */
	uint64_t due;
	/* determines the task in user space, in an ordered stream
	 * (function_events_order_by_trace()) without the kernel; else NULL
	 */
	struct process_maps *maps;
	struct process_view *user; /* borrows maps */
	uint64_t user_ns;	   /* lower bound of the time in user space */
	/* the last event of earlier batches */
	struct function_event last;
	struct function_transfers transfers;
};

/* Returns the next switch record, from the current items or from later ones. */
static const struct flow_item *next_switch(const void *ctx)
{
	const struct function_events *events = ctx;

	for (size_t i = events->item_at; i < events->item_count; i++)
		if (events->items[i].kind == FLOW_SWITCH)
			return &events->items[i];
	return flow_source_next_switch(events->source);
}

struct function_events *function_events_new(struct flow_source *source,
					    const struct symbols *symbols,
					    int32_t pid, int32_t tid)
{
	struct function_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	events->source = source;
	events->transfers.arch = symbols_arch(symbols);
	events->transfers.symbols = symbols;
	events->transfers.next_switch = next_switch;
	events->transfers.ctx = events;
	events->exit = EXIT_UNTRACED;
	events->transfers.nmi_return = NO_NMI;
	stream_tasks_set(&events->transfers.tasks, pid, tid, false);
	events->transfers.cache = symbol_cache_new(symbols);
	if (!events->transfers.cache) {
		function_events_free(events);
		return NULL;
	}
	symbol_cache_switch(events->transfers.cache, pid);
	return events;
}

void function_events_of_thread(struct function_events *events)
{
	struct stream_tasks *tasks = &events->transfers.tasks;
	const struct task_id *task = &tasks->state.current;

	stream_tasks_set(tasks, task->pid, task->tid, true);
}

void function_events_free(struct function_events *events)
{
	if (!events)
		return;
	stream_tasks_close(&events->transfers.tasks);
	process_view_free(events->user);
	process_maps_free(events->maps);
	symbol_cache_free(events->transfers.cache);
	free(events);
}

int function_events_order_by_trace(struct function_events *events,
				   const struct flow_input *input)
{
	const struct recording *recording = input->recording;

	if (recording_trace(recording) != RECORDING_TRACE_INTEL_PT ||
	    recording_time(recording) != RECORDING_TIME_NANOSECONDS)
		return 0;
	if (!recording_traces_kernel(recording)) {
		events->maps = process_maps_new(recording);
		if (events->maps)
			events->user = process_view_new(
				recording, input->stream, events->maps);
		if (!events->user)
			return -ERROR_MEMORY;
		process_view_order_by_trace(events->user);
	}
	return stream_tasks_open(&events->transfers.tasks, input);
}

/* Like waits_for_point() in execution/stream/execution_stream.c. */
static bool waits_for_point(const struct function_events *events)
{
	const struct stream_tasks *tasks = &events->transfers.tasks;

	return tasks->feed && !events->at_end && tasks->is_running &&
	       tasks->state.has_next;
}

static struct function_departure
departure_of(const struct function_events *events)
{
	return (struct function_departure){
		.exit = events->exit,
		.next = events->exit_next,
		.from = events->here.function,
		.return_address = events->return_address,
		.last = events->here.function,
		.last_return = events->return_address,
		.last_role = events->here.role,
	};
}

/* Emits the events of the transfer from the last block to @target. */
static void consume_exit(struct function_events *events,
			 const struct flow_item *item,
			 const struct symbol *target)
{
	const struct function_departure departure = departure_of(events);

	consume_transfer(&events->transfers, item, target, &departure);
}

/* Like consume_exit(), for the transfer that entered the thunks. */
static void consume_exit_of_fold(struct function_events *events,
				 const struct flow_item *item,
				 const struct symbol *target)
{
	struct function_departure departure = departure_of(events);

	departure.exit = events->fold.exit;
	departure.from = events->fold.from;
	departure.return_address = events->fold.return_address;
	departure.next = 0; /* the branch into the thunk was taken */
	consume_transfer(&events->transfers, item, target, &departure);
}

/* Emits a FUNCTION_TRACE_START for a trace that started inside thunks, when an
 * exception interrupts them.
 */
static void start_unseen(struct function_events *events,
			 const struct flow_item *item)
{
	struct function_departure departure = departure_of(events);

	departure.exit = EXIT_UNTRACED;
	consume_transfer(&events->transfers, item, &events->here, &departure);
}

/* Returns whether a transfer by @exit into thunk @target is emitted only when
 * control leaves the thunks.
 */
static bool can_fold(uint8_t exit, const struct symbol *target)
{
	return target->role == CODE_VECTOR || exit <= FLOW_EXIT_RETURN ||
	       exit == FLOW_EXIT_FAR_JUMP;
}

static void enter_thunk(struct function_events *events,
			const struct flow_item *item,
			const struct symbol *target)
{
	/* The trace starts, or resumes after a gap, inside a thunk, and so not
	 * in a function yet.
	 */
	if (events->exit == EXIT_START || events->exit == EXIT_UNTRACED) {
		events->fold.active = true;
		events->fold.exit = EXIT_UNTRACED;
		return;
	}
	if (!can_fold(events->exit, target))
		consume_exit(events, item, target);
	if (events->exit != FLOW_EXIT_FAR_RETURN ||
	    !thunk_fold_resume(&events->folds, &events->fold, item->ip))
		thunk_fold_begin(&events->fold, target, events->exit,
				 events->here.function, events->return_address);
}

/* Returns the symbol at @item->ip. If nothing is mapped there at the estimated
 * time, looks it up at the end of the time bounds: as the code ran, a mapping
 * existed, and it can only have been added between the two times.
 */
static const struct symbol *symbol_at(struct function_events *events,
				      const struct flow_item *item)
{
	struct symbol_cache *cache = events->transfers.cache;
	const struct symbol *symbol =
		symbol_cache_find(cache, item->time_ns, item->ip);

	if (symbol->function != FUNCTION_UNKNOWN || !item->late_ns ||
	    item->late_ns == FLOW_NO_BOUND)
		return symbol;
	return symbol_cache_find(cache, item->time_ns + item->late_ns,
				 item->ip);
}

/* Applies the arrival of control at @item->ip, in another symbol or by a call
 * or return.
 */
static void arrive(struct function_events *events, const struct flow_item *item)
{
	const struct symbol *target = symbol_at(events, item);
	bool is_thunk = thunk_fold_covers(target);
	if (events->exit == EXIT_ASYNC && events->fold.active &&
	    events->fold.exit == EXIT_UNTRACED)
		start_unseen(events, item);
	if (events->exit == EXIT_ASYNC)
		thunk_fold_suspend(&events->folds, &events->fold,
				   events->return_address);
	if (!events->fold.active && is_thunk) {
		enter_thunk(events, item, target);
	} else if (!events->fold.active) {
		consume_exit(events, item, target);
	} else if (!is_thunk) {
		events->fold.active = false;
		consume_exit_of_fold(events, item, target);
	}
	events->here = *target;
	events->exit = FLOW_EXIT_NONE;
}

/* Like stays_inside() in execution/walk/walk.c. The longest instruction
 * that returns from an exception has four bytes.
 */
static bool stays_inside(const struct function_events *events, uint64_t ip)
{
	if (events->exit == FLOW_EXIT_FAR_RETURN)
		return ip - events->exit_end - 1 < 4;
	return events->exit <= FLOW_EXIT_JUMP && ip >= events->here.start &&
	       ip < events->here.end;
}

/* Returns whether the code at @ip continues the last block, which no branch
 * ended: the engine may divide straight code anywhere. In the block graph such
 * code is one block, of the function in which it starts, even where the
 * function's code ends and the next function's starts.
 */
static bool continues_block(const struct function_events *events, uint64_t ip)
{
	return events->exit == FLOW_EXIT_NONE &&
	       ip - events->exit_end - 1 < LONGEST_INSTRUCTION;
}

static void consume_block(struct function_events *events,
			  const struct flow_item *item)
{
	if (!continues_block(events, item->ip) &&
	    !stays_inside(events, item->ip))
		arrive(events, item);
	events->exit = item->detail;
	events->exit_end = item->ip + item->last;
	events->exit_next = flow_return_address(item);
	if (item->detail == FLOW_EXIT_CALL ||
	    item->detail == FLOW_EXIT_FAR_CALL)
		events->return_address = flow_return_address(item);
}

static void consume_async(struct function_events *events,
			  const struct flow_item *item)
{
	/* The last block's branch ran and led to the interrupted block. */
	if (events->exit != EXIT_UNTRACED && !stays_inside(events, item->ip))
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

/* Execution is not followed after @item: switches to the task that a switch
 * record announced, if any, which runs from here on.
 */
static void pause_tasks(struct function_events *events,
			const struct flow_item *item)
{
	struct stream_tasks *tasks = &events->transfers.tasks;

	if (waits_for_point(events) &&
	    stream_tasks_pass(tasks, flow_stop_low_ns(item->time_ns,
						      item->early_ns)) < 0)
		events->transfers.error = -ERROR_MEMORY;
	if (stream_tasks_leave(tasks, item->time_ns))
		emit_switch(&events->transfers, item);
}

static void consume_stop(struct function_events *events,
			 const struct flow_item *item)
{
	struct function_event *event =
		emit(&events->transfers, item, FUNCTION_TRACE_STOP);

	events->in_guest = item->detail == FLOW_STOP_GUEST;
	event->detail = item->detail;
	event->address = events->in_guest ? item->ip : 0;
	forget_place(events, EXIT_UNTRACED);
	events->outside = item->detail == FLOW_STOP_LEVEL;
	/* Entering or leaving the kernel or a virtual machine does not switch
	 * tasks: a later record reports the switch. If the kernel is not
	 * traced, a task switch may follow any stop.
	 */
	if (events->in_guest)
		return;
	if (events->outside)
		events->transfers.nmi_return = NO_NMI;
	if ((events->outside && !events->user) ||
	    events->transfers.nmi_return != NO_NMI)
		return;
	pause_tasks(events, item);
}

static void consume_gap(struct function_events *events,
			const struct flow_item *item)
{
	struct function_event *event =
		emit(&events->transfers, item, FUNCTION_GAP);

	event->detail = item->detail;
	event->address = item->ip;
	event->lost_bytes = item->last;
	forget_place(events, EXIT_UNTRACED);
	events->outside = false;
	events->in_guest = false;
	events->transfers.nmi_return = NO_NMI;
	pause_tasks(events, item);
}

static uint8_t exit_of_start(const struct function_events *events)
{
	if (events->in_guest)
		return EXIT_GUEST;
	return events->outside ? EXIT_ENTRY : EXIT_START;
}

static bool is_of_flow(const struct flow_item *item)
{
	return item->kind <= FLOW_GAP;
}

/* Consumes switch record @item. If the trace orders the switch records, the
 * record only becomes due: it may have to wait for its switch point.
 */
static void consume_switch(struct function_events *events,
			   const struct flow_item *item)
{
	if (events->transfers.tasks.feed)
		events->due++;
	else if (stream_tasks_record(&events->transfers.tasks, item))
		emit_switch(&events->transfers, item);
}

/* Consumes a due switch record. Returns whether there was one that does not
 * wait for its switch point.
 */
static bool consume_due(struct function_events *events)
{
	struct function_transfers *transfers = &events->transfers;
	struct stream_tasks *tasks = &transfers->tasks;
	const struct function_event *last =
		transfers->count ? &transfers->events[transfers->count - 1] :
				   &events->last;
	struct flow_item item;

	if (tasks->count >= events->due || waits_for_point(events) ||
	    !stream_tasks_next(tasks))
		return false;
	item = *stream_tasks_next(tasks);
	transfers->error = stream_tasks_advance(tasks);
	if (item.time_ns <= last->time_ns)
		flow_item_keep_order(&item, last->time_ns, last->late_ns);
	if (stream_tasks_record(tasks, &item))
		emit_switch(transfers, &item);
	return true;
}

static bool is_start(uint8_t exit)
{
	return exit == EXIT_START || exit == EXIT_ENTRY ||
	       exit == EXIT_UNTRACED;
}

/* The bounds in execution/ are in ticks, and a few nanoseconds wider. */
enum { TICK_SLACK_NS = 16 };

/* Raises @item's time to the lower bound that the entries into user space so
 * far prove.
 */
static void raise_time(const struct function_events *events,
		       struct flow_item *item)
{
	uint64_t high_ns = high_of(item);

	if (item->time_ns >= events->user_ns || high_ns < events->user_ns)
		return;
	item->time_ns = events->user_ns;
	item->early_ns = TICK_SLACK_NS;
	if (item->late_ns != FLOW_NO_BOUND)
		item->late_ns = (uint32_t)(high_ns - item->time_ns);
}

/* In a trace without the kernel, determines the task that enters user space at
 * @item: the only one that is possible, as in mark_user_task() of
 * execution/walk/walk.c.
 */
static void enter_user(struct function_events *events, struct flow_item *item)
{
	struct function_transfers *transfers = &events->transfers;
	const struct process_entry entry = {
		.low_ns = flow_stop_low_ns(item->time_ns, item->early_ns),
		.high_ns = high_of(item),
		.ip = item->ip,
		.switches = -1,
	};
	struct task_id task;

	if (process_view_enter(events->user, &entry) < 0)
		transfers->error = -ERROR_MEMORY;
	task.pid = process_view_pid(events->user);
	task.tid = process_view_tid(events->user);
	events->user_ns = process_view_floor_ns(events->user);
	raise_time(events, item);
	if (stream_tasks_enter(&transfers->tasks, task))
		emit_switch(transfers, item);
}

static void consume_traced_item(struct function_events *events,
				const struct flow_item *item)
{
	if (is_of_flow(item) &&
	    stream_tasks_come_back(&events->transfers.tasks))
		emit_switch(&events->transfers, item);
	switch ((enum flow_kind)item->kind) {
	case FLOW_BLOCK:
		consume_block(events, item);
		break;
	case FLOW_ASYNC:
		consume_async(events, item);
		break;
	case FLOW_START:
		forget_place(events, exit_of_start(events));
		events->outside = false;
		events->in_guest = false;
		break;
	case FLOW_STOP:
		consume_stop(events, item);
		break;
	case FLOW_GAP:
		consume_gap(events, item);
		break;
	case FLOW_SWITCH:
		consume_switch(events, item);
		break;
	case FLOW_END:
		emit(&events->transfers, item, FUNCTION_END);
		break;
	case FLOW_MODE:
	case FLOW_ADDRESS_SPACE:
	case FLOW_TRANSACTION:
	case FLOW_PTWRITE:
		break;
	}
}

static void consume_item(struct function_events *events,
			 const struct flow_item *item)
{
	struct flow_item placed = *item;

	if (!events->user || !is_of_flow(item)) {
		consume_traced_item(events, item);
		return;
	}
	if (item->kind == FLOW_BLOCK && is_start(events->exit))
		enter_user(events, &placed);
	raise_time(events, &placed);
	consume_traced_item(events, &placed);
}

int function_events_next(void *ctx, const struct function_event **batch)
{
	struct function_events *events = ctx;
	if (events->transfers.count)
		events->last =
			events->transfers.events[events->transfers.count - 1];
	events->transfers.count = 0;
	while (events->transfers.count <= BATCH_EVENTS - EVENTS_PER_ITEM) {
		if (events->transfers.error)
			return events->transfers.error;
		if (consume_due(events))
			continue;
		if (events->item_at == events->item_count) {
			int count;

			if (events->transfers.count)
				break;
			count = flow_source_next(events->source,
						 &events->items);
			if (count <= 0)
				return count;
			events->item_count = (size_t)count;
			events->item_at = 0;
		}
		/* At the end, switch records no longer wait for switch points.
		 */
		if (events->items[events->item_at].kind == FLOW_END &&
		    !events->at_end) {
			events->at_end = true;
			continue;
		}
		consume_item(events, &events->items[events->item_at++]);
	}
	*batch = events->transfers.events;
	return (int)events->transfers.count;
}
