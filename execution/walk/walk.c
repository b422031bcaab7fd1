/* SPDX-License-Identifier: MIT */
#include "execution/walk/walk.h"
#include "decoder/code/code_space.h"
#include "decoder/code/process_view.h"
#include "execution/walk/moment.h"

static void list_block(struct execution *execution, uint32_t index,
		       uint64_t last, uint32_t work, uint8_t exit)
{
	const struct block *block = &execution->blocks[index];
	bool is_call = exit == FLOW_EXIT_CALL || exit == FLOW_EXIT_FAR_CALL;
	struct flow_item *item = &execution_add(execution)->item;

	item->kind = FLOW_BLOCK;
	item->detail = exit & 0xf;
	item->last_length = is_call ? (block->ip + block->bytes - last) & 0xf :
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
	if (execution->passage == PASSAGE_INSIDE)
		return;
	if (execution->lists_blocks)
		execution->passage = PASSAGE_INSIDE;
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
	execution->at_branch = false;
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
	return walk_find_set(execution, address, execution->set);
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
	execution->is_out_of_memory = true;
	execution->next_change = 0;
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
	low = moment_ticks_after(execution, floor_ns);
	if (low > execution->before.high)
		return;
	execution->before.low = low;
	execution->has_bounds = false;
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
		.low_ns = moment_low_ns(execution, execution->before.low),
		.high_ns = moment_high_ns(execution, execution->before.high),
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
		return_stack_forget_blocks(&execution->returns);
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

/* Returns the time of which all earlier switches have passed, 0 if unknown. In
 * user space, that is the lower bound. In the kernel, the next entry into user
 * space decides which switches have passed.
 */
static uint64_t passed_ns(const struct execution *execution)
{
	if (execution->block == BLOCK_NONE ||
	    !execution->blocks[execution->block].is_user)
		return 0;
	return moment_low_ns(execution, execution->before.low);
}

bool walk_is_code_due(const struct execution *execution, uint64_t time_ns)
{
	return code_space_is_due(execution->code, passed_ns(execution),
				 time_ns);
}

int walk_set_code(struct execution *execution, uint64_t time_ns)
{
	struct code_space *code = execution->code;
	int status = execution->may_be_ahead ?
			     code_space_go_to(code, time_ns, forget_code,
					      execution) :
			     code_space_advance(code, passed_ns(execution),
						time_ns, forget_code,
						execution);

	execution->may_be_ahead = false;
	return_stack_forget_blocks(&execution->returns);
	if (execution->block != BLOCK_NONE)
		execution->block = walk_find(
			execution, execution->blocks[execution->block].ip);
	return status;
}

uint32_t walk_behind(struct execution *execution, uint32_t index,
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

	return_stack_push(&execution->returns, block->ip + block->bytes, index);
}

bool walk_along(struct execution *execution, enum block_edge edge)
{
	uint32_t index = execution->block;

	execution->block = walk_behind(execution, index, edge);
	execution->passage = block_passage(&execution->blocks[index], edge);
	execution->exit = edge == EDGE_TAKEN ? execution->blocks[index].exit :
					       FLOW_EXIT_NONE;
	return execution->block != BLOCK_NONE;
}

bool walk_back(struct execution *execution)
{
	uint32_t from = execution->block;
	uint64_t address;
	uint32_t caller;

	if (!return_stack_pop(&execution->returns, &address, &caller)) {
		execution->block = BLOCK_NONE;
		return false;
	}
	execution->block = caller == BLOCK_NONE ?
				   walk_find(execution, address) :
				   walk_behind(execution, caller, EDGE_NEXT);
	if (execution->block == BLOCK_NONE)
		return false;
	execution->exit = FLOW_EXIT_RETURN;
	execution->passage =
		block_returned(execution->blocks[from].is_plain,
			       &execution->blocks[execution->block]);
	return true;
}

/* Returns whether another block may run, after @count blocks that needed no
 * trace.
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
	uint32_t way;

	if (walk_enters_user(execution, execution->from, address))
		walk_enter_user(execution, address);
	way = block_graph_jump(execution->graph, execution->from, address);

	execution->blocks = block_graph_blocks(execution->graph);
	execution->block = way >> BLOCK_WAY_SHIFT;
	from = &execution->blocks[execution->from];
	execution->exit = from->exit;
	/* The effect of a far transfer depends on more than its edge. */
	execution->passage = PASSAGE_OTHER;
	if (from->kind == BLOCK_INDIRECT_CALL ||
	    from->kind == BLOCK_INDIRECT_JUMP)
		execution->passage = block_way_passage(way);
	else if (from->kind == BLOCK_RETURN)
		execution->passage = block_returned(
			from->is_plain, block_at(execution->blocks, way));
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
	execution->at_branch = false;
	execution->from = index;
	execution->block = walk_find(execution, address);
	execution->passage = PASSAGE_INSIDE;
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
