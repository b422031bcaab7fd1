/* SPDX-License-Identifier: MIT */
#ifndef KT_SELFTEST_EVIDENCE_INTERNAL_H
#define KT_SELFTEST_EVIDENCE_INTERNAL_H

#include "selftest/trial_internal.h"

/* Evidence about a trial's program, from the output of ktrace-hw's own commands
 * about the recording.
 *
 * A time in the trace and its bounds: the true time is between ns - early_ns
 * and ns + late_ns.
 */

struct mark_time {
	uint64_t ns, early_ns, late_ns;
};

/* A time of one thread, from_ns and to_ns included. */
struct time_span {
	uint64_t from_ns, to_ns;
};

/* The program's behaviour as the decoded recording shows it. A mark is a system
 * call by which the program says what it does next: MARK_* of programs.h.
 */
struct evidence {
	/* the trace's times are counts of cycles or instructions */
	bool has_no_times;
	uint64_t calls; /* number of calls of getppid() */
	uint64_t other_calls;
	uint64_t faults; /* between MARK_FAULTS and the next mark */
	/* switches away, between MARK_SLEEPS and the next mark */
	uint64_t switches;
	uint64_t batch; /* calls of getppid() after the last mark */
	/* batches whose number of calls is not that of the previous batch plus
	 * one
	 */
	uint64_t wrong_batches;
	uint64_t last_batch;  /* calls between the last two marks */
	uint64_t long_sleeps; /* of PROGRAM_LONG_SLEEP_MS or more */
	/* of the last two calls of prctl(): from the start of prctl() to the
	 * start of the next system call
	 */
	struct time_span first, second;
	bool is_in_prctl;   /* prctl() was the last system call that started */
	struct array marks; /* struct mark_time */
	struct array cpus;  /* struct cpu_calls */
	uint64_t gaps, lost_bytes;
	/* of the gaps: those with the reason "lost"; those with "not yet
	 * synchronised"
	 */
	uint64_t losses, unsynced;
	char gap[64]; /* the reason of the first gap */
};

/* Reads the evidence of process @pid, or of all processes if that is -1, from
 * the timeline of the recording @name. Returns the exit code of `ktrace-hw
 * timeline`, or a negative enum error. The caller must free @evidence in any
 * case.
 */
int evidence_read(struct evidence *evidence,
		  const struct selftest_options *options, const char *name,
		  int64_t pid);

void evidence_free(struct evidence *evidence);

/* Returns how many records of the recording @name have the kernel's flag that a
 * buffer was full while the trace unit ran on (PERF_AUX_FLAG_COLLISION), or a
 * negative enum error.
 */
int64_t evidence_full_buffers(const struct selftest_options *options,
			      const char *name);

/* Evidence about the clock from the packets of Intel PT, ETMv4 or ETE. */
struct packet_sums {
	/* PSB and PSBEND, or A-sync and trace info */
	uint64_t sync_starts, sync_ends;
	uint64_t overflows;
	bool has_frequency; /* CBR packets report it */
	/* uint64_t: for each two MTC packets, the cycles between them divided
	 * by the frequency in the CBR packet; of ETM, for each two timestamps,
	 * the cycles between them divided by their difference
	 */
	struct array periods;
};

/* Sums up the packets of the recording @name. Returns the exit code of
 * `ktrace-hw dump`, or a negative enum error. The caller must free @sums in any
 * case.
 */
int evidence_packets(struct packet_sums *sums,
		     const struct selftest_options *options, const char *name);

void packet_sums_free(struct packet_sums *sums);

/* What was executed in a time_span, as decoded. */
struct block_sums {
	uint64_t instructions, branches;
	uint64_t transitions; /* far branches */
	/* number of entries into the kernel, and of interrupts in the kernel */
	uint64_t entries;
};

/* Sums up the decoded blocks that start in each span. The spans are of one
 * thread, which stays on its CPU meanwhile, and the second span contains the
 * first. Returns the exit code of `ktrace-hw dump`, or a negative enum error.
 */
int evidence_blocks(struct block_sums sums[2],
		    const struct selftest_options *options, const char *name,
		    const struct time_span spans[2]);

#endif
