/* SPDX-License-Identifier: MIT */
#include "collector/trace_unit/tracer.h"

#include <stddef.h>

static const struct tracer *const tracers[] = {
	&intel_pt_tracer,
	&coresight_tracer,
};

const struct tracer *tracer_find(const char *devices, struct pmu *pmu)
{
	for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++) {
		const struct tracer *tracer = tracers[i];

		if (!pmu_find(devices, tracer->pmu_name, pmu) &&
		    (!tracer->is_present || tracer->is_present(pmu)))
			return tracer;
	}
	return NULL;
}
