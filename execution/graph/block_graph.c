/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_graph.h"
#include "decoder/code/code_space.h"
#include "execution/graph/block_code.h"
#include "execution/graph/block_passage.h"
#include "execution/graph/block_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Indirect branches lead to several targets in turn: the recent ones. */
enum { MEMO_SIZE = 1024 };

struct jump_memo {
	uint32_t from; /* BLOCK_NONE: none */
	uint32_t way;
};

struct block_graph {
	struct block_table table;
	struct block_code code;
	const struct symbols *symbols;
	struct symbol symbol;		   /* the symbol found last, */
	struct symbol_range range;	   /* the range of its addresses */
	uint32_t space;			   /* in this space */
	struct jump_memo memos[MEMO_SIZE]; /* by a hash of source and target */
};

struct block_graph *block_graph_new(struct code_space *code,
				    const struct symbols *symbols)
{
	struct block_graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->symbols = symbols;
	if (!block_code_init(&graph->code, code)) {
		block_graph_free(graph);
		return NULL;
	}
	return graph;
}

void block_graph_free(struct block_graph *graph)
{
	if (!graph)
		return;
	block_code_free(&graph->code);
	block_table_free(&graph->table);
	free(graph);
}

void block_graph_set_waits(struct block_graph *graph, bool are_branches)
{
	graph->code.waits_are_branches = are_branches;
}

static void forget_edges(struct block *block)
{
	block->ways[EDGE_NEXT] = block_way(BLOCK_NONE, PASSAGE_NEW);
	block->ways[EDGE_TAKEN] = block_way(BLOCK_NONE, PASSAGE_NEW);
}

void block_graph_read(struct block_graph *graph, uint32_t index)
{
	struct block *block = &graph->table.blocks[index];

	forget_edges(block);
	block_code_read(&graph->code, block, &graph->table.infos[index]);
	if (block->kind == BLOCK_RETURN)
		block->ways[EDGE_TAKEN] =
			block_way(BLOCK_NONE,
				  block_passage_back(graph, index, BLOCK_NONE));
}

/* Most new blocks are in the same function as the previous one. */
static const struct symbol *find_symbol(struct block_graph *graph, uint64_t ip,
					uint32_t space)
{
	if (space != graph->space || ip < graph->range.start ||
	    ip >= graph->range.end)
		symbols_find_mapped(graph->symbols,
				    code_space_maps(graph->code.space), ip,
				    &graph->symbol, &graph->range);
	graph->space = space;
	return &graph->symbol;
}

static void name_block(struct block_graph *graph, uint32_t index)
{
	struct block *block = &graph->table.blocks[index];
	const struct symbol *symbol =
		find_symbol(graph, block->ip, graph->table.infos[index].space);

	graph->table.infos[index].symbol = *symbol;
	block->function = symbol->function;
	block->is_entry = block->ip == symbol->start || symbol->padding;
	block->is_plain = symbol->role == CODE_FUNCTION ||
			  symbol->role == CODE_UNNAMED;
}

static uint32_t add_block(struct block_graph *graph, uint64_t ip,
			  uint32_t space, enum instruction_set set)
{
	uint32_t index = block_table_add(&graph->table, ip, space, set);

	if (index == BLOCK_NONE)
		return index;
	graph->table.blocks[index].is_user = space != CODE_SPACE_KERNEL;
	if (graph->symbols)
		name_block(graph, index);
	block_graph_read(graph, index);
	return index;
}

uint32_t block_graph_find(struct block_graph *graph, uint64_t ip,
			  enum instruction_set set)
{
	uint32_t space = code_space_of(graph->code.space, ip);
	uint32_t index = block_table_find(&graph->table, ip, space, set);

	if (index == BLOCK_NONE)
		return add_block(graph, ip, space, set);
	if (graph->table.blocks[index].kind == BLOCK_UNREAD)
		block_graph_read(graph, index);
	return index;
}

/* A direct branch may switch from A32 to T32 or back, which bit 0 shows. */
static uint64_t target_of(const struct block_info *info, uint8_t *set)
{
	if (*set != INSTRUCTION_A32 && *set != INSTRUCTION_T32)
		return info->target;
	*set = info->target & 1 ? INSTRUCTION_T32 : INSTRUCTION_A32;
	return info->target & ~UINT64_C(1);
}

uint32_t block_graph_go(struct block_graph *graph, uint32_t index,
			enum block_edge edge)
{
	const struct block *block = &graph->table.blocks[index];
	const struct block_info *info = &graph->table.infos[index];
	uint8_t set = info->set;
	uint64_t ip = edge == EDGE_TAKEN ? target_of(info, &set) :
					   block->ip + block->bytes;
	uint32_t to = block_graph_find(graph, ip, set);

	if (to == BLOCK_NONE)
		return to;
	graph->table.blocks[index].ways[edge] =
		block_way(to, block_passage_of(graph, index, to, edge));
	return to;
}

static struct jump_memo *memo_of(struct block_graph *graph, uint32_t index,
				 uint64_t ip)
{
	uint32_t hash = block_place_hash(ip, index);

	return &graph->memos[hash & (MEMO_SIZE - 1)];
}

/* Returns whether @way leads from @block to @ip. A program's branch leads into
 * the same program or the kernel, but the kernel returns to any program.
 */
static bool leads_to(const struct block_graph *graph, const struct block *block,
		     uint32_t way, uint64_t ip)
{
	const struct block *to = block_at(graph->table.blocks, way);

	return to->ip == ip && to != graph->table.blocks &&
	       (!to->is_user || block->is_user);
}

static uint32_t find_way(struct block_graph *graph, uint32_t index, uint64_t ip)
{
	uint32_t to =
		block_graph_find(graph, ip, graph->table.infos[index].set);
	uint8_t passage;

	if (to == BLOCK_NONE)
		return block_way(BLOCK_NONE, PASSAGE_NEW);
	passage = graph->table.blocks[index].kind == BLOCK_RETURN ?
			  block_passage_back(graph, index, to) :
			  block_passage_of(graph, index, to, EDGE_TAKEN);
	return block_way(to, passage);
}

uint32_t block_graph_jump(struct block_graph *graph, uint32_t index,
			  uint64_t ip)
{
	struct jump_memo *memo = memo_of(graph, index, ip);
	struct block *block = &graph->table.blocks[index];
	uint32_t way = block->ways[EDGE_TAKEN];

	if (leads_to(graph, block, way, ip))
		return way;
	way = memo->way;
	if (memo->from != index || !leads_to(graph, block, way, ip)) {
		way = find_way(graph, index, ip);
		*memo = (struct jump_memo){ .from = index, .way = way };
	}
	graph->table.blocks[index].ways[EDGE_TAKEN] = way;
	return way;
}

/* Clears the edges, too: the block may end differently when read again. */
static void forget_block(struct block *block)
{
	block->kind = BLOCK_UNREAD;
	block->work = 0;
	forget_edges(block);
}

/* Returns whether there was such a block. */
static bool forget_page(struct block_graph *graph, uint64_t page,
			uint64_t first, uint64_t end)
{
	bool has_forgotten = false;
	uint32_t index = block_table_page(&graph->table, page);

	for (; index; index = graph->table.infos[index].next_in_page) {
		struct block *block = &graph->table.blocks[index];

		/* A block that could not be read may be readable now. */
		if (block->ip >= end ||
		    block->ip + block->bytes + !block->bytes <= first)
			continue;
		forget_block(block);
		has_forgotten = true;
	}
	return has_forgotten;
}

/* Iterates by page count: the end address of the last page, and addresses
 * before the first one, do not exist.
 */
void block_graph_forget(struct block_graph *graph, uint64_t first, uint64_t end)
{
	const uint64_t before = BLOCK_MOST_BYTES + BLOCK_LONGEST_INSTRUCTION;
	uint64_t page = (first > before ? first - before : 0) >>
			BLOCK_PAGE_SHIFT;
	bool has_forgotten = false;

	if (!graph->table.room || first >= end)
		return;
	block_code_forget(&graph->code, first);
	for (; page <= (end - 1) >> BLOCK_PAGE_SHIFT; page++)
		has_forgotten |= forget_page(graph, page << BLOCK_PAGE_SHIFT,
					     first, end);
	if (has_forgotten)
		memset(graph->memos, 0, sizeof(graph->memos));
}

struct block *block_graph_blocks(const struct block_graph *graph)
{
	return graph->table.blocks;
}

bool block_graph_leaves_file(const struct block_graph *graph, uint32_t from,
			     uint32_t to)
{
	const struct block *blocks = graph->table.blocks;

	return graph->symbols &&
	       symbols_are_of_two_files(graph->symbols, blocks[from].function,
					blocks[to].function);
}

const struct block_info *block_graph_info(const struct block_graph *graph,
					  uint32_t index)
{
	return &graph->table.infos[index];
}

uint32_t block_graph_part(struct block_graph *graph, uint32_t index,
			  uint64_t end, uint64_t *last)
{
	return block_code_count(&graph->code, graph->table.blocks[index].ip,
				graph->table.infos[index].set, end, last);
}
