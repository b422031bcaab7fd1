/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACE_RECORD_H
#define KT_COLLECTOR_TRACE_RECORD_H

#include "common/perf_data.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

/* The AUXTRACE record, which precedes trace: struct perf_record_auxtrace of
 * tools/lib/perf/include/perf/event.h.
 */
struct trace_record {
	struct perf_event_header header;
	uint64_t size;	 /* of the trace, a multiple of 8 */
	uint64_t offset; /* of its first byte, in the kernel's count */
	uint64_t reference;
	uint32_t index; /* of the ring */
	uint32_t thread;
	uint32_t cpu;
	uint32_t reserved;
};

/* Returns the record for @size bytes of trace, with offset 0, to be set by the
 * caller. The trace must be padded with zeros to the record's size. One of @cpu
 * and @thread is -1.
 */
static inline struct trace_record trace_record_of(uint32_t index, int32_t cpu,
						  int32_t thread, size_t size)
{
	return (struct trace_record){
		.header = { PERF_DATA_AUXTRACE, 0,
			    sizeof(struct trace_record) },
		.size = size + (8 - size % 8) % 8,
		.index = index,
		.thread = (uint32_t)thread,
		.cpu = (uint32_t)cpu,
	};
}

/* Returns the reference of AUXTRACE record @number, in the format of perf
 * record: on x86 the TSC, with which perf completes the 56 bits of TSC packets
 * (intel_pt_reference() in tools/perf/arch/x86/util/intel-pt.c); elsewhere any
 * number that differs between records (cs_etm_reference() in
 * tools/perf/arch/arm/util/cs-etm.c).
 */
static inline uint64_t trace_reference(uint64_t number)
{
#if defined(__x86_64__) || defined(__i386__)
	(void)number;
	return __rdtsc();
#else
	return number;
#endif
}

#endif
