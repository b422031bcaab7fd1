/* SPDX-License-Identifier: MIT */
#include "decoder/flow/flow.h"
#include "execution/walk/moment.h"
#include "symbolize/symbols/symbols.h"

static const struct symbol no_symbol = { .function = FUNCTION_NONE };

/* Returns the symbol that control comes from. */
static const struct symbol *here(const struct execution *execution)
{
	if (execution->from == BLOCK_NONE)
		return &no_symbol;
	return &block_graph_info(execution->graph, execution->from)->symbol;
}

/* Returns the symbol that control arrives in. */
static const struct symbol *there(const struct execution *execution)
{
	return &block_graph_info(execution->graph, execution->block)->symbol;
}

static const struct block *target_of(const struct execution *execution)
{
	return &execution->blocks[execution->block];
}

static struct function_event *add(struct execution *execution, uint8_t kind,
				  uint32_t function, uint64_t address)
{
	struct function_event *event = &execution_add(execution)->event;

	event->kind = kind;
	event->function = function;
	event->address = address;
	event->is_user = target_of(execution)->is_user;
	return event;
}

/* Marks the switch point, with the time bounds of the code that runs between
 * the last branch and the next one. Arm's engine has other bounds; there the
 * record's estimated time is used.
 */
static void pass_switch_point(struct execution *execution)
{
	struct event_mark *mark = execution_mark(execution, MARK_SWITCH_POINT);
	uint64_t high = execution->at_branch ? execution->before.high :
					       execution->next_high;

	execution->evidence.switches += execution->evidence.switches >= 0;
	if (execution->atoms.is_on)
		return;
	mark->low_ns = moment_low_ns(execution, execution->before.low);
	mark->high_ns = moment_high_ns(execution, high);
}

/* The kernel changes stacks at the entry of the switch point, a task its
 * program at the entry of the exec point.
 */
static void check_points(struct execution *execution)
{
	const struct symbol *target = there(execution);

	if (target->role == CODE_EXEC_POINT)
		execution_add(execution)->event.kind = FUNCTION_NEW_PROGRAM;
	if (target->role == CODE_SWITCH_POINT)
		pass_switch_point(execution);
}

static void add_local_call(struct execution *execution,
			   const struct block *target)
{
	add(execution, FUNCTION_LOCAL_CALL, target->function, target->ip)
		->detail = target->function == FUNCTION_UNKNOWN ||
			   there(execution)->role == CODE_UNNAMED;
}

static void take_call(struct execution *execution, uint32_t from,
		      uint64_t return_address)
{
	const struct block *target = target_of(execution);

	if (target->function == from && !target->is_entry) {
		add_local_call(execution, target);
		return;
	}
	check_points(execution);
	add(execution, FUNCTION_CALL, target->function, return_address);
}

/* A jump to the middle of a symbol. In the kernel it is ignored: its assembly
 * code jumps within a function across symbols. An address between symbols may
 * be the start of a function: a jump there that leaves the file leaves the
 * function, and the target of a PLT entry is the start of one.
 */
static void take_jump_inside(struct execution *execution, uint32_t from)
{
	const struct block *target = target_of(execution);
	bool is_unnamed = there(execution)->role == CODE_UNNAMED;

	if (!target->is_user || target->function == FUNCTION_UNKNOWN)
		return;
	if (is_unnamed && !symbols_are_of_two_files(execution->symbols, from,
						    target->function))
		return;
	if (is_unnamed && here(execution)->role == CODE_INDIRECT_THUNK)
		add(execution, FUNCTION_TAIL_CALL, target->function,
		    target->ip);
	else
		add(execution, FUNCTION_FAR_JUMP, target->function, target->ip)
			->detail = is_unnamed;
}

static void take_jump(struct execution *execution, uint32_t from)
{
	const struct block *target = target_of(execution);

	if (target->function == from)
		return;
	if (!target->is_entry) {
		take_jump_inside(execution, from);
		return;
	}
	check_points(execution);
	add(execution, FUNCTION_TAIL_CALL, target->function, target->ip);
}

/* Remembers the return address of an NMI. Its handler may drain the trace
 * buffer, with the unit off meanwhile, which is not a pause of the task: see
 * place_leave().
 */
static void watch_nmi(struct execution *execution, uint64_t return_address)
{
	if (there(execution)->role == CODE_NMI)
		execution->nmi_return = return_address;
}

static void take_return(struct execution *execution, uint8_t kind)
{
	const struct block *target = target_of(execution);

	add(execution, kind, target->function, target->ip)->detail =
		target->is_entry;
}

static void take_interrupt_return(struct execution *execution)
{
	if (target_of(execution)->ip == execution->nmi_return)
		execution->nmi_return = NO_NMI;
	take_return(execution, FUNCTION_EXCEPTION_RETURN);
}

static void take_interruption(struct execution *execution, uint8_t detail)
{
	const struct block *target = target_of(execution);
	bool is_local = target->function == here(execution)->function &&
			!target->is_entry;

	watch_nmi(execution, execution->return_address);
	add(execution, is_local ? FUNCTION_LOCAL_EXCEPTION : FUNCTION_EXCEPTION,
	    target->function, execution->return_address)
		->detail = detail;
}

static void take_start(struct execution *execution, uint32_t function,
		       uint8_t exit)
{
	const struct block *target = target_of(execution);
	uint8_t detail = exit == EXIT_ENTRY ||
			 (exit == EXIT_START && target->is_entry);

	/* A start reported by the trace is at the entry of a function only if
	 * its address is one. A start from user space always is an entry, even
	 * in the middle of a symbol: the table of interrupt entries is one
	 * symbol.
	 */
	if (exit == EXIT_GUEST)
		detail = FUNCTION_START_AFTER_GUEST;
	add(execution, FUNCTION_TRACE_START, function, target->ip)->detail =
		detail;
	execution_mark(execution, MARK_RUNS);
}

static bool is_right_behind(const struct execution *execution)
{
	const struct block *from = &execution->blocks[execution->from];

	return target_of(execution)->ip == from->ip + from->bytes;
}

/* Emits the events of an edge that left function @from by @exit. */
static void take_exit(struct execution *execution, uint8_t exit, uint32_t from,
		      uint64_t return_address)
{
	switch (exit) {
	case FLOW_EXIT_CALL:
		take_call(execution, from, return_address);
		break;
	case FLOW_EXIT_CONDITIONAL:
		/* A target right after the branch means that it was not taken.
		 */
		if (!is_right_behind(execution))
			take_jump(execution, from);
		break;
	case FLOW_EXIT_JUMP:
	case FLOW_EXIT_FAR_JUMP:
		take_jump(execution, from);
		break;
	case FLOW_EXIT_RETURN:
		take_return(execution, FUNCTION_RETURN);
		break;
	case FLOW_EXIT_FAR_RETURN:
		take_interrupt_return(execution);
		break;
	case FLOW_EXIT_FAR_CALL:
		take_interruption(execution, FUNCTION_EXCEPTION_SYSTEM_CALL);
		break;
	case EXIT_ASYNC:
		take_interruption(execution, FUNCTION_EXCEPTION_INTERRUPT);
		break;
	case EXIT_START:
	case EXIT_ENTRY:
	case EXIT_UNSEEN:
	case EXIT_GUEST:
		take_start(execution, target_of(execution)->function, exit);
		watch_nmi(execution, 0);
		break;
	case FLOW_EXIT_NONE:
	default:
		break;
	}
}

/* Returns whether a transfer by @exit into thunk @target is emitted only when
 * control leaves the thunks. Otherwise it is emitted at once.
 */
static bool can_fold(uint8_t exit, const struct symbol *target)
{
	return target->role == CODE_VECTOR || exit <= FLOW_EXIT_RETURN ||
	       exit == FLOW_EXIT_FAR_JUMP;
}

static void enter_thunk(struct execution *execution, uint8_t exit)
{
	const struct symbol *target = there(execution);
	uint32_t from = here(execution)->function;

	/* The trace starts, or resumes after a gap, inside a thunk, and so not
	 * in a function yet.
	 */
	if (exit == EXIT_START || exit == EXIT_UNSEEN) {
		execution->fold.active = true;
		execution->fold.exit = EXIT_UNSEEN;
		return;
	}
	if (!can_fold(exit, target))
		take_exit(execution, exit, from, execution->return_address);
	if (exit != FLOW_EXIT_FAR_RETURN ||
	    !thunk_fold_resume(&execution->folds, &execution->fold,
			       target_of(execution)->ip))
		thunk_fold_begin(&execution->fold, target, exit, from,
				 execution->return_address);
}

/* IRET to the next instruction only serializes the CPU and does not end an
 * exception: iret_to_self() in arch/x86/include/asm/sync_core.h.
 */
static bool stays_inside(const struct execution *execution, uint8_t exit)
{
	const struct symbol *symbol = here(execution);
	uint64_t ip = target_of(execution)->ip;

	if (exit == FLOW_EXIT_FAR_RETURN)
		return execution->from != BLOCK_NONE &&
		       is_right_behind(execution);
	return exit <= FLOW_EXIT_JUMP && ip >= symbol->start &&
	       ip < symbol->end;
}

static void transfer(struct execution *execution, uint8_t exit)
{
	bool is_thunk = thunk_fold_covers(there(execution));
	struct thunk_fold *fold = &execution->fold;

	if (stays_inside(execution, exit))
		return;
	if (exit == EXIT_ASYNC && fold->active && fold->exit == EXIT_UNSEEN)
		take_start(execution, here(execution)->function, EXIT_UNSEEN);
	if (exit == EXIT_ASYNC)
		thunk_fold_suspend(&execution->folds, fold,
				   execution->return_address);
	if (!fold->active && is_thunk) {
		enter_thunk(execution, exit);
	} else if (!fold->active) {
		take_exit(execution, exit, here(execution)->function,
			  execution->return_address);
	} else if (!is_thunk) {
		fold->active = false;
		take_exit(execution, fold->exit, fold->from,
			  fold->return_address);
	}
}

void execution_arrive(struct execution *execution)
{
	const struct block *from = &execution->blocks[execution->from];
	const struct block *target = target_of(execution);

	switch ((enum block_passage)execution->passage) {
	case PASSAGE_INSIDE:
		break;
	case PASSAGE_CALL:
		add(execution, FUNCTION_CALL, target->function,
		    from->ip + from->bytes);
		break;
	case PASSAGE_LOCAL_CALL:
		add_local_call(execution, target);
		break;
	case PASSAGE_TAIL_CALL:
		add(execution, FUNCTION_TAIL_CALL, target->function,
		    target->ip);
		break;
	case PASSAGE_RETURN:
		add(execution, FUNCTION_RETURN, target->function, target->ip)
			->detail = target->is_entry;
		break;
	case PASSAGE_THUNK_RETURN:
	case PASSAGE_OTHER:
	case PASSAGE_NEW:
	case PASSAGE_TO_THUNK:
	case PASSAGE_IN_THUNK:
	case PASSAGE_FROM_THUNK:
		if (execution->exit == FLOW_EXIT_CALL ||
		    execution->exit == FLOW_EXIT_FAR_CALL)
			execution->return_address = from->ip + from->bytes;
		transfer(execution, execution->exit);
		break;
	}
	execution->passage = PASSAGE_INSIDE;
}
