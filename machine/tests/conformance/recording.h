/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_RECORDING_H
#define KT_MACHINE_TESTS_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of a perf.data directory made by `perf record --kcore` that
 * decoding needs. This is an independent reader, so that the conformance tests
 * share no code with decoder/.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt and
 * tools/perf/util/{event,auxtrace,intel-pt}.h in Linux.
 */
enum { MAX_CPUS = 64, MAX_FILTERS = 8 };

/* The trace of one CPU or, in a per-thread recording, of one buffer. */
struct trace_stream {
	uint32_t cpu;
	uint8_t *bytes; /* owned */
	size_t size;
	uint64_t aux_bytes; /* the sum of the AUX records' sizes */
	uint64_t truncated; /* AUX records with flag TRUNCATED */
	bool broken;	    /* AUXTRACE pieces are not contiguous */
};

/* Code that a process mapped. */
struct code_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t file_offset;
	uint64_t tsc;
	char *path; /* owned */
};

/* A change of the kernel's own text. */
struct text_poke {
	uint64_t tsc;
	uint64_t address;
	uint16_t old_size;
	uint16_t new_size;
	const uint8_t *bytes; /* old, then new; borrowed from the file */
};

struct address_range {
	uint64_t start;
	uint64_t end; /* the last address inside + 1 */
};

struct recording {
	uint8_t *file; /* mapped */
	size_t file_size;
	const char *directory; /* borrowed */

	bool is_coresight; /* only the times below apply then */
	uint32_t pmu_type;
	uint64_t config; /* of the intel_pt event, attr.config */
	bool kernel;	 /* traced levels */
	bool user;
	bool cycles;	   /* CYC packets */
	uint32_t mtc_freq; /* 0 without MTC */
	uint32_t nominal_freq;
	uint32_t ctc_numerator;	  /* CPUID.15H:EBX */
	uint32_t ctc_denominator; /* CPUID.15H:EAX */
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_zero;
	struct address_range filters[MAX_FILTERS];
	uint32_t filter_count;

	struct trace_stream streams[MAX_CPUS];
	uint32_t stream_count;
	struct code_mapping *mappings;
	uint32_t mapping_count;
	struct text_poke *pokes; /* sorted by time */
	uint32_t poke_count;
	uint64_t lost; /* PERF_RECORD_LOST events */
	/* the task that ran on each CPU when its trace was first switched on;
	 * -1: unknown
	 */
	int64_t first_tid[MAX_CPUS];
};

/* Reads DIR/data. Returns false, after a message on stderr, on failure; the
 * caller calls recording_close() in any case.
 */
bool recording_open(struct recording *recording, const char *directory);
void recording_close(struct recording *recording);

/* Convert an interval of the CPU's clock to ns, and a reading of it to the
 * recording's time.
 */
uint64_t recording_ticks_ns(const struct recording *recording, uint64_t ticks);
uint64_t recording_time_ns(const struct recording *recording, uint64_t tsc);

#endif
