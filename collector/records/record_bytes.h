/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDS_RECORD_BYTES_H
#define KT_COLLECTOR_RECORDS_RECORD_BYTES_H

/* Makes records in the kernel's format, for facts that the kernel does not
 * write itself: the state at the start, losses, and hits of triggers. Also
 * parses the samples that report changes of the kernel's code.
 *
 * 1. A record is begun and ended in a buffer; its size, a multiple of 8, is
 *    known and written at the end.
 * 2. A record of an event has the fields of that event's attr at the positions
 *    that the kernel uses, so that readers need no second parser.
 *
 * A buffer that ran out of memory stays marked as failed; its owner checks that
 * once. Source of formats: include/uapi/linux/perf_event.h of Linux.
 */

#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct event_list;
struct ring_bytes;

/* Starts a record of @type in @bytes. Returns its offset. */
size_t record_begin(struct byte_buffer *bytes, uint32_t type, uint16_t misc);

/* Ends the record at offset @position: writes its size, a multiple of 8, into
 * its header.
 */
void record_end(struct byte_buffer *bytes, size_t position);

/* Like record_end(), but first appends the fields that attr.sample_id_all adds
 * to the kernel's own records, all zero: time 0, before all other records.
 */
void record_end_sample_id(struct byte_buffer *bytes, size_t position);

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

/* Appends an AUX record like the kernel's: trace of @event's CPU was lost after
 * @offset, which was reached at @time_ns.
 */
void loss_record_add(struct byte_buffer *bytes, const struct event *event,
		     uint64_t offset, uint64_t time_ns);

/* Appends a LOST record like the kernel's: @count records of @event's CPU were
 * lost before @time_ns.
 */
void loss_record_add_records(struct byte_buffer *bytes,
			     const struct event *event, uint64_t count,
			     uint64_t time_ns);

/* A sample of RING_CODE or RING_PATCHES: a change of the kernel's code, and its
 * time.
 */
enum code_sample_kind {
	CODE_SAMPLE_OTHER,
	/* its code is complete; its init code runs next */
	CODE_SAMPLE_MODULE_LOAD,
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
	uint64_t address; /* the range: CODE_SAMPLE_BPF_COPY, _WIPE */
	uint64_t size;
};

/* Parses the body of a sample, @size bytes at @position of @records, of an
 * event in @events. A sample of another event, or one that is too short, is
 * CODE_SAMPLE_OTHER.
 */
struct code_sample code_sample_read(const struct event_list *events,
				    const struct ring_bytes *records,
				    size_t position, size_t size);

#endif
