/* SPDX-License-Identifier: MIT */
#include "execution/atoms/atom_flow.h"
#include "execution/atoms/atom_cycles.h"
#include "execution/atoms/atom_gaps.h"
#include "execution/atoms/atom_times.h"
#include "execution/atoms/walk_atoms.h"
#include "execution/walk/moment.h"
#include "execution/walk/walk.h"

static uint8_t set_of(const struct trace_branch *branch)
{
	static const uint8_t sets[] = {
		[TRACE_A64] = INSTRUCTION_A64,
		[TRACE_A32] = INSTRUCTION_A32,
		[TRACE_T32] = INSTRUCTION_T32,
		[TRACE_SET_MASK] = INSTRUCTION_A64,
	};

	return sets[branch->count & TRACE_SET_MASK];
}

void atom_flow_list(struct execution *execution, uint8_t kind, uint8_t detail,
		    uint64_t ip)
{
	struct flow_item *item;

	atom_times_begin(execution, false);
	if (!execution->lists_blocks)
		return;
	item = &execution_add(execution)->item;
	item->kind = kind;
	item->detail = detail & 0xf;
	item->ip = ip;
}

/* Tracing started; the first code runs now. */
static void start(struct execution *execution)
{
	execution->atoms.must_start = false;
	atom_flow_list(execution, FLOW_START, 0,
		       execution->blocks[execution->block].ip);
	execution_forget_place(execution,
			       execution->outside ? EXIT_ENTRY : EXIT_START);
	execution->outside = false;
}

/* Compares the address in the trace with the position by the code: if they
 * differ, the code does not match the trace.
 */
static void take_told(struct execution *execution, uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;
	uint32_t told = atoms->told;

	atoms->told = BLOCK_NONE;
	if (told == BLOCK_NONE || told == execution->block)
		return;
	atom_gaps_add(execution, FLOW_GAP_BAD_TRACE, position);
	execution->block = told;
}

static uint8_t gap_reason(const struct execution *execution)
{
	uint8_t kind = BLOCK_NONE;

	if (execution->block != BLOCK_NONE)
		kind = execution->blocks[execution->block].kind;
	if (kind == BLOCK_NO_CODE)
		return FLOW_GAP_NO_CODE;
	if (kind == BLOCK_CODE_CHANGED)
		return FLOW_GAP_CODE_CHANGED;
	if (kind == BLOCK_GENERATED)
		return FLOW_GAP_GENERATED;
	return kind == BLOCK_UNKNOWN ? FLOW_GAP_UNKNOWN_CODE :
				       FLOW_GAP_BAD_TRACE;
}

static void fail(struct execution *execution, uint64_t position)
{
	atom_gaps_open(execution, gap_reason(execution), position);
	execution->atoms.must_start = false;
}

/* Returns whether the code of @block is known. */
static bool has_code(struct execution *execution, uint32_t block)
{
	if (execution->blocks[block].kind == BLOCK_UNREAD)
		block_graph_read(execution->graph, block);
	return execution->blocks[block].kind < BLOCK_NO_CODE;
}

/* Prepares to run execution->block, or the block at the address in the trace.
 * Returns false if there is none.
 */
static bool begin_run(struct execution *execution, uint64_t position)
{
	uint32_t told = execution->atoms.told;
	uint32_t block = told == BLOCK_NONE ? execution->block : told;

	if (!has_code(execution, block)) {
		execution->block = block;
		fail(execution, position);
		return false;
	}
	take_told(execution, position);
	atom_gaps_close(execution, position);
	if (execution->atoms.must_start)
		start(execution);
	atom_times_begin(execution, true);
	return true;
}

static void end_run(struct execution *execution)
{
	atom_times_end(execution);
	execution->atoms.is_running = true;
	execution->atoms.is_expected = execution->block != BLOCK_NONE;
}

/* Returns whether the next block is known, from the return stack too. */
static bool has_place(struct execution *execution, uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;

	if (!atoms->awaits_target)
		return execution->block != BLOCK_NONE;
	if (!atoms->pops_target)
		return false;
	if (walk_atoms_back(execution))
		return true;
	fail(execution, position);
	return false;
}

/* Returns the distance in bytes from the first packet of @branch to the packet
 * of its last @left branches.
 */
static uint64_t packets_before(const struct trace_branch *branch,
			       unsigned int left)
{
	return (uint64_t)__builtin_popcountll(branch->low >> (left - 1)) - 1;
}

void atom_flow_atoms(struct execution *execution,
		     const struct trace_branch *branch, uint64_t position)
{
	uint64_t bits = branch->payload << (64 - branch->count);
	unsigned int left;

	if (!has_place(execution, position) || !begin_run(execution, position))
		return;
	left = walk_atoms(execution, bits, branch->count);
	end_run(execution);
	/* Without a stack the target is unknown until an address follows. */
	if (left &&
	    (!execution->atoms.awaits_target || execution->atoms.pops_target))
		fail(execution, position + packets_before(branch, left));
}

static void go_to(struct execution *execution, uint64_t address, uint8_t set)
{
	struct atom_state *atoms = &execution->atoms;

	atoms->set = set;
	execution->set = set;
	if (atoms->awaits_target)
		walk_atoms_jump(execution, address);
	else if (atoms->is_running && atoms->is_expected)
		atoms->told = walk_find(execution, address);
	else
		execution->block = walk_find(execution, address);
}

void atom_flow_source(struct execution *execution,
		      const struct trace_branch *branch, uint64_t position)
{
	bool is_there;

	if (!has_place(execution, position))
		go_to(execution, branch->payload, set_of(branch));
	if (!begin_run(execution, position))
		return;
	is_there = walk_atoms_source(execution, branch->payload);
	end_run(execution);
	if (!is_there)
		fail(execution, position);
}

/* The last branch arrived at the interrupted block, unless its source is
 * unknown.
 */
static void interrupt(struct execution *execution, uint64_t address)
{
	atom_times_begin(execution, false);
	if (execution->passage != PASSAGE_OTHER ||
	    execution->exit != EXIT_UNSEEN) {
		walk_arrive(execution);
		execution->last_ip = walk_last_ip(execution);
		execution->from = execution->block;
	}
	atom_flow_list(execution, FLOW_ASYNC, 0, address);
	execution->return_address = address;
	execution->passage = PASSAGE_OTHER;
	execution->exit = EXIT_ASYNC;
}

/* Runs the code up to the exception. Returns whether the code leads there. */
static bool run_to_exception(struct execution *execution,
			     const struct trace_branch *branch,
			     uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;
	bool is_there;

	if (atoms->told == BLOCK_NONE &&
	    execution->blocks[execution->block].ip == branch->payload)
		return true;
	if (!begin_run(execution, position))
		return false;
	is_there = walk_atoms_to(execution, branch->payload,
				 branch->count & TRACE_EXCEPTION_CALL);
	end_run(execution);
	if (!is_there)
		fail(execution, position);
	return is_there;
}

/* A system call is the last block's own exit; other exceptions interrupt it. */
void atom_flow_exception(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;

	if (branch->count & TRACE_EXCEPTION_TARGET)
		go_to(execution, branch->payload, set_of(branch));
	if (!has_place(execution, position) ||
	    !run_to_exception(execution, branch, position))
		return;
	atoms->is_expected = false;
	if (!atoms->is_running)
		return;
	if (execution->passage == PASSAGE_OTHER &&
	    execution->exit == FLOW_EXIT_FAR_CALL)
		return;
	interrupt(execution, branch->payload);
}

/* 32-bit code returns with instructions that have other uses as well. */
void atom_flow_exception_return(struct execution *execution)
{
	if (execution->atoms.awaits_target &&
	    (execution->exit == FLOW_EXIT_JUMP ||
	     execution->exit == FLOW_EXIT_RETURN))
		execution->exit = FLOW_EXIT_FAR_RETURN;
}

void atom_flow_on(struct execution *execution, bool is_overflow,
		  uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;

	if (is_overflow)
		atom_gaps_add(execution, FLOW_GAP_OVERFLOW, position);
	if (atoms->is_running)
		atom_gaps_stop(execution, atom_gaps_stop_reason(execution));
	return_stack_clear(&execution->returns);
	execution->block = BLOCK_NONE;
	atoms->told = BLOCK_NONE;
	atoms->awaits_target = false;
	atoms->must_start = true;
	atom_cycles_lose(execution);
}

void atom_flow_address(struct execution *execution,
		       const struct trace_branch *branch)
{
	go_to(execution, branch->payload, set_of(branch));
}
