/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_parts.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/libipt/block_clock.h"

void libipt_emit(struct libipt *source, const struct flow_item *item)
{
	struct flow_stamp *stamp;

	*flow_batch_next(source->batch, &stamp) = *item;
	block_clock_stamp(source->clock, stamp);
	flow_batch_add(source->batch);
}

void libipt_find_step(struct libipt *source)
{
	uint64_t position = 0;

	source->drifts++;
	if (pt_blk_get_offset(source->blocks, &position) >= 0)
		block_clock_seek(source->clock, position);
}
