/* SPDX-License-Identifier: MIT */
#include "execution/walk/sight.h"
#include "execution/walk/execution.h"
#include "execution/walk/walk.h"

/* No sequence of direct edges that matters is longer. */
enum { MOST_AHEAD = 1024 };

static void look_at(const struct execution *execution, struct sight *sight,
		    uint64_t address, unsigned int count)
{
	const struct block *block = &execution->blocks[sight->end];
	const struct block_info *info =
		block_graph_info(execution->graph, sight->end);

	sight->has_address |= address - block->ip < block->bytes;
	if (info->writes_page_table && !sight->to_page_table)
		sight->to_page_table = count;
	if (block->kind != BLOCK_JUMP && block->kind != BLOCK_CALL)
		return;
	sight->to_direct = count;
	if (!sight->to_outside &&
	    trace_filter_excludes(&execution->filter, info->target))
		sight->to_outside = count;
}

struct sight sight_of(struct execution *execution, uint64_t address)
{
	struct sight sight = { .end = execution->block };

	for (unsigned int count = 1; count <= MOST_AHEAD; count++) {
		const struct block *block;

		if (sight.end == BLOCK_NONE)
			return sight;
		block = &execution->blocks[sight.end];
		if (block->kind == BLOCK_UNREAD)
			block_graph_read(execution->graph, sight.end);
		look_at(execution, &sight, address, count);
		if (block->kind != BLOCK_FALL && block->kind != BLOCK_JUMP &&
		    block->kind != BLOCK_CALL)
			return sight;
		sight.end = walk_behind(execution, sight.end,
					block->kind == BLOCK_FALL ? EDGE_NEXT :
								    EDGE_TAKEN);
	}
	sight.end = BLOCK_NONE;
	return sight;
}

bool sight_ends_at_target(const struct execution *execution,
			  const struct sight *sight)
{
	return sight->end != BLOCK_NONE &&
	       block_takes_target(execution->blocks[sight->end].kind);
}

bool sight_ends_in_void(const struct execution *execution,
			const struct sight *sight)
{
	uint8_t kind;

	if (sight->end == BLOCK_NONE)
		return false;
	kind = execution->blocks[sight->end].kind;
	return kind == BLOCK_NO_CODE || kind == BLOCK_CODE_CHANGED ||
	       kind == BLOCK_UNKNOWN || kind == BLOCK_GENERATED;
}
