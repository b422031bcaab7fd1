/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_RUNQUEUE_RECORDS_H
#define KT_TABLES_RUNQUEUE_RECORDS_H

#include "common/array.h"
#include "report/steps/call_step.h"
#include "tables/runqueue/cpu_runs.h"
#include "tables/runqueue/cpu_waits.h"

struct kept_file_writer;
struct pack;

/* What waits for CPUs are added up of, kept or read: the waits, and what ran on each
 * CPU, which is known when all are read.
 */
struct runqueue_records {
	struct kept_file_writer *writer; /* NULL: they are not kept */
	/* struct read_wait: those that are read, and those that the recording
	 * ends in.
	 */
	struct array waits;
	struct array last;
};

#define RUNQUEUE_RECORDS_NONE \
	((struct runqueue_records){ .waits = ARRAY_OF(struct read_wait), \
				    .last = ARRAY_OF(struct read_wait) })

struct read_wait {
	struct cpu_wait wait;
	struct task task; /* whose it is; wait has no pointer to it */
};

void runqueue_records_free(struct runqueue_records *records);

/* Keep one, as it ends. */
void runqueue_records_keep_wait(const struct runqueue_records *records,
				const struct cpu_wait *wait);
void runqueue_records_keep_run(const struct runqueue_records *records,
			       uint32_t cpu, const struct cpu_run *run);

/* Reads a record: a run is added to @runs. */
void runqueue_records_read(struct runqueue_records *records,
			   struct cpu_runs *runs, struct pack *pack);

/* Writes what goes on when the recording ends, or reads it. */
void runqueue_records_pack_last(struct runqueue_records *records,
				struct cpu_runs *runs,
				const struct cpu_waits *waits,
				struct pack *pack);

/* Hands what was read to @take, in the order in which a pass does.  Returns 0, or
 * what that returned first that was not.
 */
int runqueue_records_hand_on(struct runqueue_records *records,
			     take_cpu_wait *take, void *ctx);

#endif
