/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/transfers.h"

#include <string.h>

enum {
	MODE_IF = 1 << 2,
	CFE = 0x13,
	CFE_SIZE = 4,
	CFE_IP = 0x80,
	CFE_TYPE = 0x1f,
	CFE_INTR = 1,
	CFE_IRET = 2,
	EVD = 0x53,
	EVD_SIZE = 11,
};

/* libipt 2.0 does not know the packets of Event Trace, 2.1 has types for them: they
 * are recognized by their bytes.
 */
static bool is_event(const uint8_t *packet)
{
	return packet[0] == 0x02 && (packet[1] == CFE || packet[1] == EVD);
}

static int size_of_event(struct pt_packet_unknown *unknown,
			 const struct pt_config *config, const uint8_t *at,
			 void *context)
{
	(void)context;
	unknown->packet = at;
	if (config->end - at < EVD_SIZE || !is_event(at))
		return -pte_bad_opc;
	return at[1] == CFE ? CFE_SIZE : EVD_SIZE;
}

bool transfers_open(struct transfers *transfers,
		    const struct trace_stream *stream)
{
	struct pt_config config;

	*transfers = (struct transfers){ .bytes = stream->bytes,
					 .size = stream->size };
	pt_config_init(&config);
	config.begin = stream->bytes;
	config.end = stream->bytes + stream->size;
	config.decode.callback = size_of_event;
	transfers->decoder = pt_pkt_alloc_decoder(&config);
	return transfers->decoder &&
	       pt_pkt_sync_set(transfers->decoder, 0) >= 0;
}

void transfers_close(struct transfers *transfers)
{
	pt_pkt_free_decoder(transfers->decoder);
}

/* Returns false if the packet has no address. */
static bool take_ip(struct transfers *transfers,
		    const struct pt_packet_ip *packet)
{
	uint64_t low = 0;

	switch (packet->ipc) {
	case pt_ipc_suppressed:
		return false;
	case pt_ipc_update_16:
		low = 0xffff;
		break;
	case pt_ipc_update_32:
		low = 0xffffffff;
		break;
	case pt_ipc_update_48:
		low = 0xffffffffffff;
		break;
	case pt_ipc_sext_48:
		transfers->last_ip =
			(uint64_t)((int64_t)(packet->ip << 16) >> 16);
		return true;
	case pt_ipc_full:
		low = UINT64_MAX;
		break;
	}
	transfers->last_ip = (transfers->last_ip & ~low) | (packet->ip & low);
	return true;
}

static void take_fup(struct transfers *transfers,
		     const struct pt_packet_ip *packet)
{
	if (!take_ip(transfers, packet) || transfers->in_psb)
		return;
	if (transfers->stopped)
		transfers->stopped_at = transfers->last_ip;
	if (transfers->stopped || transfers->bound) {
		transfers->stopped = transfers->bound = false;
		return;
	}
	transfers->next.from = transfers->last_ip;
	transfers->next.from_known = true;
}

static void take_event(struct transfers *transfers, const uint8_t *bytes)
{
	struct transfer *next = &transfers->next;

	if (bytes[1] == EVD) {
		next->has_fault = true;
		memcpy(&next->fault, bytes + 3, sizeof(next->fault));
		return;
	}
	if (next->event != TRANSFER_NO_EVENT)
		transfers->error = "two events of one transfer";
	next->vector = bytes[3];
	if ((bytes[2] & CFE_TYPE) == CFE_INTR)
		next->event = TRANSFER_INTERRUPT;
	else if ((bytes[2] & CFE_TYPE) == CFE_IRET)
		next->event = TRANSFER_IRET;
	else
		transfers->error = "an event of another kind";
}

/* A FUP immediately after it means that no transfer belongs to it. */
static void take_mode(struct transfers *transfers, uint64_t offset)
{
	bool fup = offset + 2 < transfers->size &&
		   (transfers->bytes[offset + 2] & 0x1f) == 0x1d;
	bool interrupts = transfers->bytes[offset + 1] & MODE_IF;

	if (transfers->bytes[offset + 1] >> 5)
		return;
	transfers->next.interrupts = interrupts;
	if (transfers->in_psb || fup)
		transfers->next.interrupts_before = interrupts;
	if (!transfers->in_psb && fup) {
		transfers->bound = true;
		transfers->flag_writes++;
	}
}

static void take_power(struct transfers *transfers,
		       const struct pt_packet *packet)
{
	if (packet->type == ppt_pwre) {
		if (transfers->stops++ != transfers->wakes)
			transfers->error = "it stops twice";
	} else if (packet->type == ppt_exstop) {
		transfers->stopped = packet->payload.exstop.ip;
		transfers->stopped_at = 0;
	} else {
		transfers->next.wakes_from = transfers->stopped_at;
		transfers->wakes++;
	}
}

static void give(struct transfers *transfers, enum transfer_kind kind,
		 const struct pt_packet_ip *packet, struct transfer *transfer)
{
	struct transfer *next = &transfers->next;

	next->kind = kind;
	next->to_known = take_ip(transfers, packet);
	next->to = transfers->last_ip;
	*transfer = *next;
	*next = (struct transfer){ .interrupts = transfer->interrupts,
				   .interrupts_before = transfer->interrupts };
}

/* Returns true if the packet completes @transfer. */
static bool take(struct transfers *transfers, const struct pt_packet *packet,
		 uint64_t offset, struct transfer *transfer)
{
	transfers->next.offset = offset;
	if (is_event(transfers->bytes + offset)) {
		take_event(transfers, transfers->bytes + offset);
		return false;
	}
	switch ((int)packet->type) {
	case ppt_psb:
		transfers->in_psb = true;
		transfers->last_ip = 0;
		return false;
	case ppt_psbend:
		transfers->in_psb = false;
		return false;
	case ppt_tip_pge:
		give(transfers, TRANSFER_BEGIN, &packet->payload.ip, transfer);
		return true;
	case ppt_tip:
		give(transfers, TRANSFER_JUMP, &packet->payload.ip, transfer);
		return true;
	case ppt_tip_pgd:
		give(transfers, TRANSFER_END, &packet->payload.ip, transfer);
		return true;
	case ppt_fup:
		take_fup(transfers, &packet->payload.ip);
		return false;
	case ppt_mode:
		take_mode(transfers, offset);
		return false;
	case ppt_pwre:
	case ppt_exstop:
	case ppt_pwrx:
		take_power(transfers, packet);
		return false;
	case ppt_tnt_8:
	case ppt_tnt_64:
		transfers->branches++;
		return false;
	case ppt_ovf:
		transfers->error = "an overflow";
		return false;
	case ppt_tsc:
		transfers->tsc = packet->payload.tsc.tsc;
		if (!transfers->first_tsc)
			transfers->first_tsc = transfers->tsc;
		return false;
	default:
		return false;
	}
}

int transfers_next(struct transfers *transfers, struct transfer *transfer)
{
	struct pt_packet packet;
	uint64_t offset;
	int status;

	while (!transfers->error) {
		pt_pkt_get_offset(transfers->decoder, &offset);
		status = pt_pkt_next(transfers->decoder, &packet,
				     sizeof(packet));
		if (status == -pte_eos)
			return 0;
		if (status < 0)
			transfers->error = pt_errstr(pt_errcode(status));
		else if (take(transfers, &packet, offset, transfer))
			return 1;
	}
	return 0;
}
