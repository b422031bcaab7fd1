/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_items.h"

void coresight_items_emit_at(struct coresight_items *items,
			     const struct flow_item *item,
			     const struct flow_stamp *stamp)
{
	int error = coresight_queue_add(&items->queue, item, stamp);

	if (error)
		items->error = error;
	else
		coresight_clock_note_item(&items->clock);
}

void coresight_items_emit(struct coresight_items *items,
			  const struct flow_item *item)
{
	const struct flow_stamp stamp = coresight_clock_now(
		&items->clock, items->is_running && item->kind == FLOW_BLOCK);

	coresight_items_emit_at(items, item, &stamp);
}

struct flow_item *
coresight_items_last_block(const struct coresight_items *items)
{
	struct flow_item *last = coresight_queue_last(&items->queue);

	return last && last->kind == FLOW_BLOCK ? last : NULL;
}

void coresight_items_open_gap(struct coresight_items *items, uint8_t reason,
			      uint64_t position)
{
	if (items->gap.is_open && items->gap.reason != reason)
		coresight_items_close_gap(items, position);
	if (!items->gap.is_open)
		items->gap = (struct coresight_gap){
			.is_open = true,
			.reason = reason,
			.position = position,
			.stamp = coresight_clock_after_block(&items->clock),
		};
	items->is_running = false;
	coresight_clock_lose_count(&items->clock);
}

void coresight_items_close_gap(struct coresight_items *items, uint64_t position)
{
	const struct coresight_gap *gap = &items->gap;
	uint64_t size = position > gap->position ? position - gap->position : 0;

	if (!gap->is_open)
		return;
	items->gap.is_open = false;
	coresight_items_emit_at(
		items,
		&(struct flow_item){
			.kind = FLOW_GAP,
			.detail = gap->reason & 0xf,
			.ip = gap->position,
			.last = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
		},
		&gap->stamp);
}
