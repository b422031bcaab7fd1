/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_passage.h"
#include "decoder/flow/flow.h"
#include "execution/graph/block_graph.h"
#include "symbolize/functions/function_table.h"

static uint8_t jump_passage(const struct block *from, const struct block *to,
			    const struct symbol *symbol, bool leaves_file)
{
	if (to->function == from->function)
		return PASSAGE_INSIDE;
	if (to->is_entry)
		return PASSAGE_TAIL_CALL;
	/* The kernel's assembly jumps around without leaving a function.
	 * Unnamed code may be part of the function, unless it is in another
	 * file.
	 */
	if (!to->is_user || to->function == FUNCTION_UNKNOWN ||
	    (symbol->role == CODE_UNNAMED && !leaves_file))
		return PASSAGE_INSIDE;
	return PASSAGE_OTHER;
}

static uint8_t call_passage(const struct block *from, const struct block *to)
{
	if (to->function == from->function && !to->is_entry)
		return PASSAGE_LOCAL_CALL;
	return PASSAGE_CALL;
}

static bool covers(const struct symbol *symbol, uint64_t ip)
{
	return ip >= symbol->start && ip < symbol->end;
}

static bool is_thunk(const struct block_info *info)
{
	return info->symbol.role == CODE_INDIRECT_THUNK;
}

static bool is_return_thunk(const struct block_info *info)
{
	return info->symbol.role == CODE_RETURN_THUNK;
}

/* Returns the edge kind of an edge to or from a thunk. */
static uint8_t thunk_passage(const struct block *block,
			     const struct block_info *from,
			     const struct block_info *to)
{
	if (is_thunk(from) && (is_thunk(to) || is_return_thunk(to)))
		return PASSAGE_IN_THUNK;
	if (block->exit == FLOW_EXIT_CALL)
		return block->is_plain && is_thunk(to) ? PASSAGE_TO_THUNK :
							 PASSAGE_OTHER;
	return block->is_plain && block->kind == BLOCK_JUMP &&
			       is_return_thunk(to) ?
		       PASSAGE_THUNK_RETURN :
		       PASSAGE_OTHER;
}

uint8_t block_passage_back(const struct block_graph *graph, uint32_t from,
			   uint32_t to)
{
	const struct block *blocks = block_graph_blocks(graph);
	const struct block_info *origin = block_graph_info(graph, from);

	if (blocks[from].is_plain)
		return PASSAGE_RETURN;
	return to && blocks[to].is_plain &&
			       (is_thunk(origin) || is_return_thunk(origin)) ?
		       PASSAGE_FROM_THUNK :
		       PASSAGE_OTHER;
}

uint8_t block_passage_of(const struct block_graph *graph, uint32_t from,
			 uint32_t to, uint8_t edge)
{
	const struct block *block = &block_graph_blocks(graph)[from];
	const struct block *target = &block_graph_blocks(graph)[to];
	const struct block_info *origin = block_graph_info(graph, from);
	const struct block_info *info = block_graph_info(graph, to);
	bool are_plain = block->is_plain && target->is_plain;

	if (block->exit == FLOW_EXIT_CALL && edge == EDGE_NEXT)
		return target->is_plain ? PASSAGE_RETURN : PASSAGE_OTHER;
	if (block->exit == FLOW_EXIT_CALL)
		return are_plain ? call_passage(block, target) :
				   thunk_passage(block, origin, info);
	if (covers(&origin->symbol, target->ip))
		return PASSAGE_INSIDE;
	/* For thunks, and where the kernel switches tasks or programs, an edge
	 * alone does not determine its effect.
	 */
	if (is_thunk(origin) && target->is_plain)
		return PASSAGE_FROM_THUNK;
	if (!are_plain)
		return thunk_passage(block, origin, info);
	/* A branch to the next instruction does not leave the function. */
	if (edge == EDGE_NEXT || (block->exit == FLOW_EXIT_CONDITIONAL &&
				  target->ip == block->ip + block->bytes))
		return PASSAGE_INSIDE;
	return jump_passage(block, target, &info->symbol,
			    block_graph_leaves_file(graph, from, to));
}
