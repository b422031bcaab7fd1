/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SAMPLE_RECORD_H
#define KT_COLLECTOR_SAMPLE_RECORD_H

#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;

/* The thread and the time of a sample. */
struct sample_origin {
	uint32_t pid; /* UINT32_MAX: no process */
	uint32_t tid;
	uint64_t time_ns; /* of the recording's clock */
	int cpu;
};

/* The raw data of a sample. */
struct sample_content {
	const void *bytes;
	size_t size; /* a multiple of 8 */
	/* the event's samples have call chains: add an empty one */
	bool has_chain;
};

/* Appends a sample to @records in the format in which the kernel writes one of
 * @event, an event of BPF output (event_spec_bpf_output()).
 */
void sample_record_add(struct byte_buffer *records, const struct event *event,
		       const struct sample_origin *origin,
		       const struct sample_content *content);

#endif
