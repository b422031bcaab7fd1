/* SPDX-License-Identifier: MIT */
#include "decoder/flow/packet_dump.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/coresight/feed_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 32, TEXT = 512 };

struct packet {
	uint64_t position;
	uint32_t size_bytes;
	char name[NAME];
	char text[sizeof(((struct packet_line *)0)->text)];
};

struct coresight_packet_dump {
	struct packet_dump base;
	struct coresight_feed feed;
	struct array packets; /* struct packet: found but not returned yet */
	size_t told;
	int error;
};

/* Splits OpenCSD's text of a packet, as "I_ATOM_F1 : Atom format 1.; E", into
 * its name and the rest.
 */
static void describe(struct packet *packet, const char *text)
{
	size_t length = strcspn(text, " :");

	snprintf(packet->name, sizeof(packet->name), "%.*s", (int)length, text);
	text += length;
	text += strspn(text, " :");
	snprintf(packet->text, sizeof(packet->text), "%s", text);
}

static void consume_packet(const void *ctx, const ocsd_datapath_op_t op,
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
	if (ocsd_pkt_str(coresight_tree_protocol(dump->feed.unit), found, text,
			 sizeof(text)) != OCSD_OK)
		snprintf(text, sizeof(text), "bad");
	packet->position = coresight_feed_position_at(&dump->feed, index);
	packet->size_bytes = size;
	describe(packet, text);
}

static int attach(void *ctx)
{
	struct coresight_packet_dump *dump = ctx;
	ocsd_err_t error = ocsd_dt_attach_packet_callback(
		dump->feed.tree.handle, dump->feed.tree.trace_id,
		OCSD_C_API_CB_PKT_MON, (void *)(uintptr_t)consume_packet, dump);

	return error == OCSD_OK ? 0 : -ERROR_UNSUPPORTED;
}

static const struct coresight_feed_events feed_events = { .attach = attach };

static int coresight_next(struct packet_dump *base, struct packet_line *line)
{
	struct coresight_packet_dump *dump =
		(struct coresight_packet_dump *)base;
	const struct packet *packet;

	while (dump->told == dump->packets.count) {
		int error;

		dump->packets.count = 0;
		dump->told = 0;
		if (coresight_feed_is_done(&dump->feed))
			return 0;
		error = coresight_feed_some(&dump->feed);
		if (error || dump->error)
			return error ? error : dump->error;
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

	coresight_feed_close(&dump->feed);
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
	dump->feed = (struct coresight_feed){
		.recording = recording,
		.stream = stream,
		.depth = CORESIGHT_PACKETS,
		.events = &feed_events,
		.ctx = dump,
	};
	dump->packets = ARRAY_OF(struct packet);
	*opened = &dump->base;
	return 0;
}

const struct packet_dump_ops coresight_packet_dump = {
	.open = coresight_open,
	.next = coresight_next,
	.close = coresight_close,
};
