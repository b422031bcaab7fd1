/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "decoder/coresight_frame.h"
#include "decoder/coresight_tree.h"
#include "decoder/packet_dump_parts.h"
#include "decoder/recording_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of trace that are taken apart at one go. */
enum { CHUNK = 4096, NAME = 32, TEXT = 512 };

struct packet {
	uint64_t position;
	uint32_t size_bytes;
	char name[NAME];
	char text[sizeof(((struct packet_line *)0)->text)];
};

struct coresight_packet_dump {
	struct packet_dump base;
	const struct recording *recording;
	const struct aux_stream *stream;
	struct coresight_tree tree;
	const struct coresight_unit *unit;
	size_t piece;
	uint64_t piece_start;
	size_t piece_done;
	struct array packets;	/* struct packet: found, not yet told of */
	size_t told;
	int error;
};

/* OpenCSD writes "I_ATOM_F1 : Atom format 1.; E". */
static void describe(struct packet *packet, const char *text)
{
	size_t length = strcspn(text, " :");

	snprintf(packet->name, sizeof(packet->name), "%.*s", (int)length,
		 text);
	text += length;
	text += strspn(text, " :");
	snprintf(packet->text, sizeof(packet->text), "%s", text);
}

static void take_packet(const void *ctx, const ocsd_datapath_op_t op,
			const ocsd_trc_index_t index, const void *found,
			const uint32_t size, const uint8_t *bytes)
{
	struct coresight_packet_dump *dump =
		(struct coresight_packet_dump *)(uintptr_t)ctx;
	struct packet *packet;
	char text[TEXT];

	(void)bytes;
	if (op != OCSD_OP_DATA)
		return;
	packet = array_add(&dump->packets);
	if (!packet) {
		dump->error = -ERROR_MEMORY;
		return;
	}
	if (ocsd_pkt_str(coresight_tree_protocol(dump->unit), found, text,
			 sizeof(text)) != OCSD_OK)
		snprintf(text, sizeof(text), "bad");
	packet->position = index;
	packet->size_bytes = size;
	describe(packet, text);
}

static const struct aux_piece *piece_now(const struct coresight_packet_dump *dump)
{
	return &dump->stream->pieces[dump->piece];
}

static int begin_piece(struct coresight_packet_dump *dump)
{
	const struct aux_piece *piece = piece_now(dump);
	const struct coresight_unit *unit =
		array_at(&dump->recording->coresight_units, piece->unit);
	int error;

	if (unit == dump->unit) {
		if (piece->begins_anew)
			ocsd_dt_process_data(dump->tree.handle, OCSD_OP_RESET,
					     0, 0, NULL, NULL);
		return 0;
	}
	coresight_tree_close(&dump->tree);
	dump->unit = unit;
	error = coresight_tree_open(&dump->tree, unit, piece->is_formatted,
				    CORESIGHT_PACKETS);
	if (!error &&
	    ocsd_dt_attach_packet_callback(dump->tree.handle,
					   dump->tree.trace_id,
					   OCSD_C_API_CB_PKT_MON,
					   (void *)(uintptr_t)take_packet,
					   dump) != OCSD_OK)
		error = -ERROR_MEMORY;
	return error;
}

/* OpenCSD goes on behind what it cannot read by itself, as a rule. */
static void read_chunk(struct coresight_packet_dump *dump, size_t usable)
{
	const struct aux_piece *piece = piece_now(dump);
	size_t size = usable - dump->piece_done;
	ocsd_datapath_resp_t response;
	uint32_t used = 0;

	if (size > CHUNK)
		size = CHUNK;
	response = ocsd_dt_process_data(
		dump->tree.handle, OCSD_OP_DATA,
		dump->piece_start + dump->piece_done, (uint32_t)size,
		piece->bytes + dump->piece_done, &used);
	if (OCSD_DATA_RESP_IS_FATAL(response) || !used) {
		ocsd_dt_process_data(dump->tree.handle, OCSD_OP_RESET, 0, 0,
				     NULL, NULL);
		used = (used / CORESIGHT_FRAME_SIZE + 1) *
		       CORESIGHT_FRAME_SIZE;
	}
	dump->piece_done += used;
}

static void end_piece(struct coresight_packet_dump *dump)
{
	const struct aux_piece *piece = piece_now(dump);
	bool is_last = dump->piece + 1 == dump->stream->piece_count;

	if (is_last || piece[1].begins_anew)
		ocsd_dt_process_data(dump->tree.handle, OCSD_OP_EOT, 0, 0,
				     NULL, NULL);
	dump->piece_start += piece->size_bytes;
	dump->piece_done = 0;
	dump->piece++;
}

static int read_more(struct coresight_packet_dump *dump)
{
	const struct aux_piece *piece = piece_now(dump);
	size_t usable = piece->size_bytes;
	int error = 0;

	if (piece->is_formatted)
		usable -= usable % CORESIGHT_FRAME_SIZE;
	if (!dump->piece_done)
		error = begin_piece(dump);
	if (error)
		return error;
	if (dump->piece_done < usable)
		read_chunk(dump, usable);
	if (dump->piece_done >= usable)
		end_piece(dump);
	return dump->error;
}

static int coresight_next(struct packet_dump *base, struct packet_line *line)
{
	struct coresight_packet_dump *dump =
		(struct coresight_packet_dump *)base;
	const struct packet *packet;

	while (dump->told == dump->packets.count) {
		int error;

		dump->packets.count = 0;
		dump->told = 0;
		if (dump->piece == dump->stream->piece_count)
			return 0;
		error = read_more(dump);
		if (error)
			return error;
	}
	packet = array_at(&dump->packets, dump->told++);
	line->position = packet->position;
	line->size_bytes = packet->size_bytes;
	line->name = packet->name;
	memcpy(line->text, packet->text, sizeof(line->text));
	return 1;
}

static void coresight_close(struct packet_dump *base)
{
	struct coresight_packet_dump *dump =
		(struct coresight_packet_dump *)base;

	coresight_tree_close(&dump->tree);
	array_free(&dump->packets);
	free(dump);
}

static int coresight_open(const struct recording *recording,
			  const struct aux_stream *stream,
			  struct packet_dump **opened)
{
	struct coresight_packet_dump *dump = calloc(1, sizeof(*dump));

	if (!dump)
		return -ERROR_MEMORY;
	dump->recording = recording;
	dump->stream = stream;
	dump->packets = ARRAY_OF(struct packet);
	*opened = &dump->base;
	return 0;
}

const struct packet_dump_ops coresight_packet_dump = {
	.open = coresight_open,
	.next = coresight_next,
	.close = coresight_close,
};
