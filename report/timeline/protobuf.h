/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROTOBUF_H
#define KT_REPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One protocol buffers message being written, of limited size.  Source: the
 * encoding page of the Protocol Buffers documentation.
 */
struct protobuf {
	uint8_t bytes[2048];
	size_t size;
	bool is_full;		/* something did not fit and was left out */
};

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value);
void protobuf_text(struct protobuf *message, uint32_t field, const char *text);
void protobuf_message(struct protobuf *message, uint32_t field,
		      const struct protobuf *inner);

#endif
