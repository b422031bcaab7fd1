/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/flow/packet_dump_parts.h"
#include "decoder/intel_pt/packet_text.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/stream_bytes.h"

#include <intel-pt.h>
#include <stdbool.h>
#include <stdlib.h>

/* libipt's packet decoder, not our own reader: the dump is a referee for it. */
struct intel_packet_dump {
	struct packet_dump base;
	struct stream_bytes bytes;
	struct pt_packet_decoder *packets;
	bool at_end;		/* the last bytes were bad */
};

static int start(struct intel_packet_dump *dump)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = (uint8_t *)(uintptr_t)dump->bytes.bytes;
	config.end = config.begin + dump->bytes.size;
	dump->packets = pt_pkt_alloc_decoder(&config);
	if (!dump->packets)
		return -ERROR_MEMORY;
	if (pt_pkt_sync_set(dump->packets, 0) < 0)
		return -ERROR_FORMAT;
	return 0;
}

static void intel_close(struct packet_dump *base)
{
	struct intel_packet_dump *dump = (struct intel_packet_dump *)base;

	pt_pkt_free_decoder(dump->packets);
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
	if (!error && dump->bytes.size)
		error = start(dump);
	if (error) {
		intel_close(&dump->base);
		return error;
	}
	*opened = &dump->base;
	return 0;
}

/* Tells of the bytes up to the next PSB, or the end, as one bad packet. */
static void tell_bad(struct intel_packet_dump *dump, uint64_t from,
		     struct packet_line *line)
{
	uint64_t to = dump->bytes.size;

	if (pt_pkt_sync_forward(dump->packets) >= 0)
		pt_pkt_get_offset(dump->packets, &to);
	*line = (struct packet_line){
		.position = from,
		.size_bytes = (uint32_t)(to - from),
		.name = "bad",
	};
}

static int intel_next(struct packet_dump *base, struct packet_line *line)
{
	struct intel_packet_dump *dump = (struct intel_packet_dump *)base;
	struct pt_packet packet;
	uint64_t position = 0;
	int status;

	if (!dump->packets || dump->at_end)
		return 0;
	pt_pkt_get_offset(dump->packets, &position);
	status = pt_pkt_next(dump->packets, &packet, sizeof(packet));
	if (pt_errcode(status) == pte_eos &&
	    position >= dump->bytes.size)
		return 0;
	if (status < 0) {
		tell_bad(dump, position, line);
		if (position + line->size_bytes >= dump->bytes.size)
			dump->at_end = true;
		return 1;
	}
	line->position = position;
	line->size_bytes = packet.size;
	line->name = packet_name(&packet);
	packet_text(&packet, line->text, sizeof(line->text));
	return 1;
}

const struct packet_dump_ops intel_packet_dump = {
	.open = intel_open,
	.next = intel_next,
	.close = intel_close,
};
