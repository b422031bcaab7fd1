/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_graph.h"

#include "common/array.h"
#include "common/files/file_map.h"
#include "common/memory.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow.h"
#include "execution/graph/block_cache.h"
#include "execution/graph/block_code_internal.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Three look-ups lead to a block: by address, code space and instruction set
 * (slots, with bits of the hash, so that most misses touch no block); by
 * number; and by page, to forget the blocks whose code changed.
 *
 * The kind of a new edge is decided once, in edge_kind_of(): from the last
 * instruction of the block, the functions of both blocks, and whether one of
 * them is a thunk. Indirect branches keep their last target in the block, and a
 * few recent ones in jump_memo.
 *
 * Blocks and links are in memory that is reserved for many at once and grows by
 * remapping, so that untouched room costs nothing. The info of a block of the
 * shared cache is that cache's; any other is in the graph's arena.
 */

/* A block's place in the table, and where its info is. */
struct block_link {
	const struct block_info *info;
	uint32_t next_in_page; /* the next block that starts in the same page */
	bool is_shared;	       /* the info is the cache's */
};

/* The blocks with their links. They are found by number, by address and by page
 * of the code.
 */
struct block_table {
	struct block *blocks;	  /* the first is BLOCK_NONE */
	struct pages block_pages; /* memory of blocks */
	struct block_link *links;
	struct pages link_pages; /* memory of links */
	uint32_t count;		 /* 0: not even BLOCK_NONE */
	uint32_t room;
	uint32_t *slots; /* open addressing by ip and space: see slot_of() */
	uint32_t mask;	 /* of the slots; at most half are used */
	uint32_t *pages; /* the first block of the pages with the same hash */
};

enum { BLOCK_PAGE_SHIFT = 12 };

/* Recent targets of indirect branches, which often alternate between several.
 */
enum { MEMO_SIZE = 1024 };

struct jump_memo {
	uint32_t from; /* BLOCK_NONE: none */
	uint32_t word;
};

struct block_graph {
	struct block_table table;
	struct block_code code;
	const struct symbols *symbols;
	struct block_cache *cache; /* NULL: none */
	/* struct block_inlined, by block; shorter if the rest have none */
	struct array inlined;
	struct arena *infos;		   /* struct block_info */
	struct block_info *spare;	   /* one that no block has, or NULL */
	struct symbol symbol;		   /* the symbol found last */
	struct symbol_range range;	   /* the addresses with that symbol */
	uint32_t space;			   /* the space of that look-up */
	struct jump_memo memos[MEMO_SIZE]; /* by a hash of source and target */
};

static inline uint32_t block_hash(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15 >> 32);
}

static inline uint32_t block_place_hash(uint64_t ip, uint32_t space)
{
	return block_hash(ip ^ (uint64_t)space << 47);
}

enum {
	FIRST_ROOM = 256,
	FIRST_RESERVED = 1 << 18,
};

/* Besides the block's number a slot contains bits of its hash, so that most
 * other blocks need not be read.
 */
enum { SLOT_HASH_SHIFT = 32 - BLOCK_EDGE_SHIFT };

static uint32_t slot_of(uint32_t index, uint32_t hash)
{
	return index | hash >> SLOT_HASH_SHIFT << SLOT_HASH_SHIFT;
}

static uint32_t slot_index(uint32_t slot)
{
	return slot & (BLOCK_MOST - 1);
}

/* Returns the number of slots of the table of pages for @room blocks. Pages
 * usually contain several blocks.
 */
static uint32_t page_slots(uint32_t room)
{
	return room / 4;
}

/* Returns the slot of the page of @address: the first block in this page and in
 * pages that share the slot.
 */
static uint32_t *page_at(const struct block_table *table, uint64_t address)
{
	return &table->pages[block_hash(address >> BLOCK_PAGE_SHIFT) &
			     (page_slots(table->room) - 1)];
}

static void block_table_free(struct block_table *table)
{
	pages_free(&table->block_pages);
	pages_free(&table->link_pages);
	free(table->slots);
	free(table->pages);
}

static void link_block(struct block_table *table, uint32_t index)
{
	const struct block *block = &table->blocks[index];
	struct block_link *link = &table->links[index];
	uint32_t hash = block_place_hash(block->ip, link->info->space);
	uint32_t at = hash & table->mask;
	uint32_t *page = page_at(table, block->ip);

	while (table->slots[at])
		at = (at + 1) & table->mask;
	table->slots[at] = slot_of(index, hash);
	link->next_in_page = *page;
	*page = index;
}

/* Enters the blocks into new slots for @room of them. */
static bool link_all(struct block_table *table, uint32_t room)
{
	uint32_t *slots = large_memory_zeroed(room * 2 * sizeof(*slots));
	uint32_t *pages =
		large_memory_zeroed(page_slots(room) * sizeof(*pages));

	if (!slots || !pages) {
		free(slots);
		free(pages);
		return false;
	}
	free(table->slots);
	free(table->pages);
	table->slots = slots;
	table->pages = pages;
	table->mask = room * 2 - 1;
	table->room = room;
	for (uint32_t i = 1; i < table->count; i++)
		link_block(table, i);
	return true;
}

/* Makes room for @room items. Reserves much at once: untouched memory costs
 * nothing, and moving pages stops all threads.
 */
static bool reserve(struct pages *pages, size_t room, size_t size)
{
	if (room < FIRST_RESERVED)
		room = FIRST_RESERVED;
	return room * size <= pages->size || pages_grow(pages, room * size);
}

static bool grow(struct block_table *table)
{
	uint32_t room = table->room ? table->room * 2 : FIRST_ROOM;

	if (!reserve(&table->block_pages, room, sizeof(struct block)))
		return false;
	table->blocks = table->block_pages.memory;
	if (!reserve(&table->link_pages, room, sizeof(struct block_link)))
		return false;
	table->links = table->link_pages.memory;
	return link_all(table, room);
}

/* Adds a block at @ip with the space and instruction set of @info, which it
 * borrows, and no other data. Returns BLOCK_NONE if there is no room. Blocks
 * may move in memory.
 */
static uint32_t block_table_add(struct block_table *table, uint64_t ip,
				const struct block_info *info)
{
	uint32_t index = table->count + !table->count;

	if (index >= BLOCK_MOST || (index >= table->room && !grow(table)))
		return BLOCK_NONE;
	table->blocks[index] = (struct block){ .ip = ip };
	table->links[index] = (struct block_link){ .info = info };
	table->count = index + 1;
	link_block(table, index);
	return index;
}

/* Returns the block of @ip, @space and @set, an enum instruction_set; or
 * BLOCK_NONE.
 */
static uint32_t block_table_find(const struct block_table *table, uint64_t ip,
				 uint32_t space, uint8_t set)
{
	uint32_t hash = block_place_hash(ip, space);
	uint32_t at = hash & table->mask;

	if (!table->room)
		return BLOCK_NONE;
	for (uint32_t slot; (slot = table->slots[at]);
	     at = (at + 1) & table->mask) {
		uint32_t index = slot_index(slot);

		if (slot == slot_of(index, hash) &&
		    table->blocks[index].ip == ip &&
		    table->links[index].info->space == space &&
		    table->links[index].info->set == set)
			return index;
	}
	return BLOCK_NONE;
}

/* Returns the first block of those in the page of @address and in pages that
 * share its slot; the others follow by next_in_page. The table must not be
 * empty.
 */
static uint32_t block_table_page(const struct block_table *table,
				 uint64_t address)
{
	return *page_at(table, address);
}

static uint8_t jump_edge_kind(const struct block *from, const struct block *to,
			      const struct symbol *symbol, bool leaves_file)
{
	if (to->function == from->function)
		return EDGE_KIND_INSIDE;
	if (to->is_entry)
		return EDGE_KIND_TAIL_CALL;
	/* The kernel's assembly jumps around without leaving a function.
	 * Unnamed code may be part of the function, unless it is in another
	 * file.
	 */
	if (!to->is_user || to->function == FUNCTION_UNKNOWN ||
	    (symbol->role == CODE_UNNAMED && !leaves_file))
		return EDGE_KIND_INSIDE;
	return EDGE_KIND_OTHER;
}

static uint8_t call_edge_kind(const struct block *from, const struct block *to)
{
	if (to->function == from->function && !to->is_entry)
		return EDGE_KIND_LOCAL_CALL;
	return EDGE_KIND_CALL;
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
static uint8_t thunk_edge_kind(const struct block *block,
			       const struct block_info *from,
			       const struct block_info *to)
{
	if (is_thunk(from) && (is_thunk(to) || is_return_thunk(to)))
		return EDGE_KIND_IN_THUNK;
	if (block->exit == FLOW_EXIT_CALL)
		return block->is_plain && is_thunk(to) ? EDGE_KIND_TO_THUNK :
							 EDGE_KIND_OTHER;
	return block->is_plain && block->kind == BLOCK_JUMP &&
			       is_return_thunk(to) ?
		       EDGE_KIND_THUNK_RETURN :
		       EDGE_KIND_OTHER;
}

/* Returns the edge kind of the return at the end of block @from to @to;
 * EDGE_KIND_RETURN may still lead to a thunk. @to may be BLOCK_NONE (unknown).
 */
static uint8_t return_edge_kind(const struct block_graph *graph, uint32_t from,
				uint32_t to)
{
	const struct block *blocks = block_graph_blocks(graph);
	const struct block_info *origin = block_graph_info(graph, from);

	if (blocks[from].is_plain)
		return EDGE_KIND_RETURN;
	return to && blocks[to].is_plain &&
			       (is_thunk(origin) || is_return_thunk(origin)) ?
		       EDGE_KIND_FROM_THUNK :
		       EDGE_KIND_OTHER;
}

/* Returns whether blocks @from and @to are of functions in different files. */
static bool block_graph_leaves_file(const struct block_graph *graph,
				    uint32_t from, uint32_t to)
{
	const struct block *blocks = graph->table.blocks;

	return graph->symbols &&
	       symbols_are_of_two_files(graph->symbols, blocks[from].function,
					blocks[to].function);
}

/* Returns the edge kind (enum edge_kind) of @edge (enum block_edge) from
 * block @from to block @to.
 */
static uint8_t edge_kind_of(const struct block_graph *graph, uint32_t from,
			    uint32_t to, uint8_t edge)
{
	const struct block *block = &block_graph_blocks(graph)[from];
	const struct block *target = &block_graph_blocks(graph)[to];
	const struct block_info *origin = block_graph_info(graph, from);
	const struct block_info *info = block_graph_info(graph, to);
	bool are_plain = block->is_plain && target->is_plain;

	if (block->interrupts)
		return EDGE_KIND_OTHER;
	if (block->exit == FLOW_EXIT_CALL && edge == EDGE_NEXT)
		return target->is_plain ? EDGE_KIND_RETURN : EDGE_KIND_OTHER;
	if (block->exit == FLOW_EXIT_CALL)
		return are_plain ? call_edge_kind(block, target) :
				   thunk_edge_kind(block, origin, info);
	if (covers(&origin->symbol, target->ip))
		return block_graph_changes_inlined(graph, from, to) ?
			       EDGE_KIND_INLINED :
			       EDGE_KIND_INSIDE;
	/* For thunks, and where the kernel switches tasks or programs, an edge
	 * alone does not determine its effect.
	 */
	if (is_thunk(origin) && target->is_plain)
		return EDGE_KIND_FROM_THUNK;
	if (!are_plain)
		return thunk_edge_kind(block, origin, info);
	/* A branch to the next instruction does not leave the function. */
	if (edge == EDGE_NEXT || (block->exit == FLOW_EXIT_CONDITIONAL &&
				  target->ip == block->ip + block->bytes))
		return EDGE_KIND_INSIDE;
	return jump_edge_kind(block, target, &info->symbol,
			      block_graph_leaves_file(graph, from, to));
}

struct block_graph *block_graph_new(struct code_space *code,
				    const struct symbols *symbols)
{
	struct block_graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->symbols = symbols;
	graph->inlined = ARRAY_OF(struct block_inlined);
	graph->infos = arena_new();
	if (!block_code_init(&graph->code, code) || !graph->infos) {
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
	array_free(&graph->inlined);
	arena_free(graph->infos);
	free(graph);
}

void block_graph_share(struct block_graph *graph, struct block_cache *cache)
{
	graph->cache = cache;
}

void block_graph_set_waits(struct block_graph *graph, bool are_branches)
{
	graph->code.waits_are_branches = are_branches;
}

void block_graph_set_interrupts(struct block_graph *graph,
				uint64_t preempt_counter)
{
	graph->code.ends_at_interrupts = true;
	graph->code.preempt_counter = preempt_counter;
}

static void forget_edges(struct block *block)
{
	block->edges[EDGE_NEXT] = block_edge_word(BLOCK_NONE, EDGE_KIND_NEW);
	block->edges[EDGE_TAKEN] = block_edge_word(BLOCK_NONE, EDGE_KIND_NEW);
}

/* Reads the code of block @index into it and into its @info. */
static void read_block(struct block_graph *graph, uint32_t index,
		       struct block_info *info)
{
	struct block *block = &graph->table.blocks[index];
	const struct block_inlined *inlined = block_graph_inlined(graph, index);

	forget_edges(block);
	block_code_read(&graph->code, block, info,
			inlined ? inlined->end : UINT64_MAX);
	if (block->kind == BLOCK_RETURN)
		block->edges[EDGE_TAKEN] = block_edge_word(
			BLOCK_NONE, return_edge_kind(graph, index, BLOCK_NONE));
}

void block_graph_read(struct block_graph *graph, uint32_t index)
{
	const struct block_link *link = &graph->table.links[index];

	assert(!link->is_shared);
	read_block(graph, index, (struct block_info *)(uintptr_t)link->info);
}

/* Returns the symbol at @ip. Most new blocks are in the same function as the
 * previous one, whose symbol is cached.
 */
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

/* Stores the inlined calls of block @index, if its function has any. Without
 * memory it has none.
 */
static void find_inlined(struct block_graph *graph, uint32_t index)
{
	struct block *block = &graph->table.blocks[index];
	struct inlined_place place;
	struct block_inlined *inlined;

	if (!symbols_find_inlined(
		    graph->symbols, code_space_maps(graph->code.space),
		    block->ip, &block_graph_info(graph, index)->symbol, &place))
		return;
	inlined = array_reach(&graph->inlined, index);
	if (!inlined)
		return;
	*inlined = (struct block_inlined){
		.is_known = true,
		.site = place.site,
		.entries = place.entries,
		.end = place.end,
	};
	block->is_plain = false;
}

static void name_block(struct block_graph *graph, uint32_t index,
		       struct block_info *info)
{
	struct block *block = &graph->table.blocks[index];
	const struct symbol *symbol =
		find_symbol(graph, block->ip, info->space);

	info->symbol = *symbol;
	block->function = symbol->function;
	block->is_entry = block->ip == symbol->start || symbol->padding;
	block->is_plain = symbol->role == CODE_FUNCTION ||
			  symbol->role == CODE_UNNAMED;
	find_inlined(graph, index);
}

/* Names and reads the new block @index, with the space and set of @info, which
 * is filled in.
 */
static void make_block(struct block_graph *graph, uint32_t index,
		       struct block_info *info)
{
	graph->table.blocks[index].is_user = info->space != CODE_SPACE_KERNEL;
	if (graph->symbols)
		name_block(graph, index, info);
	read_block(graph, index, info);
}

/* Adds the block that the cache has at @ip. Returns BLOCK_NONE if it has none
 * or when out of memory.
 */
static uint32_t add_cached(struct block_graph *graph, uint64_t ip,
			   enum instruction_set set)
{
	struct block block;
	const struct block_info *info =
		block_cache_get(graph->cache, ip, set, &block);
	uint32_t index = info ? block_table_add(&graph->table, ip, info) :
				BLOCK_NONE;

	if (index == BLOCK_NONE)
		return index;
	graph->table.blocks[index] = block;
	graph->table.links[index].is_shared = true;
	if (graph->symbols)
		find_inlined(graph, index);
	return index;
}

/* Adds the block at @ip after reading its code. */
static uint32_t add_read(struct block_graph *graph, uint64_t ip, uint32_t space,
			 enum instruction_set set)
{
	bool may_share = graph->cache && space == CODE_SPACE_KERNEL;
	const struct block_info *shared = NULL;
	struct block_info *info = graph->spare;
	uint32_t index;

	if (!info)
		info = arena_alloc(graph->infos, sizeof(*info));
	if (!info)
		return BLOCK_NONE;
	graph->spare = info;
	*info = (struct block_info){ .space = space, .set = set };
	index = block_table_add(&graph->table, ip, info);
	if (index == BLOCK_NONE)
		return index;
	make_block(graph, index, info);
	if (may_share)
		shared = block_cache_put(graph->cache,
					 &graph->table.blocks[index], info);
	if (shared) {
		graph->table.links[index].info = shared;
		graph->table.links[index].is_shared = true;
	} else {
		graph->spare = NULL;
	}
	return index;
}

static uint32_t add_block(struct block_graph *graph, uint64_t ip,
			  uint32_t space, enum instruction_set set)
{
	uint32_t index = BLOCK_NONE;

	if (graph->cache && space == CODE_SPACE_KERNEL)
		index = add_cached(graph, ip, set);
	return index == BLOCK_NONE ? add_read(graph, ip, space, set) : index;
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

/* Returns the target's address, and sets *@set to its instruction set. A direct
 * branch may switch from A32 to T32 or back, which bit 0 of the target shows.
 */
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
	const struct block_info *info = block_graph_info(graph, index);
	uint8_t set = info->set;
	uint64_t ip = edge == EDGE_TAKEN ? target_of(info, &set) :
					   block->ip + block->bytes;
	uint32_t to = block_graph_find(graph, ip, set);

	if (to == BLOCK_NONE)
		return to;
	graph->table.blocks[index].edges[edge] =
		block_edge_word(to, edge_kind_of(graph, index, to, edge));
	return to;
}

static struct jump_memo *memo_of(struct block_graph *graph, uint32_t index,
				 uint64_t ip)
{
	uint32_t hash = block_place_hash(ip, index);

	return &graph->memos[hash & (MEMO_SIZE - 1)];
}

/* Returns whether @word leads from @block to @ip. A program's branch leads into
 * the same program or the kernel, but the kernel returns to any program.
 */
static bool leads_to(const struct block_graph *graph, const struct block *block,
		     uint32_t word, uint64_t ip)
{
	const struct block *to = block_at(graph->table.blocks, word);

	return to->ip == ip && to != graph->table.blocks &&
	       (!to->is_user || block->is_user);
}

static uint32_t find_edge(struct block_graph *graph, uint32_t index,
			  uint64_t ip)
{
	uint32_t to = block_graph_find(graph, ip,
				       block_graph_info(graph, index)->set);
	uint8_t edge_kind;

	if (to == BLOCK_NONE)
		return block_edge_word(BLOCK_NONE, EDGE_KIND_NEW);
	edge_kind = graph->table.blocks[index].kind == BLOCK_RETURN ?
			    return_edge_kind(graph, index, to) :
			    edge_kind_of(graph, index, to, EDGE_TAKEN);
	return block_edge_word(to, edge_kind);
}

uint32_t block_graph_jump(struct block_graph *graph, uint32_t index,
			  uint64_t ip)
{
	struct jump_memo *memo = memo_of(graph, index, ip);
	struct block *block = &graph->table.blocks[index];
	uint32_t word = block->edges[EDGE_TAKEN];

	if (leads_to(graph, block, word, ip))
		return word;
	word = memo->word;
	if (memo->from != index || !leads_to(graph, block, word, ip)) {
		word = find_edge(graph, index, ip);
		*memo = (struct jump_memo){ .from = index, .word = word };
	}
	graph->table.blocks[index].edges[EDGE_TAKEN] = word;
	return word;
}

/* Marks @block as unread. Clears the edges, too: the block may end differently
 * when it is read again.
 */
static void forget_block(struct block *block)
{
	block->kind = BLOCK_UNREAD;
	block->work = 0;
	forget_edges(block);
}

/* Marks the blocks in @page with code from @first to @end as unread. Returns
 * whether there were any.
 */
static bool forget_page(struct block_graph *graph, uint64_t page,
			uint64_t first, uint64_t end)
{
	bool has_forgotten = false;
	uint32_t index = block_table_page(&graph->table, page);

	for (; index; index = graph->table.links[index].next_in_page) {
		struct block *block = &graph->table.blocks[index];

		/* A block that could not be read may be readable now. The code
		 * of a shared one does not change.
		 */
		if (graph->table.links[index].is_shared || block->ip >= end ||
		    block->ip + block->bytes + !block->bytes <= first)
			continue;
		forget_block(block);
		has_forgotten = true;
	}
	return has_forgotten;
}

/* Iterates over page numbers, not addresses: the end address of the last page
 * would overflow.
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

const struct block_info *block_graph_info(const struct block_graph *graph,
					  uint32_t index)
{
	return graph->table.links[index].info;
}

const struct block_inlined *block_graph_inlined(const struct block_graph *graph,
						uint32_t index)
{
	const struct block_inlined *all = graph->inlined.items;

	return index < graph->inlined.count && all[index].is_known ?
		       &all[index] :
		       NULL;
}

bool block_graph_changes_inlined(const struct block_graph *graph, uint32_t from,
				 uint32_t to)
{
	const struct block *blocks = graph->table.blocks;
	const struct block_inlined *before = block_graph_inlined(graph, from);
	const struct block_inlined *after = block_graph_inlined(graph, to);

	if (!after)
		return before && before->site;
	return (before ? before->site : 0) != after->site ||
	       (after->entries && blocks[to].ip > blocks[from].ip);
}

uint32_t block_graph_part(struct block_graph *graph, uint32_t index,
			  uint64_t end, uint64_t *last)
{
	return block_code_count(&graph->code, graph->table.blocks[index].ip,
				block_graph_info(graph, index)->set, end, last);
}
