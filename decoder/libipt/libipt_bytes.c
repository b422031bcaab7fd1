/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/libipt/libipt_bytes_internal.h"
#include "decoder/recording/aux_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

int libipt_bytes_convert(const uint8_t *bytes, size_t size,
			 const struct intel_clock_setup *setup, uint8_t **copy)
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
