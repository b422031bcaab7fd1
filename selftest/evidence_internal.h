/* SPDX-License-Identifier: MIT */
#ifndef KT_SELFTEST_EVIDENCE_INTERNAL_H
#define KT_SELFTEST_EVIDENCE_INTERNAL_H

#include "selftest/trial_internal.h"

/* The program as the decoded recording of a trial shows it. */

struct mark_time {
	uint64_t ns, early_ns,
		late_ns; /* true: ns - early_ns to ns + late_ns */
};

/* Of one thread, these times included. */
struct time_span {
	uint64_t from_ns, to_ns;
};

struct evidence {
	bool has_no_times; /* they are counts of cycles or instructions */
	uint64_t calls;	   /* of getppid() */
	uint64_t other_calls;
	uint64_t faults;	/* between the marks MARK_FAULTS and next */
	uint64_t switches;	/* from CPUs, likewise MARK_SLEEPS */
	uint64_t batch;		/* calls after the last mark */
	uint64_t first_batch;	/* calls between the first two marks */
	uint64_t wrong_batches; /* not one call more than the last one */
	uint64_t last_batch;	/* the calls before the last mark */
	uint64_t long_sleeps;	/* of PROGRAM_LONG_SLEEP_MS or more */
	/* from the start of prctl() to that of the next system call: of the
	 * last two that the program makes
	 */
	struct time_span first, second;
	bool is_in_prctl;   /* the next system call has not started */
	struct array marks; /* struct mark_time */
	struct array cpus;  /* struct cpu_calls */
	uint64_t gaps, lost_bytes;
	char gap[64]; /* the first one's reason */
};

/* Decodes the recording @name. @pid: the program's, or -1 for all. Returns the
 * exit code of the decoder, or a negative enum error. The caller must free
 * @evidence in any case.
 */
int evidence_read(struct evidence *evidence,
		  const struct selftest_options *options, const char *name,
		  int64_t pid);

void evidence_free(struct evidence *evidence);

/* Returns how often the kernel marks in the recording @name that a buffer was
 * full while the trace unit ran on (PERF_AUX_FLAG_COLLISION), or a negative
 * error.
 */
int64_t evidence_full_buffers(const struct selftest_options *options,
			      const char *name);

/* Evidence about the clock from the packets of Intel PT, ETMv4 or ETE. */
struct packet_sums {
	/* PSB and PSBEND, or A-sync and trace info */
	uint64_t sync_starts, sync_ends;
	uint64_t overflows;
	bool has_frequency; /* CBR */
	/* uint64_t: the cycles in a period between two MTC packets, divided by
	 * the core's frequency in the CBR packet; or between two timestamps,
	 * divided by their difference
	 */
	struct array periods;
};

/* Reads the packets. Returns the exit code of the decoder, or a negative enum
 * error. The caller must free @sums in any case.
 */
int evidence_packets(struct packet_sums *sums,
		     const struct selftest_options *options, const char *name);

void packet_sums_free(struct packet_sums *sums);

/* The instructions and branches executed in a time, by the decoder. */
struct block_sums {
	uint64_t instructions, branches;
};

/* Sums up the blocks that start in each span, its ends included: of one thread,
 * which stays on its CPU meanwhile. The second span contains the first.
 * Returns the exit code of the decoder, or a negative enum error.
 */
int evidence_blocks(struct block_sums sums[2],
		    const struct selftest_options *options, const char *name,
		    const struct time_span spans[2]);

#endif
