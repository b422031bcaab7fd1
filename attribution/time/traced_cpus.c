/* SPDX-License-Identifier: MIT */
#include "attribution/time/traced_cpus.h"
#include "report/steps/cpu_slot.h"

void traced_cpus_free(struct traced_cpus *cpus)
{
	array_free(&cpus->cpus);
}

struct traced_cpu *traced_cpus_add(struct traced_cpus *cpus, uint32_t cpu)
{
	struct traced_cpu *added;

	added = array_reach(&cpus->cpus, cpu_slot(cpu));
	if (!added)
		return NULL;
	cpus->seen += !added->is_seen;
	added->is_seen = true;
	return added;
}

void traced_cpus_end(struct traced_cpus *cpus, struct traced_cpu *cpu)
{
	cpus->ended += !cpu->has_ended;
	cpu->has_ended = true;
}

bool traced_cpus_are_over(const struct traced_cpus *cpus)
{
	return cpus->seen && cpus->ended == cpus->seen;
}

struct traced_cpu *traced_cpus_find(const struct traced_cpus *cpus, int32_t cpu)
{
	uint32_t slot = cpu_slot((uint32_t)cpu);
	struct traced_cpu *found =
		slot < cpus->cpus.count ? array_at(&cpus->cpus, slot) : NULL;

	return found && found->is_seen ? found : NULL;
}

bool traced_cpus_show(const struct traced_cpus *cpus, int32_t cpu)
{
	const struct traced_cpu *found = traced_cpus_find(cpus, cpu);

	/* Streams of threads follow them anywhere. */
	if (traced_cpus_find(cpus, -1))
		return true;
	return found && !found->has_ended;
}
