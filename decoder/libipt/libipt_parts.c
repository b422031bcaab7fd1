/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_parts.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/libipt/branch_cursor.h"

void libipt_emit(struct libipt *source, const struct flow_item *item)
{
	struct flow_stamp *stamp;

	*flow_batch_next(source->batch, &stamp) = *item;
	branch_cursor_stamp(source->cursor, stamp);
	flow_batch_add(source->batch);
}

void libipt_find_step(struct libipt *source)
{
	uint64_t position = 0;

	source->drifts++;
	if (pt_blk_get_offset(source->blocks, &position) >= 0)
		branch_cursor_seek(source->cursor, position);
}
