/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/coresight/coresight_parts.h"

void coresight_emit_at(struct coresight *source, const struct flow_item *item,
		       const struct flow_stamp *stamp)
{
	struct coresight_entry *entry = array_add(&source->entries);

	if (!entry) {
		source->error = -ERROR_MEMORY;
		return;
	}
	entry->item = *item;
	entry->stamp = *stamp;
	coresight_resolve(source);
}

void coresight_emit(struct coresight *source, const struct flow_item *item)
{
	const struct flow_stamp stamp = coresight_stamp_now(source, item);

	coresight_emit_at(source, item, &stamp);
}

struct flow_item *coresight_last_block(struct coresight *source)
{
	struct coresight_entry *entry;

	if (!source->entries.count)
		return NULL;
	entry = array_at(&source->entries, source->entries.count - 1);
	return entry->item.kind == FLOW_BLOCK ? &entry->item : NULL;
}

void coresight_open_gap(struct coresight *source, uint8_t reason,
			uint64_t position)
{
	if (source->gap.is_open && source->gap.reason != reason)
		coresight_close_gap(source, position);
	if (!source->gap.is_open)
		source->gap = (struct coresight_gap){
			.is_open = true,
			.reason = reason,
			.position = position,
			.stamp = coresight_stamp_after_block(source),
		};
	source->is_running = false;
	coresight_lose_count(source);
}

void coresight_close_gap(struct coresight *source, uint64_t position)
{
	const struct coresight_gap *gap = &source->gap;
	uint64_t size = position > gap->position ? position - gap->position : 0;

	if (!gap->is_open)
		return;
	source->gap.is_open = false;
	coresight_emit_at(source,
			  &(struct flow_item){
				  .kind = FLOW_GAP,
				  .detail = gap->reason & 0xf,
				  .ip = gap->position,
				  .last = size < UINT32_MAX ? (uint32_t)size :
							      UINT32_MAX,
			  },
			  &gap->stamp);
}
