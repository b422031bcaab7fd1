/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACER_H
#define KT_COLLECTOR_TRACER_H

#include "collector/trace_unit/cycle_choice.h"
#include "collector/trace_unit/pmu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_buffer;
struct log;
struct perf_event_attr;
struct perf_event_mmap_page;

/* This is what AUXTRACE_INFO says beside the unit's own configuration. */
struct tracer_facts {
	/* Of any ring of the recording: the clock's conversion. */
	const struct perf_event_mmap_page *page;
	bool switches_of_cpu; /* else only those of the traced tasks */
	bool snapshot;
	const char *filter; /* as given to the kernel; NULL if none */
	uint64_t config;    /* of the trace's event */
	const int *cpus;    /* that are recorded */
	size_t cpu_count;
};

/* One kind of trace unit.  All that knows which hardware it is. */
struct tracer {
	const char *pmu_name;
	const char *title;
	/* NULL: the kernels that have it tell of every change of their own
	 * code.  Else names of the function that makes the changes, the first
	 * that is there counts (common/text_poke_breakpoint.h), ended by NULL;
	 * and what differs at the end is looked for.
	 */
	const char *const *patch_functions;
	const char *pauses_from; /* the kernels that can pause its trace, as
				  * the end of a sentence; NULL: none can */
	const char *cycle_term;	 /* of the PMU's: asks for cycle counts */
	bool counts_cycles;	 /* without being asked */
	/* It may write on where it wakes the reader.  A TRBE stops there, and
	 * what it has next has no synchronisation point at first.
	 */
	bool wakes_at_once;
	/* Its driver counts what it wrote to a ring that is overwritten, too; else
	 * it says the place in the ring where it is.
	 */
	bool counts_on;

	/* Returns whether there is a unit behind the PMU; NULL: always. */
	bool (*is_present)(const struct pmu *pmu);

	/* Sets @attr->type and config to the best timing that the unit has.
	 *
	 * Returns 0, or a negative enum error with the reason in the log.
	 */
	int (*configure)(const struct pmu *pmu, const struct log *log,
			 struct perf_event_attr *attr);

	/* Counts cycles, or leaves them out, after configure().
	 *
	 * Returns 0; -ERROR_UNSUPPORTED with the reason in the log.
	 */
	int (*set_cycles)(const struct pmu *pmu,
			  const struct cycle_choice *choice,
			  const struct log *log, struct perf_event_attr *attr,
			  uint64_t *config3);

	/* Makes the trace hold a place to begin at as often as the unit can:
	 * after a snapshot it goes on without one.  NULL: it has one whenever
	 * it goes on.
	 *
	 * Returns 0, or a negative enum error with the reason in the log.
	 */
	int (*set_often)(const struct pmu *pmu, const struct log *log,
			 struct perf_event_attr *attr);

	/* Leaves returns out that go where they were called from; NULL: the
	 * unit always does.
	 *
	 * Returns 0, or -ERROR_UNSUPPORTED with the reason in the log.
	 */
	int (*set_return_stack)(const struct pmu *pmu, const struct log *log,
				struct perf_event_attr *attr);

	/* Chooses the sink called @name instead of the kernel's own choice;
	 * NULL: the unit writes to memory by itself.
	 *
	 * Returns 0, or -ERROR_NOT_FOUND with the reason in the log.
	 */
	int (*set_sink)(const struct pmu *pmu, const char *name,
			const struct log *log, struct perf_event_attr *attr);

	/* Returns why the driver does not pause the trace of a unit that is there,
	 * on any kernel; NULL if it pauses all.  NULL: it always does.
	 */
	const char *(*pause_refusal)(const struct pmu *pmu);

	/* Returns how many address ranges it can filter by. */
	unsigned int (*filter_ranges)(const struct pmu *pmu);

	/* Appends what follows the header of AUXTRACE_INFO: the type of the
	 * trace, a reserved word and the words of that type.  NULL: the trace
	 * is none of perf's, and there is no such record.
	 */
	void (*metadata)(const struct pmu *pmu,
			 const struct tracer_facts *facts,
			 struct byte_buffer *info);

	/* Returns the time of the recording's clock now, in nanoseconds; 0
	 * if @page does not tell how to.
	 */
	uint64_t (*now_ns)(const struct perf_event_mmap_page *page);
};

/* Finds the trace unit of this machine below @devices (PMU_DEVICES).
 *
 * Returns it and its @pmu, or NULL if there is none.
 */
const struct tracer *tracer_find(const char *devices, struct pmu *pmu);

extern const struct tracer intel_pt_tracer;
extern const struct tracer coresight_tracer;

#endif
