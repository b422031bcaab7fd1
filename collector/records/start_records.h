/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDS_START_RECORDS_H
#define KT_COLLECTOR_RECORDS_START_RECORDS_H

/* The state of the traced machine when a recording starts, as records. The
 * kernel's own records report changes to it only.
 *
 *	clock, events, CPUs, trace unit ┐
 *	kernel and modules              ├─► records without a time, in this order,
 *	tasks, names, code mappings     ┘   before all of the kernel's records
 *
 * 1. They are made after the events are open, so that a change meanwhile is
 *    reported by the kernel too, and none is missed.
 * 2. They have no time: readers apply them before all others.
 *
 * Sources: tools/lib/perf/include/perf/event.h of Linux, and /proc.
 */

#include <sys/types.h>

struct byte_buffer;
struct event_list;
struct kernel_copy;
struct log;
struct module;
struct output_folder;
struct pmu;
struct program_copies;
struct target;
struct tracer;
struct tracer_facts;

/* Appends the configuration of the clock, the events, the CPUs and the trace
 * unit. Returns 0, or -ERROR_UNSUPPORTED, logged, if a record cannot describe so
 * many trace units.
 */
int start_records_setup(struct byte_buffer *bytes,
			const struct event_list *events,
			const struct target *target,
			const struct tracer *tracer, const struct pmu *pmu,
			const struct tracer_facts *facts,
			const struct log *log);

/* Appends the ids of the events of @events from number @first on, as
 * start_records_setup() does for all. Each belongs to a CPU of @target.
 */
void start_records_ids(struct byte_buffer *bytes,
		       const struct event_list *events, size_t first,
		       const struct target *target);

/* start_records_kernel() appends the address ranges of the kernel and of all
 * modules in @copy; start_records_module() appends the range of one @module.
 */
void start_records_kernel(struct byte_buffer *bytes,
			  const struct kernel_copy *copy);

void start_records_module(struct byte_buffer *bytes,
			  const struct module *module);

/* Appends parents and names of all tasks; code mappings of those in @target, or
 * of all if @target is whole CPUs. Also passes the mapped files to @programs,
 * unless that is NULL.
 */
void start_records_tasks(struct byte_buffer *bytes, const struct target *target,
			 struct program_copies *programs);

/* Appends the record that ends the start records. */
void start_records_end(struct byte_buffer *bytes);

/* Calls @thread for all threads in /proc, and after the threads of a process,
 * @process for the process itself; either may be NULL. May miss tasks that end
 * during the walk.
 */
void task_walk(void (*thread)(void *ctx, pid_t process, pid_t thread),
	       void (*process)(void *ctx, pid_t process), void *ctx);

/* Writes two files to kcore_dir of @recording, in one walk over all threads:
 * @cgroups, a line "137 /system.slice/x.service" for each existing thread, with its
 * cgroup in the unified hierarchy (cgroups(7), /proc/<pid>/cgroup, the line that
 * starts with "0::"), empty without such a hierarchy; and @cpus, a line "allowed
 * 137 0-3,8" for each of them, with the CPUs on which it may run
 * (/proc/<pid>/status, Cpus_allowed_list), after a line "idle 0 2 C1E" for each idle
 * state of each CPU, with its number and its name, if the kernel has a driver for
 * these (Documentation/admin-guide/pm/cpuidle.rst).
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int task_lists_write(const struct output_folder *recording, const char *cgroups,
		     const char *cpus, const struct log *log);

#endif
