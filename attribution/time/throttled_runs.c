/* SPDX-License-Identifier: MIT */
#include "attribution/time/throttled_runs_internal.h"

#include "common/bytes.h"

static uint32_t kept_of(const struct throttled_runs *runs)
{
	return runs->count < THROTTLED_RUNS ? runs->count : THROTTLED_RUNS;
}

static struct throttled_run *at(struct throttled_runs *runs, uint32_t index)
{
	return &runs->runs[index % THROTTLED_RUNS];
}

void throttled_runs_begin(struct throttled_runs *runs, uint64_t time_ns,
			  int32_t tid, int32_t pid)
{
	*at(runs, runs->count++) = (struct throttled_run){
		.begin_ns = time_ns,
		.end_ns = UINT64_MAX,
		.tid = tid,
		.pid = pid,
	};
}

bool throttled_runs_end(struct throttled_runs *runs, uint64_t time_ns)
{
	for (uint32_t i = runs->count - kept_of(runs); i < runs->count; i++) {
		struct throttled_run *run = at(runs, i);

		if (run->end_ns != UINT64_MAX)
			continue;
		run->end_ns = time_ns;
		return true;
	}
	return false;
}

bool throttled_runs_find(const struct throttled_runs *runs, uint64_t from_ns,
			 uint64_t until_ns,
			 bool (*is_of)(const void *ctx,
				       const struct throttled_run *run),
			 const void *ctx, struct throttled_run *run)
{
	for (uint32_t i = runs->count - kept_of(runs); i < runs->count; i++) {
		*run = runs->runs[i % THROTTLED_RUNS];
		if (!is_of(ctx, run))
			continue;
		if (run->begin_ns < from_ns)
			run->begin_ns = from_ns;
		if (run->end_ns > until_ns)
			run->end_ns = until_ns;
		if (run->begin_ns < run->end_ns)
			return true;
	}
	return false;
}

void throttled_runs_pack(struct throttled_runs *runs, struct pack *pack)
{
	pack_u32(pack, &runs->count);
	for (uint32_t i = 0; i < kept_of(runs); i++) {
		pack_u64(pack, &runs->runs[i].begin_ns);
		pack_u64(pack, &runs->runs[i].end_ns);
		pack_i32(pack, &runs->runs[i].tid);
		pack_i32(pack, &runs->runs[i].pid);
	}
}
