/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_LATE_CPUS_H
#define KT_COLLECTOR_LATE_CPUS_H

#include "common/array.h"

#include <stdbool.h>

struct log;
struct recording_output;
struct recording_setup;

/* CPUs that come online during a recording of all CPUs. The kernel reports them
 * by netlink (an uevent of the CPU's device); their events are then opened, and
 * they are traced from then on. What ran there in the milliseconds before is not
 * recorded, and marked by records of losses.
 *
 * Snapshots, triggers, chosen calls and recordings of threads are set up for each
 * CPU at the start. There, and where events cannot be opened, the CPU gets a
 * trace that is one gap, from the recorder's reading of the report to the end. A
 * CPU that is offline again by then gets none.
 *
 * Trace units whose metadata has facts about each CPU (CoreSight) take no CPU
 * later: away_records.h reports it at the end, as it does without netlink.
 */
struct late_cpus {
	struct recording_setup *setup; /* both borrowed */
	struct recording_output *output;
	int fd;		       /* netlink; -1: none */
	struct array untraced; /* struct untraced_cpu */
	unsigned int count;    /* CPUs that came online */
};

/* Starts to listen. Whether that succeeds shows only at the end: see above. */
struct late_cpus late_cpus_open(struct recording_setup *setup,
				struct recording_output *output);
void late_cpus_close(struct late_cpus *late);

/* Reads pending reports; traces CPUs that came online. Sets *@is_news if there
 * are rings of more CPUs now. Must be called between rounds of reading the rings.
 *
 * Returns 0 or a negative enum error if the recording cannot go on.
 */
int late_cpus_take(struct late_cpus *late, bool *is_news);

/* Writes the gaps of CPUs that are not traced. Must be called when nothing more is
 * recorded. Returns 0 or a negative enum error.
 */
int late_cpus_finish(struct late_cpus *late);

/* Logs that @cpu came online and is not recorded. */
void late_cpus_log_untraced(const struct log *log, int cpu);

#endif
