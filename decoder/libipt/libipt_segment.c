/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/libipt/intel_tokens_internal.h"
#include "decoder/libipt/libipt_bytes_internal.h"
#include "decoder/libipt/libipt_segment_internal.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"

#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>

struct libipt_segment {
	struct libipt_segment_setup setup;
	uint8_t *converted; /* a changed copy of the setup's bytes, or NULL */
	struct pt_block_decoder *blocks;
	struct intel_tokens *tokens;
	struct branch_cursor *cursor;
	size_t synced; /* position of the last PSB used */
};

/* Sets the errata from the table of intel_errata_of(), whatever the version of
 * libipt; libipt's own table adds others that only it handles.
 */
static void set_cpu(struct pt_config *config, const char *cpuid)
{
	uint32_t errata = intel_errata_of(cpuid);
	unsigned int family, model, stepping;

	if (sscanf(cpuid, "GenuineIntel,%u,%u,%u", &family, &model,
		   &stepping) == 3) {
		config->cpu.vendor = pcv_intel;
		config->cpu.family = (uint16_t)family;
		config->cpu.model = (uint8_t)model;
		config->cpu.stepping = (uint8_t)stepping;
		pt_cpu_errata(&config->errata, &config->cpu);
	}
	config->errata.bdm64 = (errata & INTEL_ERRATUM_BDM64) != 0;
	config->errata.bdm70 = (errata & INTEL_ERRATUM_BDM70) != 0;
	config->errata.skd007 = (errata & INTEL_ERRATUM_SKD007) != 0;
	config->errata.skd022 = (errata & INTEL_ERRATUM_SKD022) != 0;
	config->errata.skl014 = (errata & INTEL_ERRATUM_SKL014) != 0;
	config->errata.apl12 = (errata & INTEL_ERRATUM_APL12) != 0;
	config->errata.skz84 = (errata & INTEL_ERRATUM_SKZ84) != 0;
}

static struct pt_block_decoder *
new_decoder(const struct libipt_segment_setup *setup)
{
	struct pt_config config;

	pt_config_init(&config);
	/* libipt wants writable bounds although it only reads. */
	config.begin = (uint8_t *)(uintptr_t)setup->bytes;
	/* At an incomplete packet at the end libipt would fail instead of
	 * stopping.
	 */
	config.end = config.begin + intel_whole_size(setup->bytes, setup->size);
	/* Without these flags, libipt runs through direct calls and direct
	 * jumps inside one block, so function entries and tail calls are
	 * missing.
	 */
	config.flags.variant.block.end_on_call = 1;
	config.flags.variant.block.end_on_jump = 1;
	set_cpu(&config, recording_info(setup->recording)->cpuid);
	return pt_blk_alloc_decoder(&config);
}

struct libipt_segment *
libipt_segment_new(const struct libipt_segment_setup *setup)
{
	struct libipt_segment *segment = calloc(1, sizeof(*segment));

	if (!segment)
		return NULL;
	segment->setup = *setup;
	if (libipt_bytes_convert(setup->bytes, setup->size, setup->clock,
				 &segment->converted) < 0)
		goto fail;
	if (segment->converted)
		segment->setup.bytes = segment->converted;
	segment->blocks = new_decoder(&segment->setup);
	segment->tokens = intel_tokens_new(segment->setup.bytes, setup->size,
					   setup->clock);
	if (segment->tokens)
		segment->cursor = branch_cursor_new(
			segment->tokens,
			recording_time_conversion(setup->recording));
	if (segment->blocks && segment->cursor &&
	    pt_blk_set_image(segment->blocks, setup->image) >= 0)
		return segment;
fail:
	libipt_segment_free(segment);
	return NULL;
}

void libipt_segment_free(struct libipt_segment *segment)
{
	if (!segment)
		return;
	branch_cursor_free(segment->cursor);
	intel_tokens_free(segment->tokens);
	pt_blk_free_decoder(segment->blocks);
	free(segment->converted);
	free(segment);
}

static void emit_gap(struct libipt_segment *segment, uint8_t reason,
		     size_t from, size_t to)
{
	size_t size = to - from;

	libipt_segment_emit(segment,
			    &(struct flow_item){
				    .kind = FLOW_GAP,
				    .detail = reason & 0xf,
				    .ip = segment->setup.begin + from,
				    .last = size > UINT32_MAX ? UINT32_MAX :
								(uint32_t)size,
			    });
}

int libipt_segment_sync(struct libipt_segment *segment, size_t position,
			uint8_t reason, bool *is_gap)
{
	const uint8_t *bytes = segment->setup.bytes;
	size_t size = segment->setup.size;
	size_t psb = intel_psb_find(bytes, size, position);
	int status;

	*is_gap = reason != FLOW_GAP_UNSYNCED || psb == size ||
		  !intel_is_idle(bytes, psb);
	if (*is_gap)
		emit_gap(segment, reason, position, psb);
	if (psb == size)
		return -pte_eos;
	segment->synced = psb;
	status = pt_blk_sync_set(segment->blocks, psb);
	branch_cursor_seek(segment->cursor, psb);
	return status;
}

static uint8_t gap_reason(int status)
{
	return pt_errcode(status) == pte_nomap ? FLOW_GAP_NO_CODE :
						 FLOW_GAP_BAD_TRACE;
}

/* Continues at the next PSB after libipt failed with @status. Does not leave
 * the search to libipt, which could find the PSB again at which it failed.
 */
int libipt_segment_recover(struct libipt_segment *segment, int status,
			   bool *is_gap)
{
	uint64_t position = 0;

	if (pt_blk_get_offset(segment->blocks, &position) < 0 ||
	    position <= segment->synced)
		position = segment->synced + 1;
	return libipt_segment_sync(segment, position, gap_reason(status),
				   is_gap);
}

struct flow_item *libipt_segment_next(struct libipt_segment *segment)
{
	struct flow_stamp *stamp;
	struct flow_item *item = flow_batch_next(segment->setup.batch, &stamp);

	branch_cursor_stamp(segment->cursor, stamp);
	return item;
}

void libipt_segment_add(struct libipt_segment *segment)
{
	flow_batch_add(segment->setup.batch);
}

void libipt_segment_emit(struct libipt_segment *segment,
			 const struct flow_item *item)
{
	*libipt_segment_next(segment) = *item;
	libipt_segment_add(segment);
}

static void find_step(struct libipt_segment *segment)
{
	uint64_t position = 0;

	if (pt_blk_get_offset(segment->blocks, &position) >= 0)
		branch_cursor_seek(segment->cursor, position);
}

void libipt_segment_pass_branch(struct libipt_segment *segment,
				enum flow_exit exit, bool is_indirect)
{
	if (!branch_cursor_branch(segment->cursor, exit, is_indirect))
		find_step(segment);
}

void libipt_segment_pass_event(struct libipt_segment *segment, uint8_t kind)
{
	if (!branch_cursor_event(segment->cursor, kind))
		find_step(segment);
}

bool libipt_segment_expects_address(const struct libipt_segment *segment)
{
	return branch_cursor_expects_address(segment->cursor);
}

struct pt_block_decoder *
libipt_segment_decoder(const struct libipt_segment *segment)
{
	return segment->blocks;
}

uint64_t libipt_segment_position(const struct libipt_segment *segment)
{
	uint64_t position = 0;

	pt_blk_get_offset(segment->blocks, &position);
	return segment->setup.begin + position;
}

uint64_t libipt_segment_low_ns(const struct libipt_segment *segment)
{
	struct flow_stamp stamp = { 0 };

	branch_cursor_stamp(segment->cursor, &stamp);
	return stamp.low_ns;
}

uint64_t libipt_segment_guess_ns(const struct libipt_segment *segment)
{
	return branch_cursor_guess_ns(segment->cursor);
}
