/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_ALLOWED_CPUS_H
#define KT_ATTRIBUTION_ALLOWED_CPUS_H

/* The CPUs on which each thread may run, by time, and the parts of a wait in
 * which an idle CPU could not help because the thread was not allowed to run
 * there.
 *
 *	kcore_dir/cpus ─► threads at the start ┐
 *	forks: inherit ────────────────────────┼─► changes, by thread
 *	sched_setaffinity(2), moves to cgroups ┘
 *
 * 1. A call of sched_setaffinity(2) is known if its arguments, the mask that
 *    they refer to and its result are recorded (record --syscall-data).
 * 2. Otherwise it may concern any thread. Those whose CPUs at the end of the
 *    recording (kcore_dir/cpus_end) are still the same are taken to be
 *    unchanged; the CPUs of all other threads are unknown from then on. A
 *    change of a cgroup's CPUs (cpuset), which the trace shows, has the same
 *    effect.
 * 3. A thread that moves to another cgroup, whose cpuset may differ, is taken to
 *    have its CPUs at the end from then on; unknown if the end's list lacks it.
 * 4. The CPUs of a thread that differ at the end from those at the start are
 *    unknown until the first known change.
 * 5. A thread of unknown CPUs is taken to be allowed on all of them, so that an
 *    affinity is never a wrong cause.
 *
 * Memory grows with the number of threads, of changes and of different masks.
 */

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_handler;
struct function_table;
struct recording;

struct allowed_cpus;

/* Returns a tracker of the threads in @recording's lists; without lists if
 * @recording is NULL. NULL when out of memory.
 */
struct allowed_cpus *allowed_cpus_new(const struct recording *recording,
				      const struct function_table *functions);
void allowed_cpus_free(struct allowed_cpus *allowed);

/* Adds the list of @size bytes at @text: of the recording's start, or @is_end.
 * Ignores lines that do not describe a thread, and lists of CPUs that it cannot
 * represent. The list of the end must be read last. Returns 0 or -ERROR_MEMORY.
 */
int allowed_cpus_read(struct allowed_cpus *allowed, const char *text,
		      size_t size, bool is_end);

struct event_handler *allowed_cpus_handler(struct allowed_cpus *allowed);

/* Returns whether the recording has a list, of the start or of the end. */
bool allowed_cpus_is_recorded(const struct allowed_cpus *allowed);

/* Returns the number of calls of sched_setaffinity(2) whose effect is unknown. */
uint64_t allowed_cpus_unknown_calls(const struct allowed_cpus *allowed);

/* Returns 0, or -ERROR_MEMORY if a change was lost for lack of memory. */
int allowed_cpus_status(const struct allowed_cpus *allowed);

/* When other CPUs were idle while a thread waited. Its affinity forbids some of
 * them and allows others.
 */
struct idle_elsewhere {
	struct array forbidden; /* struct time_window */
	struct array allowed;	/* struct time_window */
};

#define IDLE_ELSEWHERE_NONE \
	((struct idle_elsewhere){ .forbidden = ARRAY_OF(struct time_window), \
				  .allowed = ARRAY_OF(struct time_window) })

void idle_elsewhere_free(struct idle_elsewhere *idle);

/* Adds that @cpu was idle in @window, while thread @tid waited. Returns 0 or
 * -ERROR_MEMORY.
 */
int idle_elsewhere_add(struct idle_elsewhere *idle,
		       const struct allowed_cpus *allowed, int32_t tid,
		       uint32_t cpu, struct time_window window);

/* Appends to @parts, in order of time, the intervals in which some CPU was idle,
 * but none that the thread may use. Sorts the arrays of @idle.
 * Returns 0 or -ERROR_MEMORY.
 */
int idle_elsewhere_forbidden(struct idle_elsewhere *idle, struct array *parts);

#endif
