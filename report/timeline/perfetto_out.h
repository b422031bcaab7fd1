/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_OUT_H
#define KT_REPORT_PERFETTO_OUT_H

#include "report/timeline/protobuf.h"

#include <stdint.h>
#include <stdio.h>

/* Perfetto's packets on their way to a file, many of them compressed into one
 * (TracePacket.compressed_packets, zlib's format): most of what they say, the
 * one before them said, too.
 */
struct perfetto_out {
	FILE *out; /* borrowed */
	uint8_t *raw;
	size_t size;	/* of raw */
	uint64_t bytes; /* written */
	int status;	/* 0, or -ERROR_MEMORY: packets are missing */
};

/* Returns what writes to @out; with status set when out of memory. */
struct perfetto_out perfetto_out_of(FILE *out);

/* Writes what is left and frees all but @out's FILE. */
void perfetto_out_end(struct perfetto_out *out);

void perfetto_out_packet(struct perfetto_out *out,
			 const struct protobuf *packet);

#endif
