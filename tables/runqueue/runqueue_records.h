/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_RUNQUEUE_RECORDS_H
#define KT_TABLES_RUNQUEUE_RECORDS_H

#include "common/array.h"
#include "report/steps/call_step.h"
#include "tables/runqueue/cpu_runs.h"
#include "tables/runqueue/cpu_waits.h"

struct kept_file_writer;
struct pack;

/* Records for the waits for CPUs, to write or read: the waits, and the runs on
 * each CPU, which are complete only when all records are read.
 */
struct runqueue_records {
	struct kept_file_writer *writer; /* NULL: records are not written */
	/* struct read_wait: waits that were read; waits open at the end of the
	 * recording.
	 */
	struct array waits;
	struct array last;
};

#define RUNQUEUE_RECORDS_NONE \
	((struct runqueue_records){ .waits = ARRAY_OF(struct read_wait), \
				    .last = ARRAY_OF(struct read_wait) })

struct read_wait {
	struct cpu_wait wait;
	struct task task; /* the waiting thread; wait has no pointer to it */
};

void runqueue_records_free(struct runqueue_records *records);

/* Write a wait or run, as it ends. */
void runqueue_records_keep_wait(const struct runqueue_records *records,
				const struct cpu_wait *wait);
void runqueue_records_keep_run(const struct runqueue_records *records,
			       uint32_t cpu, const struct cpu_run *run);

/* Reads a record; adds a run to @runs. */
void runqueue_records_read(struct runqueue_records *records,
			   struct cpu_runs *runs, struct pack *pack);

/* Writes or reads the runs and waits that are open at the end of the recording.
 */
void runqueue_records_pack_last(struct runqueue_records *records,
				struct cpu_runs *runs,
				const struct cpu_waits *waits,
				struct pack *pack);

/* Passes the waits that were read to @take, in the order of a pass over the
 * recording. Returns 0, or the first nonzero value that @take returned.
 */
int runqueue_records_hand_on(struct runqueue_records *records,
			     take_cpu_wait *take, void *ctx);

#endif
