/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_out.h"

#include "common/error.h"

#include <stdlib.h>
#include <zlib.h>

/* protos/perfetto/trace/{trace,trace_packet}.proto: such a packet has to stay
 * below 512 KB.
 */
enum { TRACE_PACKET = 1, PACKET_COMPRESSED_PACKETS = 50 };
enum { RAW_BYTES = 1 << 18, LEVEL = 6 };

struct perfetto_out perfetto_out_of(FILE *out)
{
	struct perfetto_out perfetto = {
		.out = out,
		.raw = malloc(RAW_BYTES),
	};

	perfetto.status = perfetto.raw ? 0 : -ERROR_MEMORY;
	return perfetto;
}

static void write_all(struct perfetto_out *out, const void *bytes, size_t size)
{
	out->bytes += fwrite(bytes, 1, size, out->out);
}

/* Writes @size compressed bytes as a packet. */
static void write_compressed(struct perfetto_out *out, const uint8_t *bytes,
			     size_t size)
{
	uint8_t inner[PROTOBUF_HEAD_MOST];
	uint8_t outer[PROTOBUF_HEAD_MOST];
	size_t head = protobuf_head(inner, PACKET_COMPRESSED_PACKETS, size);

	write_all(out, outer, protobuf_head(outer, TRACE_PACKET, head + size));
	write_all(out, inner, head);
	write_all(out, bytes, size);
}

static void flush(struct perfetto_out *out)
{
	uLongf size = compressBound(out->size);
	uint8_t *bytes = out->size ? malloc(size) : NULL;

	if (bytes &&
	    compress2(bytes, &size, out->raw, out->size, LEVEL) == Z_OK)
		write_compressed(out, bytes, size);
	else if (out->size)
		out->status = -ERROR_MEMORY;
	free(bytes);
	out->size = 0;
}

void perfetto_out_end(struct perfetto_out *out)
{
	flush(out);
	free(out->raw);
	out->raw = NULL;
}

void perfetto_out_packet(struct perfetto_out *out,
			 const struct protobuf *packet)
{
	if (!out->raw)
		return;
	if (out->size + PROTOBUF_HEAD_MOST + packet->size > RAW_BYTES)
		flush(out);
	out->size +=
		protobuf_head(out->raw + out->size, TRACE_PACKET, packet->size);
	memcpy(out->raw + out->size, packet->bytes, packet->size);
	out->size += packet->size;
}
