/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CODE_SAMPLE_H
#define KT_COLLECTOR_CODE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

struct event_list;
struct ring_bytes;

/* A sample of RING_CODE or RING_PATCHES: a change of the kernel's code, and its
 * time.
 */
enum code_sample_kind {
	CODE_SAMPLE_OTHER,
	CODE_SAMPLE_MODULE_LOAD, /* its code is complete; it starts next */
	CODE_SAMPLE_MODULE_FREE, /* it no longer runs */
	CODE_SAMPLE_BPF_COPY,	 /* the range is written from now on */
	CODE_SAMPLE_BPF_WIPE,	 /* the range is overwritten from now on */
	CODE_SAMPLE_BPF_DONE,	 /* this thread has finished all its writes */
};

struct code_sample {
	enum code_sample_kind kind;
	uint64_t time_ns;
	uint32_t tid;
	char module[64];
	uint64_t address; /* BPF */
	uint64_t size;
};

/* Parses the body of a sample, @size bytes at @place of @records, of an event
 * in @events. A sample of another event, or one that is too short, is
 * CODE_SAMPLE_OTHER.
 */
struct code_sample code_sample_read(const struct event_list *events,
				    const struct ring_bytes *records,
				    size_t place, size_t size);

#endif
