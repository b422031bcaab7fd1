/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/coresight/coresight_code.h"
#include "decoder/coresight/coresight_parts.h"
#include "decoder/recording/recording_parts.h"

static struct flow_stamp stamp_now(struct coresight *source)
{
	struct flow_stamp stamp = {
		.low_ns = source->low_ns,
		.high_ns = UINT64_MAX,
		.known_ns = source->known_ns,
	};

	source->known_ns = 0;
	if (source->has_time)
		return stamp;
	return (struct flow_stamp){
		.low_ns = source->instructions,
		.high_ns = source->instructions,
		.known_ns = source->instructions,
	};
}

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
}

void coresight_emit(struct coresight *source, const struct flow_item *item)
{
	const struct flow_stamp stamp = stamp_now(source);

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

struct flow_stamp coresight_stamp_after_block(const struct coresight *source)
{
	struct flow_stamp stamp = source->after_block;

	if (!source->has_time)
		stamp.low_ns = stamp.high_ns = stamp.known_ns =
			source->instructions;
	return stamp;
}

void coresight_count(struct coresight *source, uint32_t count)
{
	source->instructions += count;
	source->after_block = (struct flow_stamp){
		.low_ns = source->low_ns,
		.high_ns = UINT64_MAX,
	};
}

static void bound_entries(struct coresight *source, uint64_t high_ns)
{
	struct coresight_entry *entries = source->entries.items;

	for (size_t i = 0; i < source->entries.count; i++)
		if (entries[i].stamp.high_ns == UINT64_MAX)
			entries[i].stamp.high_ns = high_ns;
	flow_batch_bound(source->batch, high_ns);
}

/* What came before a time stamp happened before that time. */
void coresight_take_time(struct coresight *source, uint64_t ticks)
{
	const struct recording *recording = source->input.recording;
	uint64_t time_ns;

	if (!source->has_time || !ticks)
		return;
	time_ns = time_conversion_ns(&recording->conversion, ticks);
	if (time_ns < source->low_ns)
		return;
	bound_entries(source, time_ns);
	if (source->after_block.high_ns == UINT64_MAX)
		source->after_block.high_ns = time_ns;
	source->low_ns = time_ns;
	source->known_ns = time_ns;
	if (time_ns < source->next_change_ns)
		return;
	if (coresight_code_advance(source->code, time_ns) < 0)
		source->error = -ERROR_MEMORY;
	source->next_change_ns = coresight_code_next_change_ns(source->code);
	coresight_refresh_code(source);
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
}

void coresight_close_gap(struct coresight *source, uint64_t position)
{
	const struct coresight_gap *gap = &source->gap;
	uint64_t size = position > gap->position ? position - gap->position :
						   0;

	if (!gap->is_open)
		return;
	source->gap.is_open = false;
	coresight_emit_at(source, &(struct flow_item){
		.kind = FLOW_GAP,
		.detail = gap->reason & 0xf,
		.ip = gap->position,
		.last = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
	}, &gap->stamp);
}
