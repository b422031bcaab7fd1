/* SPDX-License-Identifier: MIT */
#include "serve/serve_message.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

/* Messages from a program to the service, and from the service to a program:
 * the first byte is the number of received descriptors.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	union serve_reply reply;
	struct serve_trace trace;
	size_t descriptors;

	if (!size)
		return 0;
	descriptors = *bytes++;
	size--;
	if (!serve_request_read(bytes, size, &trace))
		assert(trace.tid > 0 && trace.buffer_bytes);
	if (size > sizeof(reply))
		return 0;
	memcpy(&reply, bytes, size);
	if (serve_reply_check(&reply, size, descriptors))
		return 0;
	if (reply.head.kind == SERVE_REFUSED)
		assert(strlen(reply.refused.text) < SERVE_TEXT);
	if (reply.head.kind == SERVE_EVENTS)
		assert(serve_events_size(&reply.events) == size);
	return 0;
}
