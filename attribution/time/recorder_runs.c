/* SPDX-License-Identifier: MIT */
#include "attribution/time/recorder_runs.h"

#include "common/pack.h"

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

static uint32_t kept_of(const struct recorder_runs *runs)
{
	return runs->count < RECORDER_RUNS ? runs->count : RECORDER_RUNS;
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

void recorder_runs_pack(struct recorder_runs *runs, struct pack *pack)
{
	pack_u32(pack, &runs->count);
	for (uint32_t i = 0; i < kept_of(runs); i++) {
		pack_u64(pack, &runs->runs[i].begin_ns);
		pack_u64(pack, &runs->runs[i].end_ns);
	}
}
