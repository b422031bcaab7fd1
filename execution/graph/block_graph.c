/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_graph.h"
#include "common/error.h"
#include "common/large_memory.h"
#include "common/pages.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow.h"
#include "execution/graph/block_memo.h"
#include "execution/graph/block_passage.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 256,
	FIRST_RESERVED = 1 << 18,
	/* A block is no longer: what is read at once, and what must be looked
	 * through when code changes.
	 */
	MOST_INSTRUCTIONS = 256,
	MOST_BYTES = 2048,
	PAGE_SHIFT = 12,
	LONGEST_INSTRUCTION = 15,
};

/* Indirect branches lead to several places, in turn: the last of these. */
enum { MEMO_SIZE = 1024 };

struct jump_memo {
	uint32_t from; /* BLOCK_NONE: none */
	uint32_t way;
};

struct block_graph {
	struct code_space *code;
	const struct symbols *symbols;
	struct block_memo *memo; /* of programs' code */
	struct block *blocks;	 /* the first is none; in */
	struct pages block_pages;
	struct block_info *infos; /* in */
	struct pages info_pages;
	uint32_t count;
	uint32_t room;
	uint32_t *slots; /* open addressing by ip and space: see slot_of() */
	uint32_t mask;	 /* of these; at most half are used */
	uint32_t *pages; /* the first block of those in some pages, by
			  * a hash of the page */
	struct symbol symbol;	   /* that was found last, */
	struct symbol_range range; /* of all of these addresses */
	int32_t pid;		   /* of this process; -1: unknown */
	bool waits_are_branches;
	struct jump_memo memos[MEMO_SIZE]; /* by a hash of both ends */
};

static uint32_t hash_of(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15 >> 32);
}

static uint32_t slot_hash(uint64_t ip, uint32_t space)
{
	return hash_of(ip ^ (uint64_t)space << 47);
}

/* What a slot says besides the block's number: bits of its hash, so that others
 * need not be looked at.
 */
enum { SLOT_HASH_SHIFT = 32 - BLOCK_WAY_SHIFT };

static uint32_t slot_of(uint32_t index, uint32_t hash)
{
	return index | hash >> SLOT_HASH_SHIFT << SLOT_HASH_SHIFT;
}

static uint32_t slot_index(uint32_t slot)
{
	return slot & (BLOCK_MOST - 1);
}

/* A page has some blocks, so there are fewer. */
static uint32_t page_slots(uint32_t room)
{
	return room / 4;
}

/* Returns the first block of @address' page and of those that share its slot. */
static uint32_t *page_at(const struct block_graph *graph, uint64_t address)
{
	return &graph->pages[hash_of(address >> PAGE_SHIFT) &
			     (page_slots(graph->room) - 1)];
}

struct block_graph *block_graph_new(struct code_space *code,
				    const struct symbols *symbols)
{
	struct block_graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->code = code;
	graph->symbols = symbols;
	graph->count = 1;
	graph->memo = block_memo_new();
	if (!graph->memo) {
		block_graph_free(graph);
		return NULL;
	}
	return graph;
}

void block_graph_free(struct block_graph *graph)
{
	if (!graph)
		return;
	block_memo_free(graph->memo);
	pages_free(&graph->block_pages);
	pages_free(&graph->info_pages);
	free(graph->slots);
	free(graph->pages);
	free(graph);
}

void block_graph_set_waits(struct block_graph *graph, bool are_branches)
{
	graph->waits_are_branches = are_branches;
}

static void link_block(struct block_graph *graph, uint32_t index)
{
	const struct block *block = &graph->blocks[index];
	struct block_info *info = &graph->infos[index];
	uint32_t hash = slot_hash(block->ip, info->space);
	uint32_t at = hash & graph->mask;
	uint32_t *page = page_at(graph, block->ip);

	while (graph->slots[at])
		at = (at + 1) & graph->mask;
	graph->slots[at] = slot_of(index, hash);
	info->next_in_page = *page;
	*page = index;
}

/* Gives the blocks slots for @room of them. */
static bool link_all(struct block_graph *graph, uint32_t room)
{
	uint32_t *slots = large_memory_zeroed(room * 2 * sizeof(*slots));
	uint32_t *pages =
		large_memory_zeroed(page_slots(room) * sizeof(*pages));

	if (!slots || !pages) {
		free(slots);
		free(pages);
		return false;
	}
	free(graph->slots);
	free(graph->pages);
	graph->slots = slots;
	graph->pages = pages;
	graph->mask = room * 2 - 1;
	graph->room = room;
	for (uint32_t i = 1; i < graph->count; i++)
		link_block(graph, i);
	return true;
}

/* What is not touched takes no memory, so there is room for many at once: to move
 * pages stops all threads.
 */
static bool reserve(struct pages *pages, size_t room, size_t size)
{
	if (room < FIRST_RESERVED)
		room = FIRST_RESERVED;
	return room * size <= pages->size || pages_grow(pages, room * size);
}

static bool grow(struct block_graph *graph)
{
	uint32_t room = graph->room ? graph->room * 2 : FIRST_ROOM;

	if (!reserve(&graph->block_pages, room, sizeof(struct block)))
		return false;
	graph->blocks = graph->block_pages.memory;
	if (!reserve(&graph->info_pages, room, sizeof(struct block_info)))
		return false;
	graph->infos = graph->info_pages.memory;
	return link_all(graph, room);
}

static enum block_kind kind_of(const struct instruction *instruction)
{
	switch ((enum instruction_kind)instruction->kind) {
	case INSTRUCTION_PLAIN:
		return BLOCK_FALL;
	case INSTRUCTION_CONDITIONAL:
		return BLOCK_CONDITIONAL;
	case INSTRUCTION_JUMP:
		return BLOCK_JUMP;
	case INSTRUCTION_INDIRECT_JUMP:
		return BLOCK_INDIRECT_JUMP;
	case INSTRUCTION_CALL:
		return BLOCK_CALL;
	case INSTRUCTION_INDIRECT_CALL:
		return BLOCK_INDIRECT_CALL;
	case INSTRUCTION_RETURN:
		return BLOCK_RETURN;
	case INSTRUCTION_FAR_CALL:
		return BLOCK_FAR_CALL;
	case INSTRUCTION_FAR_RETURN:
		return BLOCK_FAR_RETURN;
	case INSTRUCTION_FAR_JUMP:
		return BLOCK_FAR_JUMP;
	}
	return BLOCK_UNKNOWN;
}

static uint8_t exit_of(enum block_kind kind)
{
	switch (kind) {
	case BLOCK_CONDITIONAL:
		return FLOW_EXIT_CONDITIONAL;
	case BLOCK_JUMP:
	case BLOCK_INDIRECT_JUMP:
		return FLOW_EXIT_JUMP;
	case BLOCK_CALL:
	case BLOCK_INDIRECT_CALL:
		return FLOW_EXIT_CALL;
	case BLOCK_RETURN:
		return FLOW_EXIT_RETURN;
	case BLOCK_FAR_CALL:
		return FLOW_EXIT_FAR_CALL;
	case BLOCK_FAR_RETURN:
		return FLOW_EXIT_FAR_RETURN;
	case BLOCK_FAR_JUMP:
		return FLOW_EXIT_FAR_JUMP;
	case BLOCK_UNREAD:
	case BLOCK_FALL:
	case BLOCK_NO_CODE:
	case BLOCK_CODE_CHANGED:
	case BLOCK_UNKNOWN:
		return FLOW_EXIT_NONE;
	}
	return FLOW_EXIT_NONE;
}

/* The code from an address on, as far as it is known to lie in one piece: empty
 * where nobody has looked yet.
 */
struct code_piece {
	const uint8_t *bytes;
	size_t left;
};

static enum block_kind not_read(const struct block_graph *graph,
				uint64_t address)
{
	return code_space_is_unknown(graph->code, address) ?
		       BLOCK_CODE_CHANGED :
		       BLOCK_NO_CODE;
}

/* Reads an instruction that lies in several pieces, or whose end is not known. */
static enum block_kind read_across(struct block_graph *graph, uint64_t address,
				   enum instruction_set set,
				   struct instruction *instruction)
{
	uint8_t bytes[LONGEST_INSTRUCTION];
	size_t count =
		code_space_copy(graph->code, address, bytes, sizeof(bytes));
	int status = instruction_read(set, address, bytes, count, instruction);

	if (!status)
		return not_read(graph, address + count);
	return status < 0 ? BLOCK_UNKNOWN : BLOCK_FALL;
}

/* Reads the instruction at @address, where *@piece is, and moves that behind it.
 * Returns BLOCK_FALL, or why there is none.
 */
static enum block_kind read_one(struct block_graph *graph, uint64_t address,
				enum instruction_set set,
				struct code_piece *piece,
				struct instruction *instruction)
{
	int status;

	if (!piece->left)
		piece->bytes =
			code_space_bytes(graph->code, address, &piece->left);
	if (!piece->bytes)
		return not_read(graph, address);
	status = instruction_read(set, address, piece->bytes, piece->left,
				  instruction);
	if (!status) {
		piece->left = 0;
		return read_across(graph, address, set, instruction);
	}
	if (status < 0)
		return BLOCK_UNKNOWN;
	piece->bytes += instruction->length;
	piece->left -= instruction->length;
	return BLOCK_FALL;
}

/* What only goes on with what is behind it leaves no block, but ends it. */
static bool is_passed(const struct block_graph *graph,
		      const struct instruction *instruction)
{
	return instruction->is_barrier ||
	       (graph->waits_are_branches && instruction->may_take_long);
}

static void forget_edges(struct block *block)
{
	block->ways[EDGE_NEXT] = block_way(BLOCK_NONE, PASSAGE_NEW);
	block->ways[EDGE_TAKEN] = block_way(BLOCK_NONE, PASSAGE_NEW);
}

/* Reads the code of @block.  What cannot be read is a block of its own, behind
 * what can.  Returns false if it met such.
 */
static bool read_code(struct block_graph *graph, struct block *block,
		      struct block_info *info)
{
	struct code_piece piece = { 0 };
	struct instruction instruction;
	bool is_whole = true;
	bool is_slow = false;
	bool is_end = false;
	uint32_t count = 0;

	block->bytes = 0;
	block->kind = BLOCK_FALL;
	info->switches_trace = false;
	info->writes_page_table = false;
	while (block->kind == BLOCK_FALL && !info->writes_page_table &&
	       count < MOST_INSTRUCTIONS && block->bytes < MOST_BYTES) {
		uint64_t address = block->ip + block->bytes;
		enum block_kind kind = read_one(graph, address, info->set,
						&piece, &instruction);

		if (kind != BLOCK_FALL) {
			block->kind = count ? BLOCK_FALL : kind;
			is_whole = false;
			break;
		}
		is_end = is_passed(graph, &instruction);
		block->kind = is_end ? BLOCK_JUMP : kind_of(&instruction);
		info->last = block->bytes;
		info->target = instruction.target;
		info->switches_trace |= instruction.switches_trace;
		info->writes_page_table = instruction.writes_page_table;
		is_slow |= instruction.may_take_long;
		block->bytes += instruction.length;
		count++;
	}
	block->exit = is_end ? FLOW_EXIT_NONE : exit_of(block->kind);
	/* A call to what is right behind it only tells where it is: the unit
	 * expects no return (Intel SDM, "Return Compression for RETs").
	 */
	if (block->kind == BLOCK_CALL && info->set <= INSTRUCTION_X86_64 &&
	    info->target == block->ip + block->bytes)
		block->kind = BLOCK_JUMP;
	block->work = count | (is_slow ? BLOCK_WORK_SLOW : 0);
	return is_whole;
}

/* Returns the bytes at @block if other processes may have them at addresses of
 * their own, and decoding them again is worth being spared.  Targets are
 * relative to addresses in 64-bit mode only.
 */
static const uint8_t *shared_code(const struct block_graph *graph,
				  const struct block *block,
				  const struct block_info *info, size_t *left)
{
	if (info->space == CODE_SPACE_KERNEL || info->set != INSTRUCTION_X86_64)
		return NULL;
	return code_space_bytes(graph->code, block->ip, left);
}

void block_graph_read(struct block_graph *graph, uint32_t index)
{
	struct block *block = &graph->blocks[index];
	struct block_info *info = &graph->infos[index];
	size_t left;
	const uint8_t *code = shared_code(graph, block, info, &left);

	forget_edges(block);
	if ((!code || !block_memo_get(graph->memo, code, left, block, info)) &&
	    read_code(graph, block, info) && code && block->bytes <= left)
		block_memo_put(graph->memo, code, block, info);
	if (block->kind == BLOCK_RETURN)
		block->ways[EDGE_TAKEN] =
			block_way(BLOCK_NONE,
				  block_passage_back(graph, index, BLOCK_NONE));
}

/* Most blocks that are met are of the function of the one before. */
static const struct symbol *find_symbol(struct block_graph *graph, uint64_t ip)
{
	int32_t pid = code_space_pid(graph->code);

	if (pid != graph->pid || ip < graph->range.start ||
	    ip >= graph->range.end)
		symbols_find_range(graph->symbols, pid, ip, &graph->symbol,
				   &graph->range);
	graph->pid = pid;
	return &graph->symbol;
}

static void name_block(struct block_graph *graph, uint32_t index)
{
	struct block *block = &graph->blocks[index];
	const struct symbol *symbol = find_symbol(graph, block->ip);

	graph->infos[index].symbol = *symbol;
	block->function = symbol->function;
	block->is_entry = block->ip == symbol->start || symbol->padding;
	block->is_plain = symbol->role == CODE_FUNCTION ||
			  symbol->role == CODE_UNNAMED;
}

static uint32_t add_block(struct block_graph *graph, uint64_t ip,
			  uint32_t space, enum instruction_set set)
{
	uint32_t index = graph->count;
	struct block_info *info;
	struct block *block;

	if (index >= BLOCK_MOST || (index >= graph->room && !grow(graph)))
		return BLOCK_NONE;
	block = &graph->blocks[index];
	info = &graph->infos[index];
	*block = (struct block){ .ip = ip };
	*info = (struct block_info){ .space = space, .set = set };
	block->is_user = space != CODE_SPACE_KERNEL;
	if (graph->symbols)
		name_block(graph, index);
	graph->count++;
	link_block(graph, index);
	block_graph_read(graph, index);
	return index;
}

uint32_t block_graph_find(struct block_graph *graph, uint64_t ip,
			  enum instruction_set set)
{
	uint32_t space = code_space_of(graph->code, ip);
	uint32_t hash = slot_hash(ip, space);
	uint32_t at = hash & graph->mask;

	if (!graph->room)
		return add_block(graph, ip, space, set);
	for (uint32_t slot; (slot = graph->slots[at]);
	     at = (at + 1) & graph->mask) {
		uint32_t index = slot_index(slot);

		if (slot != slot_of(index, hash) ||
		    graph->blocks[index].ip != ip ||
		    graph->infos[index].space != space ||
		    graph->infos[index].set != set)
			continue;
		if (graph->blocks[index].kind == BLOCK_UNREAD)
			block_graph_read(graph, index);
		return index;
	}
	return add_block(graph, ip, space, set);
}

/* A direct branch may lead from A32 to T32, or back; bit 0 says so. */
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
	const struct block *block = &graph->blocks[index];
	const struct block_info *info = &graph->infos[index];
	uint8_t set = info->set;
	uint64_t ip = edge == EDGE_TAKEN ? target_of(info, &set) :
					   block->ip + block->bytes;
	uint32_t to = block_graph_find(graph, ip, set);

	if (to == BLOCK_NONE)
		return to;
	graph->blocks[index].ways[edge] =
		block_way(to, block_passage_of(graph, index, to, edge));
	return to;
}

static struct jump_memo *memo_of(struct block_graph *graph, uint32_t index,
				 uint64_t ip)
{
	uint32_t hash = slot_hash(ip, index);

	return &graph->memos[hash & (MEMO_SIZE - 1)];
}

/* Returns whether @way leads to @ip from @block.  What a program led to is that
 * program's or the kernel's, but the kernel goes back to any of them.
 */
static bool leads_to(const struct block_graph *graph, const struct block *block,
		     uint32_t way, uint64_t ip)
{
	const struct block *to = block_at(graph->blocks, way);

	return to->ip == ip && to != graph->blocks &&
	       (!to->is_user || block->is_user);
}

static uint32_t find_way(struct block_graph *graph, uint32_t index, uint64_t ip)
{
	uint32_t to = block_graph_find(graph, ip, graph->infos[index].set);
	uint8_t passage;

	if (to == BLOCK_NONE)
		return block_way(BLOCK_NONE, PASSAGE_NEW);
	passage = graph->blocks[index].kind == BLOCK_RETURN ?
			  block_passage_back(graph, index, to) :
			  block_passage_of(graph, index, to, EDGE_TAKEN);
	return block_way(to, passage);
}

uint32_t block_graph_jump(struct block_graph *graph, uint32_t index,
			  uint64_t ip)
{
	struct jump_memo *memo = memo_of(graph, index, ip);
	struct block *block = &graph->blocks[index];
	uint32_t way = block->ways[EDGE_TAKEN];

	if (leads_to(graph, block, way, ip))
		return way;
	way = memo->way;
	if (memo->from != index || !leads_to(graph, block, way, ip)) {
		way = find_way(graph, index, ip);
		*memo = (struct jump_memo){ .from = index, .way = way };
	}
	graph->blocks[index].ways[EDGE_TAKEN] = way;
	return way;
}

/* The edges of a block go, too: what is read may end otherwise. */
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
	uint32_t index = *page_at(graph, page);

	for (; index; index = graph->infos[index].next_in_page) {
		struct block *block = &graph->blocks[index];

		/* One that could not be read may be readable now. */
		if (block->ip >= end ||
		    block->ip + block->bytes + !block->bytes <= first)
			continue;
		forget_block(block);
		has_forgotten = true;
	}
	return has_forgotten;
}

/* Pages are counted: the addresses of the last one's end, and of what lies
 * before the first one, do not exist.
 */
void block_graph_forget(struct block_graph *graph, uint64_t first, uint64_t end)
{
	const uint64_t before = MOST_BYTES + LONGEST_INSTRUCTION;
	uint64_t page = (first > before ? first - before : 0) >> PAGE_SHIFT;
	bool has_forgotten = false;

	if (!graph->room || first >= end)
		return;
	if (code_space_of(graph->code, first) != CODE_SPACE_KERNEL)
		block_memo_clear(graph->memo);
	for (; page <= (end - 1) >> PAGE_SHIFT; page++)
		has_forgotten |=
			forget_page(graph, page << PAGE_SHIFT, first, end);
	if (has_forgotten)
		memset(graph->memos, 0, sizeof(graph->memos));
}

struct block *block_graph_blocks(const struct block_graph *graph)
{
	return graph->blocks;
}

const struct block_info *block_graph_info(const struct block_graph *graph,
					  uint32_t index)
{
	return &graph->infos[index];
}

uint32_t block_graph_part(struct block_graph *graph, uint32_t index,
			  uint64_t end, uint64_t *last)
{
	const struct block *block = &graph->blocks[index];
	struct code_piece piece = { 0 };
	uint64_t address = block->ip;
	bool is_slow = false;
	uint32_t count = 0;

	while (address < end) {
		struct instruction instruction;

		if (read_one(graph, address, graph->infos[index].set, &piece,
			     &instruction) != BLOCK_FALL)
			return 0;
		*last = address;
		is_slow |= instruction.may_take_long;
		address += instruction.length;
		count++;
	}
	if (address != end)
		return 0;
	return count | (is_slow ? BLOCK_WORK_SLOW : 0);
}
