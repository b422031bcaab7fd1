/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CORESIGHT_METADATA_H
#define KT_COLLECTOR_CORESIGHT_METADATA_H

#include <stdint.h>

struct byte_buffer;
struct pmu;
struct tracer_facts;

/* Reads the register @name of the trace unit of @cpu, a file of the PMU's
 * folder cpuN.  Returns 0 and *@value, or -ERROR_NOT_FOUND.
 */
int coresight_register(const struct pmu *pmu, int cpu, const char *name,
		       uint64_t *value);

/* Appends the trace units' metadata in perf's format: tracer.metadata. See
 * tools/perf/arch/arm/util/cs-etm.c in Linux.
 */
void coresight_metadata(const struct pmu *pmu, const struct tracer_facts *facts,
			struct byte_buffer *info);

#endif
