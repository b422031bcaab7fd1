/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_blocks.h"
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_exit.h"
#include "decoder/coresight/coresight_items.h"

static void add_block(struct coresight_items *items, uint64_t ip, uint64_t last,
		      uint16_t count, enum flow_exit exit, uint8_t length)
{
	coresight_items_emit(items,
			     &(struct flow_item){
				     .kind = FLOW_BLOCK,
				     .detail = exit & 0xf,
				     .last_length = exit == FLOW_EXIT_CALL ?
							    length & 0xf :
							    0,
				     .instructions = count,
				     .last = (uint32_t)(last - ip),
				     .ip = ip,
			     });
	coresight_clock_run(&items->clock, count);
}

static enum flow_exit exit_of(struct code_space *code,
			      const ocsd_generic_trace_elem *range,
			      uint64_t last)
{
	size_t left = 0;
	const uint8_t *bytes = NULL;

	if (range->last_i_type == OCSD_INSTR_BR_INDIRECT &&
	    range->isa != ocsd_isa_aarch64)
		bytes = code_space_bytes(code, last, &left);
	return coresight_exit(range, bytes, left);
}

/* Adds a gap if the block at @ip is not on the expected path. */
static void check_path(const struct coresight_blocks *blocks,
		       struct coresight_items *items, uint64_t position,
		       uint64_t ip)
{
	if (!items->is_running || !coresight_path_is_left(&blocks->path, ip))
		return;
	coresight_items_open_gap(items, FLOW_GAP_BAD_TRACE, position);
	coresight_items_close_gap(items, position);
}

/* Straight code may exceed a block's count: damaged trace leads into data. */
static void take_range(struct coresight_blocks *blocks,
		       struct coresight_items *items, struct code_space *code,
		       uint64_t position, const ocsd_generic_trace_elem *range)
{
	uint64_t ip = range->st_addr;
	uint64_t last = range->en_addr - range->last_instr_sz;
	uint32_t count = range->num_instr_range;
	const uint64_t step = UINT16_MAX * UINT64_C(4);

	if (last < ip || !count)
		return;
	check_path(blocks, items, position, ip);
	if (blocks->must_start)
		coresight_items_emit(items, &(struct flow_item){
						    .kind = FLOW_START,
						    .ip = ip,
					    });
	blocks->must_start = false;
	for (; count > UINT16_MAX && last - ip > step; ip += step) {
		add_block(items, ip, ip + step - 4, UINT16_MAX, FLOW_EXIT_NONE,
			  0);
		count -= UINT16_MAX;
	}
	add_block(items, ip, last, (uint16_t)count, exit_of(code, range, last),
		  range->last_instr_sz);
	items->is_running = true;
	blocks->next_address = range->en_addr;
	coresight_path_expect(&blocks->path, code, range, last);
}

/* Only T32 code may be at addresses that are not multiples of four: OpenCSD
 * continues in A32 where damage produced trace of Jazelle.
 */
static bool is_misplaced(const ocsd_generic_trace_elem *range)
{
	return range->isa != ocsd_isa_thumb2 && range->st_addr % 4;
}

void coresight_blocks_take(struct coresight_blocks *blocks,
			   struct coresight_items *items,
			   struct code_space *code, uint64_t position,
			   const ocsd_generic_trace_elem *range)
{
	if (is_misplaced(range)) {
		coresight_items_open_gap(items, FLOW_GAP_BAD_TRACE, position);
		return;
	}
	coresight_items_close_gap(items, position);
	take_range(blocks, items, code, position, range);
}
