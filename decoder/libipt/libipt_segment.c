/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_segment_internal.h"

#include "common/error.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/libipt/intel_tokens_internal.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"

#include <intel-pt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Intel PT bytes that libipt can decode: a copy of the same size with two
 * changes.
 *
 * 1. Virtual machines' trace is removed. libipt reports the non-root bit of a
 *    PIP, but then decodes a guest's branches with the host's code. In the
 *    copy, tracing stops where the guest is entered, by a TIP.PGD in place of
 *    the TIP, and starts at the VM exit, by a TIP.PGE; the bytes between are
 *    padding. Time packets and sync points are kept.
 * 2. Each time packet that intel_clock_refuses() is invalid, or the PSB that it
 *    belongs to, since libipt accepts any time.
 */

enum place { HOST, ENTERING, INSIDE, LEAVING };

enum { TIP_PGD_ALONE = 0x01, TIP_PGE = 0x11 };

/* The state of the conversion. Offsets apply to both from and to. */
struct hiding {
	const uint8_t *from;
	uint8_t *to;
	size_t at; /* of the packet */
	enum place place;
	size_t psb;	   /* the last one */
	bool in_header;	   /* between PSB and PSBEND */
	bool is_changed;   /* to differs from from */
	uint64_t last_ip;  /* the trace unit's last IP */
	uint64_t known_ip; /* libipt's last IP */
	size_t kept;	   /* end of the last packet that is kept */
	size_t written;	   /* LEAVING: end of the kept packets, moved down */
};

/* Makes the packet at @at invalid. */
static void invalidate(struct hiding *hiding, size_t at)
{
	hiding->to[at] = 0x02;
	hiding->to[at + 1] = 0xff;
	hiding->is_changed = true;
}

static void hide(struct hiding *hiding, const struct intel_packet *packet)
{
	memset(hiding->to + hiding->at, 0, packet->size);
	hiding->is_changed = true;
}

static void keep(struct hiding *hiding, const struct intel_packet *packet)
{
	uint8_t moved[INTEL_PSB_SIZE];

	if (hiding->place == LEAVING && packet->size <= sizeof(moved)) {
		memcpy(moved, hiding->from + hiding->at, packet->size);
		hide(hiding, packet);
		memcpy(hiding->to + hiding->written, moved, packet->size);
		hiding->written += packet->size;
	} else {
		hiding->kept = hiding->at + packet->size;
	}
}

/* Returns how many bytes of @address a packet must contain, given the last
 * address that libipt saw.
 */
static size_t bytes_to_write(const struct hiding *hiding, uint64_t address)
{
	if (address >> 16 == hiding->known_ip >> 16)
		return 2;
	return address >> 32 == hiding->known_ip >> 32 ? 4 : 6;
}

/* Writes a packet that starts tracing at the address of @packet, whose branch
 * leaves the guest. If there is no room for it, makes the bytes invalid, which
 * causes a gap.
 */
static void start(struct hiding *hiding, const struct intel_packet *packet)
{
	size_t end = hiding->at + packet->size;
	size_t bytes = bytes_to_write(hiding, hiding->last_ip);
	uint8_t compression = (uint8_t)(bytes / 2);

	hide(hiding, packet);
	hiding->place = HOST;
	hiding->kept = end;
	if (end - hiding->written < bytes + 1) {
		invalidate(hiding, end - 2);
		return;
	}
	hiding->to[end - bytes - 1] = (uint8_t)(compression << 5 | TIP_PGE);
	for (size_t i = 0; i < bytes; i++)
		hiding->to[end - bytes + i] =
			(uint8_t)(hiding->last_ip >> (8 * i));
	hiding->known_ip = hiding->last_ip;
}

static void consume_branch(struct hiding *hiding,
			   const struct intel_packet *packet)
{
	bool has_address = intel_address_size(packet->compression);

	if (has_address)
		hiding->last_ip = intel_address(
			hiding->last_ip, packet->compression, packet->payload);
	if (hiding->place == HOST) {
		if (has_address)
			hiding->known_ip = hiding->last_ip;
		keep(hiding, packet);
		return;
	}
	if (hiding->place == LEAVING && packet->kind != INTEL_PACKET_FUP) {
		if (has_address && packet->kind != INTEL_PACKET_TIP_PGD) {
			start(hiding, packet);
			return;
		}
		hiding->place = HOST;
	}
	hide(hiding, packet);
	if (hiding->place != ENTERING || packet->kind == INTEL_PACKET_FUP)
		return;
	hiding->place = INSIDE;
	if (packet->kind != INTEL_PACKET_TIP_PGE)
		hiding->to[hiding->at] = TIP_PGD_ALONE;
	hiding->kept = hiding->at + packet->size;
}

static void consume_pip(struct hiding *hiding,
			const struct intel_packet *packet)
{
	bool is_guest = packet->payload & 1;

	if (is_guest) {
		if (hiding->place == INSIDE && !hiding->in_header)
			hide(hiding, packet);
		else
			keep(hiding, packet);
		if (hiding->in_header || hiding->place == LEAVING)
			hiding->place = INSIDE;
		else if (hiding->place == HOST)
			hiding->place = ENTERING;
		return;
	}
	if (hiding->place == INSIDE && !hiding->in_header) {
		hiding->place = LEAVING;
		hiding->written = hiding->kept;
	} else if (hiding->place != LEAVING) {
		hiding->place = HOST;
	}
	keep(hiding, packet);
}

static void consume(struct hiding *hiding, const struct intel_packet *packet)
{
	bool is_inside = hiding->place == INSIDE || hiding->place == LEAVING;

	switch ((enum intel_packet_kind)packet->kind) {
	case INTEL_PACKET_TIP:
	case INTEL_PACKET_TIP_PGE:
	case INTEL_PACKET_TIP_PGD:
	case INTEL_PACKET_FUP:
		consume_branch(hiding, packet);
		return;
	case INTEL_PACKET_PIP:
		consume_pip(hiding, packet);
		return;
	case INTEL_PACKET_PSB:
		hiding->psb = hiding->at;
		hiding->in_header = true;
		hiding->last_ip = 0;
		hiding->known_ip = 0;
		if (hiding->place == LEAVING)
			hiding->place = INSIDE;
		keep(hiding, packet);
		return;
	case INTEL_PACKET_PSBEND:
		hiding->in_header = false;
		keep(hiding, packet);
		return;
	case INTEL_PACKET_TNT:
	case INTEL_PACKET_PTW:
	case INTEL_PACKET_CFE:
	case INTEL_PACKET_EVD:
	case INTEL_PACKET_TRIG:
	case INTEL_PACKET_EXSTOP:
	case INTEL_PACKET_MWAIT:
	case INTEL_PACKET_PWRE:
	case INTEL_PACKET_PWRX:
	case INTEL_PACKET_BBP:
	case INTEL_PACKET_BIP:
	case INTEL_PACKET_BEP:
		if (is_inside)
			hide(hiding, packet);
		else
			keep(hiding, packet);
		return;
	case INTEL_PACKET_MODE:
		/* The host's MODE follows the host's PIP, and the guest's
		 * follows the guest's PIP.
		 */
		if (!hiding->in_header &&
		    (hiding->place == INSIDE || hiding->place == ENTERING))
			hide(hiding, packet);
		else
			keep(hiding, packet);
		return;
	case INTEL_PACKET_PAD:
		if (!is_inside)
			keep(hiding, packet);
		return;
	case INTEL_PACKET_TSC:
	case INTEL_PACKET_TMA:
	case INTEL_PACKET_MTC:
	case INTEL_PACKET_CYC:
	case INTEL_PACKET_CBR:
	case INTEL_PACKET_OVF:
	case INTEL_PACKET_VMCS:
	case INTEL_PACKET_STOP:
	case INTEL_PACKET_MNT:
		keep(hiding, packet);
		return;
	case INTEL_PACKET_KINDS:
		return;
	}
}

static void convert(struct hiding *hiding, size_t size,
		    const struct intel_clock_setup *setup)
{
	struct intel_clock clock = intel_clock_of(setup);
	struct intel_packet_context context = { 0 };

	hiding->at = intel_psb_find(hiding->from, size, 0);
	while (hiding->at < size) {
		const uint8_t *bytes = hiding->from + hiding->at;
		size_t left = size - hiding->at;
		struct intel_packet packet;
		uint64_t anchor;
		int status =
			intel_packet_read_in(&context, bytes, left, &packet);
		bool is_refused =
			status > 0 && setup->span.last &&
			intel_clock_refuses(&clock, &packet, bytes, left);

		if (!status)
			return;
		if (status > 0 && !is_refused) {
			if (intel_clock_consume(&clock, &packet, &anchor))
				intel_clock_set_anchor(&clock, anchor);
			consume(hiding, &packet);
			hiding->at += packet.size;
			continue;
		}
		if (is_refused)
			invalidate(hiding, hiding->in_header ? hiding->psb :
							       hiding->at);
		hiding->at = intel_psb_find(hiding->from, size, hiding->at + 1);
		hiding->place = HOST;
		hiding->in_header = false;
		context = (struct intel_packet_context){ 0 };
	}
}

/* Sets *@copy to the changed bytes, which the caller frees, or to NULL if
 * nothing is changed in the @size bytes at @bytes. Returns 0 or -ERROR_MEMORY.
 */
static int libipt_bytes_convert(const uint8_t *bytes, size_t size,
				const struct intel_clock_setup *setup,
				uint8_t **copy)
{
	struct hiding hiding = { .from = bytes, .to = malloc(size) };

	*copy = NULL;
	if (!hiding.to && size)
		return -ERROR_MEMORY;
	if (size)
		memcpy(hiding.to, bytes, size);
	convert(&hiding, size, setup);
	if (hiding.is_changed)
		*copy = hiding.to;
	else
		free(hiding.to);
	return 0;
}

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
