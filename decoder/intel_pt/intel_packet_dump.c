/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_packet_dump_internal.h"

#include "common/error.h"
#include "decoder/flow/packet_dump.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the packet's name as in the manual and perf, in lower case. */
static const char *intel_packet_name(const struct intel_packet *packet)
{
	static const char *const names[INTEL_PACKET_KINDS] = {
		[INTEL_PACKET_PAD] = "pad",
		[INTEL_PACKET_TNT] = "tnt",
		[INTEL_PACKET_TIP] = "tip",
		[INTEL_PACKET_TIP_PGE] = "tip.pge",
		[INTEL_PACKET_TIP_PGD] = "tip.pgd",
		[INTEL_PACKET_FUP] = "fup",
		[INTEL_PACKET_TSC] = "tsc",
		[INTEL_PACKET_TMA] = "tma",
		[INTEL_PACKET_MTC] = "mtc",
		[INTEL_PACKET_CYC] = "cyc",
		[INTEL_PACKET_CBR] = "cbr",
		[INTEL_PACKET_PSB] = "psb",
		[INTEL_PACKET_PSBEND] = "psbend",
		[INTEL_PACKET_OVF] = "ovf",
		[INTEL_PACKET_MODE] = "mode",
		[INTEL_PACKET_PIP] = "pip",
		[INTEL_PACKET_PTW] = "ptw",
		[INTEL_PACKET_CFE] = "cfe",
		[INTEL_PACKET_EVD] = "evd",
		[INTEL_PACKET_TRIG] = "trig",
		[INTEL_PACKET_VMCS] = "vmcs",
		[INTEL_PACKET_STOP] = "stop",
		[INTEL_PACKET_MNT] = "mnt",
		[INTEL_PACKET_EXSTOP] = "exstop",
		[INTEL_PACKET_MWAIT] = "mwait",
		[INTEL_PACKET_PWRE] = "pwre",
		[INTEL_PACKET_PWRX] = "pwrx",
		[INTEL_PACKET_BBP] = "bbp",
		[INTEL_PACKET_BIP] = "bip",
		[INTEL_PACKET_BEP] = "bep",
	};

	if (packet->kind == INTEL_PACKET_TNT && packet->size > 1)
		return "tnt.long";
	return names[packet->kind];
}

/* Writes the branches of a TNT, the oldest first, as perf and libipt's tools
 * do.
 */
static void tnt_text(const struct intel_packet *packet, char *text, size_t size)
{
	size_t at = 0;

	for (unsigned int bit = packet->bits; bit-- && at + 1 < size; at++)
		text[at] = packet->payload >> bit & 1 ? 'T' : 'N';
	text[at] = '\0';
}

static void address_text(const struct intel_packet *packet, char *text,
			 size_t size)
{
	if (packet->size == 1)
		snprintf(text, size, "no address");
	else
		snprintf(text, size, "0x%" PRIx64 " ipc=%u", packet->payload,
			 packet->compression);
}

static void mode_text(uint64_t payload, char *text, size_t size)
{
	if (payload >> 5 == 0)
		snprintf(text, size, "exec %d-bit%s",
			 payload & 1 ? 64 :
			 payload & 2 ? 32 :
				       16,
			 payload & 4 ? " if" : "");
	else if (payload >> 5 == 1)
		snprintf(text, size, "tsx intx=%d abort=%d", (int)(payload & 1),
			 (int)(payload >> 1 & 1));
}

static void trig_text(const struct intel_packet *packet, char *text,
		      size_t size)
{
	int at = snprintf(text, size, "trbv=0x%x",
			  (int)(packet->payload & 0xff));

	if (packet->size > 3)
		at += snprintf(text + at, size - (size_t)at, " icnt=%d",
			       (int)(packet->payload >> 8));
	snprintf(text + at, size - (size_t)at, "%s%s",
		 packet->detail & 0x20 ? " mult" : "",
		 packet->is_followed ? " with fup" : "");
}

static const char *followed(const struct intel_packet *packet)
{
	return packet->is_followed ? " with fup" : "";
}

/* Writes the payload of packets with one number, or none. */
static void payload_text(const struct intel_packet *packet, char *text,
			 size_t size)
{
	uint64_t payload = packet->payload;

	switch (packet->kind) {
	case INTEL_PACKET_CYC:
	case INTEL_PACKET_CBR:
		snprintf(text, size, "%" PRIu64, payload);
		break;
	case INTEL_PACKET_VMCS:
		snprintf(text, size, "0x%" PRIx64, payload << 12);
		break;
	case INTEL_PACKET_EXSTOP:
	case INTEL_PACKET_BEP:
		snprintf(text, size, "%s",
			 packet->is_followed ? "with fup" : "");
		break;
	case INTEL_PACKET_TSC:
	case INTEL_PACKET_MTC:
	case INTEL_PACKET_MNT:
	case INTEL_PACKET_PWRE:
	case INTEL_PACKET_PWRX:
	case INTEL_PACKET_PTW:
		snprintf(text, size, "0x%" PRIx64 "%s", payload,
			 followed(packet));
		break;
	default:
		break;
	}
}

void intel_packet_text(const struct intel_packet *packet, char *text,
		       size_t size)
{
	uint64_t payload = packet->payload;

	text[0] = '\0';
	switch (packet->kind) {
	case INTEL_PACKET_TNT:
		tnt_text(packet, text, size);
		break;
	case INTEL_PACKET_TIP:
	case INTEL_PACKET_TIP_PGE:
	case INTEL_PACKET_TIP_PGD:
	case INTEL_PACKET_FUP:
		address_text(packet, text, size);
		break;
	case INTEL_PACKET_MODE:
		mode_text(payload, text, size);
		break;
	case INTEL_PACKET_TRIG:
		trig_text(packet, text, size);
		break;
	case INTEL_PACKET_PIP:
		snprintf(text, size, "cr3=0x%" PRIx64 "%s", payload >> 1 << 5,
			 payload & 1 ? " guest" : "");
		break;
	case INTEL_PACKET_TMA:
		snprintf(text, size, "ctc=0x%x fc=0x%x",
			 (unsigned int)(payload & 0xffff),
			 (unsigned int)(payload >> 16));
		break;
	case INTEL_PACKET_MWAIT:
		snprintf(text, size, "hints=0x%x extensions=0x%x",
			 (unsigned int)payload, (unsigned int)(payload >> 32));
		break;
	case INTEL_PACKET_CFE:
		snprintf(text, size, "type=%u vector=%u%s",
			 (unsigned int)(payload & 0x1f),
			 (unsigned int)(payload >> 8), followed(packet));
		break;
	case INTEL_PACKET_EVD:
	case INTEL_PACKET_BBP:
	case INTEL_PACKET_BIP:
		snprintf(text, size, "%s=%u 0x%" PRIx64,
			 packet->kind == INTEL_PACKET_BIP ? "number" : "type",
			 packet->detail, payload);
		break;
	default:
		payload_text(packet, text, size);
		break;
	}
}

struct intel_packet_dump {
	struct packet_dump base;
	struct stream_bytes bytes;
	struct intel_packet_context context;
	size_t at; /* position of the next packet */
};

static void intel_close(struct packet_dump *base)
{
	struct intel_packet_dump *dump = (struct intel_packet_dump *)base;

	stream_bytes_close(&dump->bytes);
	free(dump);
}

static int intel_open(const struct recording *recording,
		      const struct aux_stream *stream,
		      struct packet_dump **opened)
{
	struct intel_packet_dump *dump = calloc(1, sizeof(*dump));
	int error;

	if (!dump)
		return -ERROR_MEMORY;
	error = stream_bytes_open(&dump->bytes, stream,
				  recording_log(recording));
	if (error) {
		intel_close(&dump->base);
		return error;
	}
	*opened = &dump->base;
	return 0;
}

/* Sets @line to the bytes up to the next PSB, or the end, as one bad packet. */
static void set_bad(struct intel_packet_dump *dump, struct packet_line *line)
{
	size_t size = intel_psb_find(dump->bytes.bytes, dump->bytes.size,
				     dump->at + 1) -
		      dump->at;

	line->size_bytes = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	line->name = "bad";
	line->text[0] = '\0';
}

static int intel_next(struct packet_dump *base, struct packet_line *line)
{
	struct intel_packet_dump *dump = (struct intel_packet_dump *)base;
	size_t left = dump->bytes.size - dump->at;
	struct intel_packet packet;

	if (!left)
		return 0;
	line->position = dump->at;
	if (intel_packet_read_in(&dump->context, dump->bytes.bytes + dump->at,
				 left, &packet) > 0) {
		line->size_bytes = packet.size;
		line->name = intel_packet_name(&packet);
		intel_packet_text(&packet, line->text, sizeof(line->text));
	} else {
		set_bad(dump, line);
	}
	dump->at += line->size_bytes;
	return 1;
}

const struct packet_dump_ops intel_packet_dump = {
	.open = intel_open,
	.next = intel_next,
	.close = intel_close,
};
