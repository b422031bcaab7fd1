/* SPDX-License-Identifier: MIT */
#include "execution/walk/walk.h"

#include "decoder/code/code_space.h"
#include "decoder/code/process_view.h"
#include "decoder/flow/flow.h"
#include "execution/walk/execution.h"
#include "symbolize/symbols/symbols.h"

static const struct symbol no_symbol = { .function = FUNCTION_NONE };

/* Returns the symbol of the block that ran last. */
static const struct symbol *here(const struct execution *execution)
{
	if (execution->from == BLOCK_NONE)
		return &no_symbol;
	return &block_graph_info(execution->graph, execution->from)->symbol;
}

/* Returns the symbol of the block that runs next. */
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
 * the last branch and the next one. In trace with atoms the bounds are not
 * those of branches; the record's estimated time is used instead.
 */
static void pass_switch_point(struct execution *execution)
{
	struct event_mark *mark = execution_mark(execution, MARK_SWITCH_POINT);
	uint64_t high = execution->bounds.at_branch ?
				execution->bounds.before.high :
				execution->bounds.next_high;

	execution->evidence.switches += execution->evidence.switches >= 0;
	if (execution->atoms.is_on)
		return;
	mark->low_ns =
		execution_low_ns(execution, execution->bounds.before.low);
	mark->high_ns = execution_high_ns(execution, high);
}

/* Emits the events of entering a function with a special role: at the switch
 * point the kernel changes stacks, at the exec point a task changes its
 * program.
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

static void emit_call(struct execution *execution, uint32_t from,
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

/* Emits a jump to an address that is not the start of a symbol. In the kernel
 * such jumps are ignored: its assembly code jumps within a function across
 * symbols. In user space, an address between symbols may be the start of a
 * function: a jump there that leaves the file leaves the function, and the
 * target of a PLT entry is the start of a function.
 */
static void emit_jump_inside(struct execution *execution, uint32_t from)
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

static void emit_jump(struct execution *execution, uint32_t from)
{
	const struct block *target = target_of(execution);

	if (target->function == from)
		return;
	if (!target->is_entry) {
		emit_jump_inside(execution, from);
		return;
	}
	check_points(execution);
	add(execution, FUNCTION_TAIL_CALL, target->function, target->ip);
}

/* If an NMI's handler is entered, stores the NMI's return address. The handler
 * may drain the trace buffer, with the unit off meanwhile, which is not a pause
 * of the task: see position_leave().
 */
static void watch_nmi(struct execution *execution, uint64_t return_address)
{
	if (there(execution)->role == CODE_NMI)
		execution->calls.nmi_return = return_address;
}

static void emit_return(struct execution *execution, uint8_t kind)
{
	const struct block *target = target_of(execution);

	add(execution, kind, target->function, target->ip)->detail =
		target->is_entry;
}

static void emit_interrupt_return(struct execution *execution)
{
	if (target_of(execution)->ip == execution->calls.nmi_return)
		execution->calls.nmi_return = NO_NMI;
	emit_return(execution, FUNCTION_EXCEPTION_RETURN);
}

static void emit_interruption(struct execution *execution, uint8_t detail)
{
	const struct block *target = target_of(execution);
	bool is_local = target->function == here(execution)->function &&
			!target->is_entry;

	watch_nmi(execution, execution->calls.return_address);
	add(execution, is_local ? FUNCTION_LOCAL_EXCEPTION : FUNCTION_EXCEPTION,
	    target->function, execution->calls.return_address)
		->detail = detail;
}

/* Marks the next record, an entry into user space, with the task that must have
 * entered: the times of switch records do not decide that if they are within
 * the entry's time bounds.
 */
static void mark_user_task(struct execution *execution)
{
	struct event_mark *mark = execution_mark(execution, MARK_USER_TASK);

	mark->pid = code_space_pid(execution->code);
	mark->tid = code_space_tid(execution->code);
}

static void emit_start(struct execution *execution, uint32_t function,
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
	if (!execution->traces_kernel && !execution->atoms.is_on)
		mark_user_task(execution);
	add(execution, FUNCTION_TRACE_START, function, target->ip)->detail =
		detail;
	execution_mark(execution, MARK_RUNS);
}

/* Returns whether the next block follows the last one in memory. */
static bool is_right_behind(const struct execution *execution)
{
	const struct block *from = &execution->blocks[execution->from];

	return target_of(execution)->ip == from->ip + from->bytes;
}

/* Emits the events of an edge that left function @from by @exit. */
static void emit_exit(struct execution *execution, uint8_t exit, uint32_t from,
		      uint64_t return_address)
{
	switch (exit) {
	case FLOW_EXIT_CALL:
		emit_call(execution, from, return_address);
		break;
	case FLOW_EXIT_CONDITIONAL:
		/* A target right after the branch means that it was not taken.
		 */
		if (!is_right_behind(execution))
			emit_jump(execution, from);
		break;
	case FLOW_EXIT_JUMP:
	case FLOW_EXIT_FAR_JUMP:
		emit_jump(execution, from);
		break;
	case FLOW_EXIT_RETURN:
		emit_return(execution, FUNCTION_RETURN);
		break;
	case FLOW_EXIT_FAR_RETURN:
		emit_interrupt_return(execution);
		break;
	case FLOW_EXIT_FAR_CALL:
		emit_interruption(execution, FUNCTION_EXCEPTION_SYSTEM_CALL);
		break;
	case EXIT_ASYNC:
		emit_interruption(execution, FUNCTION_EXCEPTION_INTERRUPT);
		break;
	case EXIT_START:
	case EXIT_ENTRY:
	case EXIT_UNTRACED:
	case EXIT_GUEST:
		emit_start(execution, target_of(execution)->function, exit);
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

/* Starts the fold of a transfer by @exit into a thunk. It becomes one event
 * when control leaves the thunks.
 */
static void enter_thunk(struct execution *execution, uint8_t exit)
{
	const struct symbol *target = there(execution);
	uint32_t from = here(execution)->function;

	/* The trace starts, or resumes after a gap, inside a thunk, and so not
	 * in a function yet.
	 */
	if (exit == EXIT_START || exit == EXIT_UNTRACED) {
		execution->calls.fold.active = true;
		execution->calls.fold.exit = EXIT_UNTRACED;
		return;
	}
	if (!can_fold(exit, target))
		emit_exit(execution, exit, from,
			  execution->calls.return_address);
	if (exit != FLOW_EXIT_FAR_RETURN ||
	    !thunk_fold_resume(&execution->calls.folds, &execution->calls.fold,
			       target_of(execution)->ip))
		thunk_fold_begin(&execution->calls.fold, target, exit, from,
				 execution->calls.return_address);
}

/* Returns whether the transfer by @exit neither leaves the symbol nor enters a
 * function. IRET to the next instruction only serializes the CPU and does not
 * end an exception: iret_to_self() in arch/x86/include/asm/sync_core.h.
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

/* Emits the effect of the last block on interrupts, if it ran to its end. */
static void emit_interrupts(struct execution *execution, uint8_t exit)
{
	uint8_t interrupts = execution->blocks[execution->from].interrupts;

	if (interrupts && exit == FLOW_EXIT_NONE)
		add(execution, FUNCTION_INTERRUPTS,
		    target_of(execution)->function, target_of(execution)->ip)
			->detail = interrupts;
}

/* Emits the inlined calls that are open in the next block. Those that begin
 * there are entered, unless the block was interrupted and resumed
 * (@is_resumed).
 */
static void emit_inlined(struct execution *execution, bool is_resumed)
{
	const struct block_inlined *inlined =
		block_graph_inlined(execution->graph, execution->block);
	uint64_t site = inlined ? inlined->site : 0;
	uint64_t entries = inlined && !is_resumed ? inlined->entries : 0;

	add(execution, FUNCTION_INLINED, target_of(execution)->function,
	    site | entries << 32);
}

/* Emits the inlined calls after a transfer by @exit to another symbol. The
 * receiver of events forgets them at each such transfer, even if the function
 * stays the same, as after a return.
 */
static void arrive_inlined(struct execution *execution, uint8_t exit)
{
	const struct block_inlined *before =
		block_graph_inlined(execution->graph, execution->from);

	if (block_graph_inlined(execution->graph, execution->block) ||
	    (before &&
	     target_of(execution)->function == here(execution)->function))
		emit_inlined(execution, exit == FLOW_EXIT_FAR_RETURN ||
						exit >= EXIT_ASYNC);
}

/* Emits the events of the transfer by @exit from the last block to the next
 * one. A transfer into a thunk is emitted only when control leaves the thunks.
 */
static void transfer(struct execution *execution, uint8_t exit)
{
	bool is_thunk = thunk_fold_covers(there(execution));
	struct thunk_fold *fold = &execution->calls.fold;

	emit_interrupts(execution, exit);
	if (stays_inside(execution, exit)) {
		if (block_graph_changes_inlined(execution->graph,
						execution->from,
						execution->block))
			emit_inlined(execution, false);
		return;
	}
	if (exit == EXIT_ASYNC && fold->active && fold->exit == EXIT_UNTRACED)
		emit_start(execution, here(execution)->function, EXIT_UNTRACED);
	if (exit == EXIT_ASYNC)
		thunk_fold_suspend(&execution->calls.folds, fold,
				   execution->calls.return_address);
	if (!fold->active && is_thunk) {
		enter_thunk(execution, exit);
	} else if (!fold->active) {
		emit_exit(execution, exit, here(execution)->function,
			  execution->calls.return_address);
	} else if (!is_thunk) {
		fold->active = false;
		emit_exit(execution, fold->exit, fold->from,
			  fold->return_address);
	}
	arrive_inlined(execution, exit);
}

void execution_arrive(struct execution *execution)
{
	const struct block *from = &execution->blocks[execution->from];
	const struct block *target = target_of(execution);

	switch ((enum edge_kind)execution->edge_kind) {
	case EDGE_KIND_INSIDE:
		break;
	case EDGE_KIND_CALL:
		add(execution, FUNCTION_CALL, target->function,
		    from->ip + from->bytes);
		break;
	case EDGE_KIND_LOCAL_CALL:
		add_local_call(execution, target);
		break;
	case EDGE_KIND_TAIL_CALL:
		add(execution, FUNCTION_TAIL_CALL, target->function,
		    target->ip);
		break;
	case EDGE_KIND_RETURN:
		add(execution, FUNCTION_RETURN, target->function, target->ip)
			->detail = target->is_entry;
		break;
	case EDGE_KIND_INLINED:
		emit_inlined(execution, false);
		break;
	case EDGE_KIND_THUNK_RETURN:
	case EDGE_KIND_OTHER:
	case EDGE_KIND_NEW:
	case EDGE_KIND_TO_THUNK:
	case EDGE_KIND_IN_THUNK:
	case EDGE_KIND_FROM_THUNK:
		if (execution->exit == FLOW_EXIT_CALL ||
		    execution->exit == FLOW_EXIT_FAR_CALL)
			execution->calls.return_address =
				from->ip + from->bytes;
		transfer(execution, execution->exit);
		break;
	}
	execution->edge_kind = EDGE_KIND_INSIDE;
}

/* Runs execution->block, whose branch consumes one bit, and moves along the
 * branch. Returns false if the branch does not consume bits: only conditional
 * branches and, with a taken bit, returns to their call site do.
 */
static bool consume_bit(struct execution *execution, bool is_taken)
{
	uint8_t kind = execution->blocks[execution->block].kind;

	if (kind != BLOCK_CONDITIONAL && (kind != BLOCK_RETURN || !is_taken))
		return false;
	walk_run(execution);
	if (kind == BLOCK_RETURN)
		return walk_back(execution);
	return walk_along(execution, is_taken ? EDGE_TAKEN : EDGE_NEXT);
}

bool walk_bits(struct execution *execution, uint64_t bits, unsigned int count)
{
	if (!execution->lists_blocks) {
		walk_arrive(execution);
		execution->bounds.at_branch = false;
	}
	for (; count; count--) {
		execution->bits_left = (uint8_t)count;
		if (!walk_straight(execution) ||
		    !consume_bit(execution, bits >> 63))
			return false;
		bits <<= 1;
	}
	return true;
}

static void list_block(struct execution *execution, uint32_t index,
		       uint64_t last, uint32_t work, uint8_t exit)
{
	const struct block *block = &execution->blocks[index];
	struct flow_item *item = &execution_add(execution)->item;

	item->kind = FLOW_BLOCK;
	item->detail = exit & 0xf;
	item->last_length = flow_exit_has_length(exit) ?
				    (block->ip + block->bytes - last) & 0xf :
				    0;
	item->instructions = (uint16_t)(block_work_instructions(work));
	item->last = (uint32_t)(last - block->ip);
	item->ip = block->ip;
}

static uint64_t last_of(const struct execution *execution, uint32_t index)
{
	return execution->blocks[index].ip +
	       block_graph_info(execution->graph, index)->last;
}

uint64_t walk_last_ip(const struct execution *execution)
{
	if (execution->last_ip || execution->from == BLOCK_NONE)
		return execution->last_ip;
	return last_of(execution, execution->from);
}

void walk_arrive(struct execution *execution)
{
	if (execution->edge_kind == EDGE_KIND_INSIDE)
		return;
	if (execution->lists_blocks)
		execution->edge_kind = EDGE_KIND_INSIDE;
	else
		execution_arrive(execution);
}

void walk_run(struct execution *execution)
{
	uint32_t index = execution->block;
	const struct block *block = &execution->blocks[index];

	walk_arrive(execution);
	if (execution->lists_blocks)
		list_block(execution, index, last_of(execution, index),
			   block->work, block->exit);
	execution->times.work += block->work;
	execution->last_ip = 0;
	execution->bounds.at_branch = false;
	execution->from = index;
}

uint32_t walk_find_set(struct execution *execution, uint64_t address,
		       uint8_t set)
{
	uint32_t index = block_graph_find(execution->graph, address, set);

	execution->blocks = block_graph_blocks(execution->graph);
	return index;
}

uint32_t walk_find(struct execution *execution, uint64_t address)
{
	return walk_find_set(execution, address, execution->sets.current);
}

static void forget_code(void *ctx, uint64_t first, uint64_t end)
{
	struct execution *execution = ctx;

	block_graph_forget(execution->graph, first, end);
}

/* The low 12 bits of CR3 are not part of the address (Intel SDM, "Control
 * Registers"). With page table isolation, a process has two tables, whose
 * addresses differ only in bit 12 (PTI_USER_PGTABLE_BIT,
 * arch/x86/include/asm/pgtable.h).
 */
enum { TABLE_SHIFT = 12, TABLE_PAIR_SHIFT = 13 };

void walk_run_out_of_memory(struct execution *execution)
{
	execution->changes.is_out_of_memory = true;
	execution->changes.next = 0;
}

/* Raises the lower bound of the entry that just happened to the time that
 * code_space_enter() found.
 */
static void raise_low(struct execution *execution, uint64_t low_ns)
{
	uint64_t floor_ns = code_space_floor_ns(execution->code);
	uint64_t low;

	if (floor_ns <= low_ns)
		return;
	low = execution_ticks(execution, floor_ns);
	if (low > execution->bounds.before.high)
		return;
	execution->bounds.before.low = low;
	execution->bounds.has_index = false;
}

void walk_enter_user(struct execution *execution, uint64_t address)
{
	struct user_evidence *evidence = &execution->evidence;
	uint64_t table = evidence->is_table_lost ?
				 0 :
				 execution->page_table >> TABLE_SHIFT;
	uint32_t space = code_space_of(execution->code, address);
	bool is_known = table && evidence->user_table;
	const struct process_entry entry = {
		.low_ns = execution_low_ns(execution,
					   execution->bounds.before.low),
		.high_ns = execution_high_ns(execution,
					     execution->bounds.before.high),
		.ip = address,
		.switches = execution->counts_switches ? evidence->switches :
							 -1,
		.is_same_table = is_known && !evidence->is_table_passed &&
				 table == evidence->user_table,
		.is_other_table = is_known && table != evidence->user_table,
	};
	bool is_synced = evidence->is_synced;

	*evidence = (struct user_evidence){
		.is_table_lost = evidence->is_table_lost,
		.user_table = table,
	};
	if (is_synced)
		return;
	if (code_space_enter(execution->code, &entry) < 0)
		walk_run_out_of_memory(execution);
	if (!execution->counts_switches)
		raise_low(execution, entry.low_ns);
	if (code_space_of(execution->code, address) != space)
		return_stack_forget_blocks(&execution->calls.returns);
}

void walk_lose_switches(struct execution *execution)
{
	execution->evidence.switches = -1;
}

void walk_lose_page_table(struct execution *execution)
{
	execution->evidence.is_table_lost = true;
}

void walk_set_page_table(struct execution *execution, uint64_t root)
{
	struct user_evidence *evidence = &execution->evidence;
	const unsigned int pair = TABLE_PAIR_SHIFT - TABLE_SHIFT;

	evidence->is_table_lost = false;
	if (root >> TABLE_PAIR_SHIFT != evidence->user_table >> pair)
		evidence->is_table_passed = true;
	execution->page_table = root;
}

/* Returns the time before which all task switches have taken effect; 0 if it is
 * unknown. In user space, that is the lower bound of the last branch. In the
 * kernel, the next entry into user space decides.
 */
static uint64_t passed_ns(const struct execution *execution)
{
	if (execution->block == BLOCK_NONE ||
	    !execution->blocks[execution->block].is_user)
		return 0;
	return execution_low_ns(execution, execution->bounds.before.low);
}

bool walk_is_code_due(const struct execution *execution, uint64_t time_ns)
{
	return code_space_is_due(execution->code, passed_ns(execution),
				 time_ns);
}

int walk_set_code(struct execution *execution, uint64_t time_ns)
{
	struct code_space *code = execution->code;
	int status = execution->changes.may_be_ahead ?
			     code_space_go_to(code, time_ns, forget_code,
					      execution) :
			     code_space_advance(code, passed_ns(execution),
						time_ns, forget_code,
						execution);

	execution->changes.may_be_ahead = false;
	return_stack_forget_blocks(&execution->calls.returns);
	if (execution->block != BLOCK_NONE)
		execution->block = walk_find(
			execution, execution->blocks[execution->block].ip);
	return status;
}

/* Returns the target of @edge of block @index, which it finds if the edge is
 * new; BLOCK_NONE when out of memory.
 */
static uint32_t edge_target(struct execution *execution, uint32_t index,
			    enum block_edge edge)
{
	uint32_t to = block_to(&execution->blocks[index], edge);

	if (to != BLOCK_NONE)
		return to;
	to = block_graph_go(execution->graph, index, edge);
	execution->blocks = block_graph_blocks(execution->graph);
	return to;
}

static void push_call(struct execution *execution, uint32_t index)
{
	const struct block *block = &execution->blocks[index];

	return_stack_push(&execution->calls.returns, block->ip + block->bytes,
			  index);
}

bool walk_along(struct execution *execution, enum block_edge edge)
{
	uint32_t index = execution->block;

	execution->block = edge_target(execution, index, edge);
	execution->edge_kind = block_edge_kind(&execution->blocks[index], edge);
	execution->exit = edge == EDGE_TAKEN ? execution->blocks[index].exit :
					       FLOW_EXIT_NONE;
	return execution->block != BLOCK_NONE;
}

bool walk_back(struct execution *execution)
{
	uint32_t from = execution->block;
	uint64_t address;
	uint32_t caller;

	if (!return_stack_pop(&execution->calls.returns, &address, &caller)) {
		execution->block = BLOCK_NONE;
		return false;
	}
	execution->block = caller == BLOCK_NONE ?
				   walk_find(execution, address) :
				   edge_target(execution, caller, EDGE_NEXT);
	if (execution->block == BLOCK_NONE)
		return false;
	execution->exit = FLOW_EXIT_RETURN;
	execution->edge_kind =
		block_returned(execution->blocks[from].is_plain,
			       &execution->blocks[execution->block]);
	return true;
}

/* Returns whether another block may run without using trace: @count blocks that
 * did so are below the limit, and there is room for its records.
 */
static bool can_go_on(const struct execution *execution, int count)
{
	return execution->block != BLOCK_NONE && count < WALK_MOST_STRAIGHT &&
	       event_times_has_room(&execution->times, RECORDS_AT_ONCE);
}

/* Runs execution->block and goes to its target, if it ends in a direct edge.
 * Returns whether it does.
 */
static bool run_direct(struct execution *execution)
{
	uint8_t kind = execution->blocks[execution->block].kind;

	if (kind != BLOCK_FALL && kind != BLOCK_JUMP && kind != BLOCK_CALL)
		return false;
	if (kind == BLOCK_CALL)
		push_call(execution, execution->block);
	walk_run(execution);
	walk_along(execution, kind == BLOCK_FALL ? EDGE_NEXT : EDGE_TAKEN);
	return true;
}

static void read_block(struct execution *execution)
{
	if (execution->blocks[execution->block].kind == BLOCK_UNREAD)
		block_graph_read(execution->graph, execution->block);
}

bool walk_straight(struct execution *execution)
{
	for (int i = 0; can_go_on(execution, i); i++) {
		uint8_t kind;

		read_block(execution);
		kind = execution->blocks[execution->block].kind;
		if (!run_direct(execution))
			return kind >= BLOCK_CONDITIONAL &&
			       kind <= BLOCK_FAR_JUMP;
	}
	return false;
}

bool walk_blocks(struct execution *execution, unsigned int count)
{
	while (count--) {
		uint32_t index = execution->block;
		uint8_t kind = execution->blocks[index].kind;

		if (kind == BLOCK_CALL)
			push_call(execution, index);
		walk_run(execution);
		if (!walk_along(execution,
				kind == BLOCK_FALL ? EDGE_NEXT : EDGE_TAKEN))
			return false;
		if (!event_times_has_room(&execution->times, RECORDS_AT_ONCE))
			event_times_flush(&execution->times);
	}
	return true;
}

bool walk_to_target(struct execution *execution)
{
	if (!walk_straight(execution) ||
	    execution->blocks[execution->block].kind == BLOCK_CONDITIONAL)
		return false;
	if (execution->blocks[execution->block].kind == BLOCK_INDIRECT_CALL)
		push_call(execution, execution->block);
	walk_run(execution);
	return true;
}

void walk_jump(struct execution *execution, uint64_t address)
{
	const struct block *from;
	uint32_t word;

	if (walk_enters_user(execution, execution->from, address))
		walk_enter_user(execution, address);
	word = block_graph_jump(execution->graph, execution->from, address);

	execution->blocks = block_graph_blocks(execution->graph);
	execution->block = word >> BLOCK_EDGE_SHIFT;
	from = &execution->blocks[execution->from];
	execution->exit = from->exit;
	/* The effect of a far transfer depends on more than its edge. */
	execution->edge_kind = EDGE_KIND_OTHER;
	if (from->kind == BLOCK_INDIRECT_CALL ||
	    from->kind == BLOCK_INDIRECT_JUMP)
		execution->edge_kind = edge_word_kind(word);
	else if (from->kind == BLOCK_RETURN)
		execution->edge_kind = block_returned(
			from->is_plain, block_at(execution->blocks, word));
}

bool walk_to_exit(struct execution *execution, uint64_t address)
{
	for (int i = 0; can_go_on(execution, i); i++) {
		const struct block *block;
		bool is_there;
		uint8_t kind;

		read_block(execution);
		block = &execution->blocks[execution->block];
		kind = block->kind;
		is_there = block_graph_info(execution->graph, execution->block)
				   ->target == address;
		if (kind == BLOCK_CONDITIONAL)
			is_there |= block->ip + block->bytes == address;
		else if (kind != BLOCK_JUMP && kind != BLOCK_CALL)
			is_there = false;
		if (is_there)
			walk_run(execution);
		if (is_there || kind == BLOCK_CONDITIONAL)
			return is_there;
		if (!run_direct(execution))
			return walk_to_target(execution);
		if (kind == BLOCK_FALL &&
		    execution->blocks[execution->block].ip == address)
			return true;
	}
	return false;
}

/* Runs the part of execution->block before the instruction at @address. */
static bool run_part(struct execution *execution, uint64_t address)
{
	uint32_t index = execution->block;
	uint64_t last = 0;
	uint32_t work;

	if (execution->blocks[index].ip == address)
		return true;
	work = block_graph_part(execution->graph, index, address, &last);
	if (!work)
		return false;
	walk_arrive(execution);
	if (execution->lists_blocks)
		list_block(execution, index, last, work, FLOW_EXIT_NONE);
	execution->times.work += work;
	execution->last_ip = last;
	execution->bounds.at_branch = false;
	execution->from = index;
	execution->block = walk_find(execution, address);
	execution->edge_kind = EDGE_KIND_INSIDE;
	return execution->block != BLOCK_NONE;
}

static bool is_in_block(const struct execution *execution, uint64_t address)
{
	const struct block *block = &execution->blocks[execution->block];

	return address - block->ip < block->bytes || address == block->ip;
}

bool walk_to(struct execution *execution, uint64_t address)
{
	for (int i = 0; can_go_on(execution, i); i++) {
		read_block(execution);
		if (is_in_block(execution, address))
			return run_part(execution, address);
		if (!run_direct(execution))
			return false;
	}
	return false;
}

/* Maximum length of a look-ahead, in blocks. */
enum { MOST_AHEAD = 1024 };

static void look_at(const struct execution *execution, struct look_ahead *ahead,
		    uint64_t address, unsigned int count)
{
	const struct block *block = &execution->blocks[ahead->end];
	const struct block_info *info =
		block_graph_info(execution->graph, ahead->end);

	ahead->has_address |= address - block->ip < block->bytes;
	if (info->writes_page_table && !ahead->to_page_table)
		ahead->to_page_table = count;
	if (block->kind != BLOCK_JUMP && block->kind != BLOCK_CALL)
		return;
	ahead->to_direct = count;
	if (!ahead->to_outside &&
	    trace_filter_excludes(&execution->filter, info->target))
		ahead->to_outside = count;
}

struct look_ahead look_ahead_of(struct execution *execution, uint64_t address)
{
	struct look_ahead ahead = { .end = execution->block };

	for (unsigned int count = 1; count <= MOST_AHEAD; count++) {
		const struct block *block;

		if (ahead.end == BLOCK_NONE)
			return ahead;
		block = &execution->blocks[ahead.end];
		if (block->kind == BLOCK_UNREAD)
			block_graph_read(execution->graph, ahead.end);
		look_at(execution, &ahead, address, count);
		if (block->kind != BLOCK_FALL && block->kind != BLOCK_JUMP &&
		    block->kind != BLOCK_CALL)
			return ahead;
		ahead.end = edge_target(execution, ahead.end,
					block->kind == BLOCK_FALL ? EDGE_NEXT :
								    EDGE_TAKEN);
	}
	ahead.end = BLOCK_NONE;
	return ahead;
}

bool look_ahead_ends_at_target(const struct execution *execution,
			       const struct look_ahead *ahead)
{
	return ahead->end != BLOCK_NONE &&
	       block_takes_target(execution->blocks[ahead->end].kind);
}

bool look_ahead_ends_in_void(const struct execution *execution,
			     const struct look_ahead *ahead)
{
	uint8_t kind;

	if (ahead->end == BLOCK_NONE)
		return false;
	kind = execution->blocks[ahead->end].kind;
	return kind == BLOCK_NO_CODE || kind == BLOCK_CODE_CHANGED ||
	       kind == BLOCK_GENERATED || kind == BLOCK_UNKNOWN;
}
