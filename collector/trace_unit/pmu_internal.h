/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACE_UNIT_PMU_INTERNAL_H
#define KT_COLLECTOR_TRACE_UNIT_PMU_INTERNAL_H

#include <stdint.h>

struct perf_event_attr;

/* The folder of the kernel's PMUs
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-*).
 */
#define PMU_DEVICES "/sys/bus/event_source/devices"

/* One PMU as sysfs describes it. */
struct pmu {
	char folder[256];
	uint32_t type; /* for perf_event_attr.type */
};

/* Finds the PMU called @name below the folder @devices.
 *
 * Returns 0 and @pmu, or -ERROR_NOT_FOUND.
 */
int pmu_find(const char *devices, const char *name, struct pmu *pmu);

/* Reads the number in the PMU's file @name, such as "caps/mtc", in @base.
 *
 * Returns 0 and *@value, or -ERROR_NOT_FOUND.
 */
int pmu_number(const struct pmu *pmu, const char *name, int base,
	       uint64_t *value);

/* Reads the first line of the PMU's file @name into @text.
 *
 * Returns 0 or -ERROR_NOT_FOUND.
 */
int pmu_line(const struct pmu *pmu, const char *name, char *text,
	     unsigned int size);

/* Returns the bits of perf_event_attr.config for the format term @name; 0 if
 * the PMU has no such term, or not in config.
 */
uint64_t pmu_term_mask(const struct pmu *pmu, const char *name);

/* Sets the term @name to @value in @attr->config.
 *
 * Returns 0, -ERROR_NOT_FOUND if the PMU has no such term, or
 * -ERROR_UNSUPPORTED if @value does not fit.
 */
int pmu_set_term(const struct pmu *pmu, const char *name, uint64_t value,
		 struct perf_event_attr *attr);

/* Like pmu_set_term(), but for a term in config3, which perf_event_attr lacks
 * before Linux 6.3.
 */
int pmu_set_config3_term(const struct pmu *pmu, const char *name,
			 uint64_t value, uint64_t *config3);

#endif
