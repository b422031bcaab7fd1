/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_out.h"

#include "common/error.h"
#include "report/deflate/zlib_writer.h"

#include <stdlib.h>

/* protos/perfetto/trace/trace_packet.proto: such a packet has to stay below
 * 512 KB.
 */
enum { PACKET_COMPRESSED_PACKETS = 50 };

struct perfetto_out perfetto_out_of(FILE *out)
{
	struct perfetto_out perfetto = {
		.out = out,
		.zlib = zlib_writer_new(PERFETTO_RAW_BYTES),
		.raw = malloc(PERFETTO_RAW_BYTES),
	};

	if (perfetto.zlib && perfetto.raw)
		return perfetto;
	zlib_writer_free(perfetto.zlib);
	free(perfetto.raw);
	return (struct perfetto_out){ .status = -ERROR_MEMORY };
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

void perfetto_out_flush(struct perfetto_out *out)
{
	const uint8_t *bytes;
	size_t size;

	if (!out->size)
		return;
	bytes = zlib_writer_compress(out->zlib, out->raw, out->size, &size);
	write_compressed(out, bytes, size);
	out->size = 0;
}

void perfetto_out_end(struct perfetto_out *out)
{
	perfetto_out_flush(out);
	zlib_writer_free(out->zlib);
	free(out->raw);
	out->raw = NULL;
	out->zlib = NULL;
}

void perfetto_out_packet(struct perfetto_out *out,
			 const struct protobuf *packet)
{
	uint8_t *at = perfetto_out_room(out, PROTOBUF_HEAD_MOST + packet->size);

	if (!at)
		return;
	at += protobuf_head(at, TRACE_PACKET, packet->size);
	memcpy(at, packet->bytes, packet->size);
	perfetto_out_took(out, at + packet->size);
}
