/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_PERF_LAYOUT_H
#define KT_MACHINE_TESTS_PERF_LAYOUT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The records of a perf.data file in their on-disk layout, and a function that
 * iterates over them.
 */
enum {
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_TIME_CONV = 79,
	AUX_FLAG_TRUNCATED = 1,
};

/* auxtrace_info_record.type */
enum { AUXTRACE_CORESIGHT = 3 };

/* Indices into auxtrace_info_record.priv, tools/perf/util/intel-pt.h */
enum {
	INFO_PMU_TYPE = 0,
	INFO_TIME_SHIFT = 1,
	INFO_TIME_MULT = 2,
	INFO_TIME_ZERO = 3,
	INFO_MTC = 10,
	INFO_MTC_FREQ_BITS = 11,
	INFO_CTC_NUMERATOR = 12,
	INFO_CTC_DENOMINATOR = 13,
	INFO_CYC = 14,
	INFO_NONTURBO_RATIO = 15,
	INFO_FILTER_SIZE = 16,
	INFO_FILTER = 17,
};

struct auxtrace_info_record {
	struct perf_event_header header;
	uint32_t type;
	uint32_t reserved;
	uint64_t priv[];
};

/* Followed by @size bytes of trace, which header.size does not include. */
struct auxtrace_record {
	struct perf_event_header header;
	uint64_t size;
	uint64_t offset;
	uint64_t reference;
	uint32_t index;
	uint32_t tid;
	uint32_t cpu;
	uint32_t reserved;
};

struct time_conv_record {
	struct perf_event_header header;
	uint64_t shift;
	uint64_t mult;
	uint64_t zero;
};

struct aux_record {
	struct perf_event_header header;
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
};

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t length;
	uint64_t file_offset;
	uint8_t file_id[24];
	uint32_t prot;
	uint32_t flags;
	char path[];
};

struct text_poke_record {
	struct perf_event_header header;
	uint64_t address;
	uint16_t old_size;
	uint16_t new_size;
	uint8_t bytes[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

struct itrace_start_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
};

struct perf_walk {
	const uint8_t *at;
	const uint8_t *end;
	bool cut; /* the last record is incomplete */
};

/* Returns false if @file is not a perf.data file in this machine's byte order.
 */
bool perf_walk_start(struct perf_walk *walk, const uint8_t *file, size_t size);
/* Returns the next record, or NULL at the end. */
const struct perf_event_header *perf_walk_next(struct perf_walk *walk);

/* Reads the file's attribute @index; missing fields become 0. Returns false if
 * there is no such attribute.
 */
bool perf_attr(const uint8_t *file, uint32_t index,
	       struct perf_event_attr *attr);

/* The fields that sample_id_all appends to a kernel record; absent ones are 0.
 */
struct sample_id {
	uint64_t time;
	uint32_t cpu;
};

struct sample_id perf_sample_id(const uint8_t *file,
				const struct perf_event_header *header);

#endif
