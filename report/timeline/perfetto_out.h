/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_OUT_H
#define KT_REPORT_PERFETTO_OUT_H

#include "report/timeline/protobuf.h"

#include <stdint.h>
#include <stdio.h>

struct libdeflate_compressor;

/* Writes Perfetto's packets to a file, many of them compressed into one
 * (TracePacket.compressed_packets, zlib's format), since most of their contents
 * repeat from packet to packet.
 */
struct perfetto_out {
	FILE *out; /* borrowed */
	struct libdeflate_compressor *compressor;
	uint8_t *raw;
	uint8_t *compressed; /* NULL until first needed */
	size_t room;	     /* size of compressed */
	size_t size;	     /* used bytes of raw */
	uint64_t bytes;	     /* written to out */
	int status;	     /* 0, or -ERROR_MEMORY: packets are missing */
};

/* protos/perfetto/trace/trace.proto; and the size of the buffer of uncompressed
 * packets.
 */
enum { TRACE_PACKET = 1, PERFETTO_RAW_BYTES = 1 << 18 };

/* Returns a writer to @out; its status is set when out of memory. */
struct perfetto_out perfetto_out_of(FILE *out);

/* Writes the buffered packets and frees all except @out's FILE. */
void perfetto_out_end(struct perfetto_out *out);

void perfetto_out_packet(struct perfetto_out *out,
			 const struct protobuf *packet);

/* Writes all packets so far to the file. */
void perfetto_out_flush(struct perfetto_out *out);

/* Returns a buffer for a packet of up to @most bytes, including TRACE_PACKET's
 * key and size, or NULL. The caller writes the packet and then calls
 * perfetto_out_took().
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
