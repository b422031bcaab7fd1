/* SPDX-License-Identifier: MIT */
#include "attribution/time/traced_cpus.h"

#include "attribution/time/threads_pack.h"
#include "common/pack.h"
#include "report/steps/call_step.h"
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

static void pack_cpu(struct traced_cpu *cpu, struct pack *pack,
		     const struct threads *threads)
{
	pack_bool(pack, &cpu->is_seen);
	pack_bool(pack, &cpu->has_ended);
	pack_small(pack, &cpu->state, CPU_STATES - 1);
	threads_pack_one(threads, pack, &cpu->current);
	threads_pack_one(threads, pack, &cpu->next_owner);
	recorder_runs_pack(&cpu->recorder, pack);
}

void traced_cpus_pack(struct traced_cpus *cpus, struct pack *pack,
		      const struct threads *threads)
{
	uint32_t count = (uint32_t)cpus->cpus.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct traced_cpu *cpu = array_reach(&cpus->cpus, i);

		pack_check(pack, cpu);
		if (!cpu)
			return;
		pack_cpu(cpu, pack, threads);
		if (!pack->is_reading)
			continue;
		cpus->seen += cpu->is_seen;
		cpus->ended += cpu->has_ended;
	}
}
