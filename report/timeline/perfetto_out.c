/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_out.h"

#include "common/error.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* protos/perfetto/trace/trace_packet.proto: such a packet must be smaller than
 * 512 KB.
 */
enum { PACKET_COMPRESSED_PACKETS = 50 };

/* The fastest level: half of zlib's time on these packets, with larger output.
 */
enum { LEVEL = 1 };

static void free_all(struct perfetto_out *out)
{
	libdeflate_free_compressor(out->compressor);
	free(out->raw);
	free(out->compressed);
	out->compressor = NULL;
	out->raw = NULL;
	out->compressed = NULL;
	out->room = 0;
}

struct perfetto_out perfetto_out_of(FILE *out)
{
	struct perfetto_out perfetto = {
		.out = out,
		.compressor = libdeflate_alloc_compressor(LEVEL),
		.raw = malloc(PERFETTO_RAW_BYTES),
	};

	if (perfetto.raw && perfetto.compressor)
		return perfetto;
	free_all(&perfetto);
	perfetto.status = -ERROR_MEMORY;
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

/* Grows the buffer as needed: a short trace has one short packet. */
static bool make_room(struct perfetto_out *out, size_t size)
{
	if (size <= out->room)
		return true;
	free(out->compressed);
	out->compressed = malloc(size);
	out->room = out->compressed ? size : 0;
	return out->compressed;
}

void perfetto_out_flush(struct perfetto_out *out)
{
	size_t room;

	if (!out->size)
		return;
	room = libdeflate_zlib_compress_bound(out->compressor, out->size);
	if (make_room(out, room))
		write_compressed(out, out->compressed,
				 libdeflate_zlib_compress(
					 out->compressor, out->raw, out->size,
					 out->compressed, room));
	else
		out->status = -ERROR_MEMORY;
	out->size = 0;
}

void perfetto_out_end(struct perfetto_out *out)
{
	perfetto_out_flush(out);
	free_all(out);
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

void perfetto_put_comm(struct protobuf *message, uint32_t field,
		       const struct task_names *names,
		       struct perfetto_comm comm)
{
	enum { COMM_BYTES = 32 };
	char text[COMM_BYTES * NAME_GROWTH];
	char name[COMM_BYTES];

	if (comm.tid)
		snprintf(name, sizeof(name), "%s",
			 task_names_comm(names, comm.tid, comm.time_ns));
	else
		snprintf(name, sizeof(name), "swapper/%u", comm.cpu);
	protobuf_bytes(message, field, text,
		       name_text(text, NAME_UTF8, name, strlen(name)));
}
