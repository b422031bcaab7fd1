/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_segment.h"
#include "common/error.h"
#include "common/perf_data.h"
#include "decoder/intel_pt/intel_idle.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/intel_pt/intel_whole.h"
#include "decoder/libipt/branch_cursor.h"
#include "decoder/libipt/intel_image.h"
#include "decoder/libipt/intel_tokens.h"
#include "decoder/libipt/libipt_parts.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/time_conversion.h"

#include <stdio.h>
#include <string.h>

static void set_cpu(struct pt_config *config, const char *cpuid)
{
	unsigned int family, model, stepping;

	if (sscanf(cpuid, "GenuineIntel,%u,%u,%u", &family, &model,
		   &stepping) != 3)
		return;
	config->cpu.vendor = pcv_intel;
	config->cpu.family = (uint16_t)family;
	config->cpu.model = (uint8_t)model;
	config->cpu.stepping = (uint8_t)stepping;
	pt_cpu_errata(&config->errata, &config->cpu);
}

static struct pt_block_decoder *new_decoder(const struct libipt *source)
{
	const uint8_t *bytes = source->bytes.bytes + source->segment;
	size_t size = source->segment_end - source->segment;
	struct pt_config config;

	pt_config_init(&config);
	/* libipt wants writable bounds although it only reads. */
	config.begin = (uint8_t *)(uintptr_t)bytes;
	/* Where a piece of a packet follows libipt runs on, else it stops. */
	config.end = config.begin + intel_whole_size(bytes, size);
	/* Without these, libipt runs through direct calls and direct jumps
	 * inside one block, and function entries and tail calls vanish.
	 */
	config.flags.variant.block.end_on_call = 1;
	config.flags.variant.block.end_on_jump = 1;
	set_cpu(&config, recording_info(source->input.recording)->cpuid);
	return pt_blk_alloc_decoder(&config);
}

static void emit_gap(struct libipt *source, uint8_t reason, size_t from,
		     size_t to)
{
	size_t size = to - from;

	source->is_off = false;
	libipt_emit(source, &(struct flow_item){
				    .kind = FLOW_GAP,
				    .detail = reason & 0xf,
				    .ip = from,
				    .last = size > UINT32_MAX ? UINT32_MAX :
								(uint32_t)size,
			    });
}

/* Goes on decoding at the first PSB from @position on, counted in the segment.
 * @reason: why what lies before it is not decoded.
 */
static void sync_at(struct libipt *source, size_t position, uint8_t reason)
{
	const uint8_t *bytes = source->bytes.bytes + source->segment;
	size_t size = source->segment_end - source->segment;
	size_t psb = intel_packet_find_psb(bytes, size, position);

	if (reason != FLOW_GAP_UNSYNCED || psb == size ||
	    !intel_is_idle(bytes, psb))
		emit_gap(source, reason, source->segment + position,
			 source->segment + psb);
	source->last_ip = 0;
	source->status = -pte_eos;
	if (psb == size)
		return;
	source->synced = psb;
	source->status = pt_blk_sync_set(source->blocks, psb);
	branch_cursor_seek(source->cursor, psb);
}

int libipt_open_segment(struct libipt *source)
{
	source->segment = source->next_segment;
	source->segment_end =
		loss_cursor_next(&source->losses, source->segment);
	source->next_segment = source->segment_end;
	source->blocks = new_decoder(source);
	source->tokens = intel_tokens_new(source->bytes.bytes + source->segment,
					  source->segment_end - source->segment,
					  &source->clock_setup);
	if (!source->tokens)
		return -ERROR_MEMORY;
	source->cursor = branch_cursor_new(
		source->tokens,
		recording_time_conversion(source->input.recording));
	if (!source->blocks || !source->cursor ||
	    pt_blk_set_image(source->blocks,
			     intel_image_get(source->code.image)) < 0)
		return -ERROR_MEMORY;
	source->is_open = true;
	sync_at(source, 0, FLOW_GAP_UNSYNCED);
	return 0;
}

void libipt_close_segment(struct libipt *source)
{
	struct flow_stamp stamp = { .low_ns = source->end_low_ns };

	if (source->cursor)
		branch_cursor_stamp(source->cursor, &stamp);
	source->end_low_ns = stamp.low_ns;
	branch_cursor_free(source->cursor);
	intel_tokens_free(source->tokens);
	pt_blk_free_decoder(source->blocks);
	source->cursor = NULL;
	source->tokens = NULL;
	source->blocks = NULL;
	source->is_open = false;
}

static uint8_t gap_reason(int status)
{
	return pt_errcode(status) == pte_nomap ? FLOW_GAP_NO_CODE :
						 FLOW_GAP_BAD_TRACE;
}

/* libipt's own search could find the PSB again that it failed at. */
void libipt_recover(struct libipt *source)
{
	uint64_t position = 0;
	uint8_t reason = gap_reason(source->status);

	if (pt_blk_get_offset(source->blocks, &position) < 0 ||
	    position <= source->synced)
		position = source->synced + 1;
	sync_at(source, position, reason);
}
