/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_OUT_H
#define KT_REPORT_PERFETTO_OUT_H

#include "report/timeline/protobuf.h"

#include <stdint.h>
#include <stdio.h>

struct libdeflate_compressor;

/* Perfetto's packets on their way to a file, many of them compressed into one
 * (TracePacket.compressed_packets, zlib's format): most of what they say, the
 * one before them said, too.
 */
struct perfetto_out {
	FILE *out; /* borrowed */
	struct libdeflate_compressor *compressor;
	uint8_t *raw;
	uint8_t *compressed; /* NULL before the first */
	size_t room;	     /* of it */
	size_t size;	     /* of raw */
	uint64_t bytes;	     /* written */
	int status;	     /* 0, or -ERROR_MEMORY: packets are missing */
};

/* protos/perfetto/trace/trace.proto; and how many bytes wait to be compressed. */
enum { TRACE_PACKET = 1, PERFETTO_RAW_BYTES = 1 << 18 };

/* Returns what writes to @out; with status set when out of memory. */
struct perfetto_out perfetto_out_of(FILE *out);

/* Writes what is left and frees all but @out's FILE. */
void perfetto_out_end(struct perfetto_out *out);

void perfetto_out_packet(struct perfetto_out *out,
			 const struct protobuf *packet);

/* Writes all packets so far to the file. */
void perfetto_out_flush(struct perfetto_out *out);

/* Returns where a packet of up to @most bytes, TRACE_PACKET's key and size with
 * it, is to be written, which perfetto_out_took() then says that it was; NULL:
 * nowhere.
 */
static inline uint8_t *perfetto_out_room(struct perfetto_out *out, size_t most)
{
	if (!out->raw)
		return NULL;
	if (out->size + most > PERFETTO_RAW_BYTES)
		perfetto_out_flush(out);
	return out->raw + out->size;
}

static inline void perfetto_out_took(struct perfetto_out *out,
				     const uint8_t *end)
{
	out->size = (size_t)(end - out->raw);
}

#endif
