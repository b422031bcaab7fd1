/* SPDX-License-Identifier: MIT */
#include "attribution/time/traced_cpus.h"

#include "attribution/time/threads.h"
#include "common/bytes.h"
#include "report/steps/call_step.h"
#include "report/steps/cpu_slot.h"

void traced_cpus_free(struct traced_cpus *cpus)
{
	array_free(&cpus->places);
	array_free(&cpus->cpus);
}

static struct traced_cpu *at(const struct traced_cpus *cpus, uint32_t slot)
{
	const uint32_t *places = cpus->places.items;

	return slot < cpus->places.count && places[slot] ?
		       array_at(&cpus->cpus, places[slot] - 1) :
		       NULL;
}

static struct traced_cpu *add(struct traced_cpus *cpus, uint32_t slot)
{
	uint32_t *place = array_reach(&cpus->places, slot);
	struct traced_cpu *added = place ? array_add(&cpus->cpus) : NULL;

	if (added)
		*place = (uint32_t)cpus->cpus.count;
	return added;
}

struct traced_cpu *traced_cpus_add(struct traced_cpus *cpus, uint32_t cpu)
{
	uint32_t slot = cpu_slot(cpu);
	struct traced_cpu *known = at(cpus, slot);

	return known ? known : add(cpus, slot);
}

void traced_cpus_end(struct traced_cpus *cpus, struct traced_cpu *cpu)
{
	cpus->ended += !cpu->has_ended;
	cpu->has_ended = true;
}

bool traced_cpus_are_over(const struct traced_cpus *cpus)
{
	return cpus->cpus.count && cpus->ended == cpus->cpus.count;
}

struct traced_cpu *traced_cpus_find(const struct traced_cpus *cpus, int32_t cpu)
{
	return at(cpus, cpu_slot((uint32_t)cpu));
}

bool traced_cpus_show(const struct traced_cpus *cpus, int32_t cpu)
{
	const struct traced_cpu *found = traced_cpus_find(cpus, cpu);

	/* Streams of threads follow them to any CPU. */
	if (traced_cpus_find(cpus, -1))
		return true;
	return found && !found->has_ended;
}

static uint32_t kept_of(const struct recorder_runs *runs)
{
	return runs->count < RECORDER_RUNS ? runs->count : RECORDER_RUNS;
}

static void pack_runs(struct recorder_runs *runs, struct pack *pack)
{
	pack_u32(pack, &runs->count);
	for (uint32_t i = 0; i < kept_of(runs); i++) {
		pack_u64(pack, &runs->runs[i].begin_ns);
		pack_u64(pack, &runs->runs[i].end_ns);
	}
}

static void pack_cpu(struct traced_cpu *cpu, struct pack *pack,
		     const struct threads *threads)
{
	pack_bool(pack, &cpu->has_ended);
	pack_small(pack, &cpu->state, CPU_STATES - 1);
	threads_pack_one(threads, pack, &cpu->current);
	threads_pack_one(threads, pack, &cpu->next_owner);
	pack_runs(&cpu->recorder, pack);
}

/* Writes or reads the CPU of @slot, if any. */
static void pack_slot(struct traced_cpus *cpus, uint32_t slot,
		      struct pack *pack, const struct threads *threads)
{
	struct traced_cpu *cpu = at(cpus, slot);
	bool is_seen = cpu;

	pack_bool(pack, &is_seen);
	if (!is_seen || pack->failed)
		return;
	if (!cpu)
		cpu = add(cpus, slot);
	pack_check(pack, cpu);
	if (!cpu)
		return;
	pack_cpu(cpu, pack, threads);
	if (pack->is_reading)
		cpus->ended += cpu->has_ended;
}

void traced_cpus_pack(struct traced_cpus *cpus, struct pack *pack,
		      const struct threads *threads)
{
	uint32_t count = (uint32_t)cpus->places.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++)
		pack_slot(cpus, i, pack, threads);
}

void recorder_runs_begin(struct recorder_runs *runs, uint64_t time_ns)
{
	runs->runs[runs->count++ % RECORDER_RUNS] =
		(struct recorder_run){ time_ns, UINT64_MAX };
}

void recorder_runs_end(struct recorder_runs *runs, uint64_t time_ns)
{
	if (runs->count)
		runs->runs[(runs->count - 1) % RECORDER_RUNS].end_ns = time_ns;
}

bool recorder_runs_find(const struct recorder_runs *runs, uint64_t from_ns,
			uint64_t until_ns, struct recorder_run *run)
{
	uint32_t kept = kept_of(runs);

	for (uint32_t i = runs->count - kept; i < runs->count; i++) {
		*run = runs->runs[i % RECORDER_RUNS];
		if (run->begin_ns < from_ns)
			run->begin_ns = from_ns;
		if (run->end_ns > until_ns)
			run->end_ns = until_ns;
		if (run->begin_ns < run->end_ns)
			return true;
	}
	return false;
}
