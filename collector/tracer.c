/* SPDX-License-Identifier: MIT */
#include "collector/tracer.h"

#include <stddef.h>

static const struct tracer *const tracers[] = {
	&intel_pt_tracer,
	&coresight_tracer,
};

const struct tracer *tracer_find(const char *devices, struct pmu *pmu)
{
	for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++)
		if (!pmu_find(devices, tracers[i]->pmu_name, pmu))
			return tracers[i];
	return NULL;
}
