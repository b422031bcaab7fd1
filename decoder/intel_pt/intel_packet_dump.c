/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/flow/packet_dump_ops.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/intel_pt/intel_packet_text.h"
#include "decoder/recording/intel_psb.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/stream_bytes.h"

#include <stdlib.h>

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

	(void)recording;
	if (!dump)
		return -ERROR_MEMORY;
	error = stream_bytes_open(&dump->bytes, stream, NULL);
	if (error) {
		intel_close(&dump->base);
		return error;
	}
	*opened = &dump->base;
	return 0;
}

/* Returns the bytes up to the next PSB, or the end, as one bad packet. */
static void tell_bad(struct intel_packet_dump *dump, struct packet_line *line)
{
	size_t to = intel_psb_find(dump->bytes.bytes, dump->bytes.size,
				   dump->at + 1);

	line->size_bytes = (uint32_t)(to - dump->at);
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
		tell_bad(dump, line);
	}
	dump->at += line->size_bytes;
	return 1;
}

const struct packet_dump_ops intel_packet_dump = {
	.open = intel_open,
	.next = intel_next,
	.close = intel_close,
};
