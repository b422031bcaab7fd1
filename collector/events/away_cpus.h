/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_AWAY_CPUS_H
#define KT_COLLECTOR_AWAY_CPUS_H

#include <stddef.h>
#include <stdint.h>

struct array;
struct event_list;

/* A CPU that was switched off while it was recorded. */
struct away_cpu {
	int cpu;
	uint64_t missing_ns; /* from the switch-off until now */
};

/* Finds the CPUs on which the events of spec number @spec no longer count. The
 * spec's events must count all the time, as those of event_spec_switches() do.
 * The kernel closes the events of a CPU that is switched off, and leaves them
 * closed when the CPU is switched on again (perf_event_exit_cpu() in
 * kernel/events/core.c).
 *
 * Returns 0 with a struct away_cpu for each in @away; or -ERROR_MEMORY.
 */
int away_cpus_find(const struct event_list *events, size_t spec,
		   struct array *away);

/* Returns how long the events of spec number @spec have been enabled, on the CPU
 * where that is longest.
 */
uint64_t away_cpus_longest(const struct event_list *events, size_t spec);

#endif
