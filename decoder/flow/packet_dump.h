/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_FLOW_PACKET_DUMP_H
#define KT_DECODER_FLOW_PACKET_DUMP_H

#include <stdint.h>

struct aux_stream;
struct recording;

/* An iterator over the packets of one stream, for printing. */
struct packet_dump;

struct packet_line {
	uint64_t position; /* in the stream's recorded bytes, from 0 */
	uint32_t size_bytes;
	const char *name; /* "tnt", "tip.pge" … ; "bad" if not a packet */
	char text[80];	  /* the payload */
};

/* Opens the packets of @stream; borrows @recording and @stream. Returns 0 and
 * *@dump; -ERROR_UNSUPPORTED for trace hardware whose packets are unknown;
 * -ERROR_MEMORY; or -ERROR_SYSTEM if the stream's slices cannot be joined in a
 * temporary file, with the reason in the recording's log.
 */
int packet_dump_open(const struct recording *recording,
		     const struct aux_stream *stream,
		     struct packet_dump **dump);

/* Returns 1 and @line, valid until the next call; 0 at the end; or a negative
 * enum error. After a bad packet the next line is the next sync point.
 */
int packet_dump_next(struct packet_dump *dump, struct packet_line *line);

void packet_dump_close(struct packet_dump *dump);

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
