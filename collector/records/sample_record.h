/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SAMPLE_RECORD_H
#define KT_COLLECTOR_SAMPLE_RECORD_H

#include "common/byte_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;

/* Whose a sample is, and when it was taken. */
struct sample_origin {
	uint32_t pid; /* UINT32_MAX: nobody's */
	uint32_t tid;
	uint64_t time_ns; /* of the recording's clock */
	int cpu;
};

/* What it holds. */
struct sample_content {
	const void *bytes;
	size_t size;	/* a multiple of 8 */
	bool has_chain; /* the event's samples have call chains: an empty one */
};

/* Appends a sample to @records as the kernel writes one of @event, an event of
 * BPF output (event_spec_bpf_output()).
 */
void sample_record_add(struct byte_buffer *records, const struct event *event,
		       const struct sample_origin *origin,
		       const struct sample_content *content);

#endif
