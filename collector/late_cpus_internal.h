/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_LATE_CPUS_INTERNAL_H
#define KT_COLLECTOR_LATE_CPUS_INTERNAL_H

#include "collector/trace_unit/tracer.h"
#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording_output;
struct recording_setup;
struct ring_drain;

/* A time at which all reports of CPUs had been handled. */
struct late_mark {
	uint64_t time_ns; /* of the recording's clock */
	size_t size;
	/* start of a blank trace at that time (tracer.write_blank) */
	uint8_t bytes[2 * TRACER_BLANK_BYTES];
};

/* CPUs that come online during a recording of all CPUs. The kernel reports them
 * (cpu_reports_read()); their events are then opened, and they are traced from
 * then on. Code that ran there in the milliseconds before is not recorded, and
 * marked by records of losses. The kernel's own tracer needs no event: its
 * functions are recorded from the first on.
 *
 * Snapshots, triggers, chosen calls and recordings of threads are set up for
 * each CPU at the start, and CoreSight's metadata has facts about each CPU. In
 * these recordings, and where events cannot be opened, for example because the
 * CPU is offline again, the CPU is one gap, from the last turn of the
 * recorder's loop before the report to the end of the recording. The gap is a
 * blank trace (Intel PT), or two records of lost trace, between which readers
 * show a gap (CoreSight).
 *
 * The kernel also closes the events of a CPU that is switched off. In a
 * recording of threads they are opened again when the CPU comes back, with
 * records of losses for the time between. In a recording of whole CPUs, the CPU
 * stays a gap (away_records_add()).
 *
 * A CPU that was online only between two turns is reported, too. It is missed
 * only if the kernel drops reports, which is logged, or cannot send them.
 */
struct late_cpus {
	struct recording_setup *setup; /* borrowed, like output and drain */
	struct recording_output *output;
	struct ring_drain *drain;
	int fd;		       /* of the reports; -1: none */
	struct late_mark mark; /* of the last late_cpus_take() */
	struct array untraced; /* struct untraced_cpu */
	unsigned int count;    /* CPUs with losses, +1 if has_lost */
	bool has_lost;	       /* the kernel dropped reports */
};

/* Starts to listen to the reports. If that fails, CPUs that came online and are
 * still online at the end are gaps.
 */
struct late_cpus late_cpus_open(struct recording_setup *setup,
				struct recording_output *output,
				struct ring_drain *drain);

void late_cpus_close(struct late_cpus *late);

/* Reads pending reports; traces CPUs that came online. Sets *@is_news if there
 * may be rings of more CPUs now. Must be called once before the rings are read,
 * and between the rounds of reading them.
 *
 * Returns 0 or a negative enum error if the recording cannot go on.
 */
int late_cpus_take(struct late_cpus *late, bool *is_news);

/* Writes the gaps of CPUs that are not traced. Must be called when nothing more
 * is recorded. Returns 0 or a negative enum error.
 */
int late_cpus_finish(struct late_cpus *late);

/* Writes records to @output that mark the data lost on CPUs that were switched
 * off while they were recorded: records of all kinds, and trace if everything
 * that ran on them was traced. Also logs this. Sets *@count to the number of
 * these CPUs.
 *
 * Returns 0 or a negative enum error.
 */
int away_records_add(struct recording_output *output, unsigned int *count);

#endif
