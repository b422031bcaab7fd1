/* SPDX-License-Identifier: MIT */
#include "execution/atoms/atom_range.h"
#include "execution/atoms/atom_times.h"
#include "execution/walk/execution.h"

struct atom_range atom_range_begin(struct execution *execution)
{
	atom_times_stamp_record(execution, execution->times.work);
	return (struct atom_range){
		.item = &execution_add(execution)->item,
		.ip = execution->blocks[execution->block].ip,
	};
}

void atom_range_end(struct atom_range *range, uint64_t last, uint8_t exit,
		    uint64_t length)
{
	bool is_call = exit == FLOW_EXIT_CALL || exit == FLOW_EXIT_FAR_CALL;

	range->item->kind = FLOW_BLOCK;
	range->item->detail = exit & 0xf;
	range->item->last_length = is_call ? length & 0xf : 0;
	range->item->instructions = range->instructions < UINT16_MAX ?
					    (uint16_t)range->instructions :
					    UINT16_MAX;
	range->item->last = (uint32_t)(last - range->ip);
	range->item->ip = range->ip;
}

/* Bounds without a record would fill up the room for bounds. */
void atom_range_drop(struct execution *execution)
{
	struct event_times *times = &execution->times;
	uint32_t bounds = times->records[--times->count].early_ns;

	if (times->count > times->written &&
	    times->records[times->count - 1].early_ns == bounds)
		return;
	times->bounds_count--;
	execution->has_bounds = false;
}

void atom_range_exception(struct execution *execution, struct atom_range *range)
{
	if (range->instructions)
		atom_range_end(range,
			       execution->blocks[execution->from].ip +
				       block_graph_info(execution->graph,
							execution->from)
					       ->last,
			       FLOW_EXIT_NONE, 0);
	else
		atom_range_drop(execution);
}
