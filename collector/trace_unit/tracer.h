/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACER_H
#define KT_COLLECTOR_TRACER_H

/* One kind of trace unit, as a table of functions and facts: Intel PT,
 * CoreSight. All of the collector's code that knows the hardware is in this
 * folder; the rest of it uses struct tracer.
 *
 *	tracers in tracer.c ─► is_present ─► configure ─► event of the trace
 *	                                                   │ at the start
 *	        AUXTRACE_INFO of the recording ◄───────────┘
 *
 * 1. The tables are constant; functions get the PMU and write only to their
 *    arguments.
 * 2. An option that the unit does not have is refused with a reason in the log,
 *    before anything is recorded.
 *
 * To add a unit, add a struct tracer and its line in tracer.c.
 */

#include "collector/trace_unit/cycle_choice.h"
#include "collector/trace_unit/pmu_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_buffer;
struct log;
struct perf_event_attr;
struct perf_event_mmap_page;

/* The content of AUXTRACE_INFO apart from the unit's own configuration. */
struct tracer_facts {
	/* Of any ring of the recording: contains the clock's conversion. */
	const struct perf_event_mmap_page *page;
	bool switches_of_cpu; /* otherwise only those of the traced tasks */
	bool snapshot;
	const char *filter; /* as given to the kernel; NULL if none */
	uint64_t config;    /* of the trace's event */
	const int *cpus;    /* the recorded CPUs */
	size_t cpu_count;
};

enum { TRACER_BLANK_BYTES = 64 };

/* One kind of trace unit. Everything specific to the hardware is in here. */
struct tracer {
	const char *pmu_name;
	const char *title;
	/* NULL: kernels with this unit report every change of their own code.
	 * Otherwise names of the functions that make the changes, terminated by
	 * NULL, of which the first that exists is used
	 * (common/formats/recording_events.h); the recorder then also compares
	 * the kernel's code at the end with its first copy.
	 */
	const char *const *patch_functions;
	/* The kernels that can pause its trace, as the end of a sentence; NULL:
	 * none can.
	 */
	const char *pauses_from;
	/* the PMU's format term that turns on cycle counts */
	const char *cycle_term;
	bool counts_cycles; /* counts cycles by default */
	/* Whether the unit continues to write after it wakes the reader. A TRBE
	 * stops instead, and the trace after the stop lacks a sync point at
	 * first.
	 */
	bool wakes_at_once;
	/* Whether the driver reports total bytes written also for an overwrite
	 * ring; otherwise it reports the current offset in the ring.
	 */
	bool counts_on;

	/* Returns whether the PMU has a trace unit; NULL: always. */
	bool (*is_present)(const struct pmu *pmu);

	/* Sets @attr->type, and config for the best timing that the unit has.
	 *
	 * Returns 0, or a negative enum error with the reason in the log.
	 */
	int (*configure)(const struct pmu *pmu, const struct log *log,
			 struct perf_event_attr *attr);

	/* Turns cycle counts on or off. Must be called after configure().
	 *
	 * Returns 0; -ERROR_UNSUPPORTED with the reason in the log.
	 */
	int (*set_cycles)(const struct pmu *pmu,
			  const struct cycle_choice *choice,
			  const struct log *log, struct perf_event_attr *attr,
			  uint64_t *config3);

	/* Makes the trace contain sync points as often as the unit can, since
	 * the trace continues without one after a snapshot. NULL: the trace has
	 * a sync point whenever it resumes.
	 *
	 * Returns 0, or a negative enum error with the reason in the log.
	 */
	int (*set_often)(const struct pmu *pmu, const struct log *log,
			 struct perf_event_attr *attr);

	/* Makes the unit omit returns to the instruction after their call.
	 * NULL: it always omits them.
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

	/* Returns why the driver, on any kernel version, cannot pause the trace
	 * of a present unit; NULL if it can pause all units. A NULL callback:
	 * it always can.
	 */
	const char *(*pause_refusal)(const struct pmu *pmu);

	/* Returns the number of address ranges that the unit can filter by. */
	unsigned int (*filter_ranges)(const struct pmu *pmu);

	/* Appends the content of AUXTRACE_INFO after its header: the type of
	 * the trace, a reserved word and the words of that type. NULL: the
	 * trace is not one of perf's types, and there is no such record.
	 */
	void (*metadata)(const struct pmu *pmu,
			 const struct tracer_facts *facts,
			 struct byte_buffer *info);

	/* Writes a trace in which everything from now on is unknown, and
	 * returns its size, a multiple of 8. With @is_first it also has a sync
	 * point, as the start of a CPU's trace. NULL: no CPU can be added
	 * during a recording, because the metadata has facts about each.
	 */
	size_t (*write_blank)(uint8_t bytes[TRACER_BLANK_BYTES], bool is_first);

	/* Returns the current time of the recording's clock, in nanoseconds; 0
	 * if @page lacks the conversion.
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
