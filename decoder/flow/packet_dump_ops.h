/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PACKET_DUMP_OPS_H
#define KT_DECODER_PACKET_DUMP_OPS_H

#include "decoder/flow/packet_dump.h"

/* The functions of packet_dump.h for one kind of trace hardware. */
struct packet_dump_ops {
	int (*open)(const struct recording *recording,
		    const struct aux_stream *stream, struct packet_dump **dump);
	int (*next)(struct packet_dump *dump, struct packet_line *line);
	void (*close)(struct packet_dump *dump);
};

struct packet_dump {
	const struct packet_dump_ops *ops;
};

extern const struct packet_dump_ops intel_packet_dump;
extern const struct packet_dump_ops coresight_packet_dump;

#endif
