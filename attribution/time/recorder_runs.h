/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_RECORDER_RUNS_H
#define KT_ATTRIBUTION_RECORDER_RUNS_H

#include <stdbool.h>
#include <stdint.h>

struct pack;

struct recorder_run {
	uint64_t begin_ns;
	uint64_t end_ns; /* UINT64_MAX: it runs */
};

/* More than the recorder runs on a CPU while a thread waits there, but for a
 * thread that hardly gets a turn: its wait is the tracer's only in so far.
 */
enum { RECORDER_RUNS = 32 };

/* When the recorder's threads last had a CPU: what others waited for there.  A
 * zeroed one has none.
 */
struct recorder_runs {
	struct recorder_run runs[RECORDER_RUNS];
	uint32_t count; /* so far: older ones are overwritten */
};

void recorder_runs_begin(struct recorder_runs *runs, uint64_t time_ns);
void recorder_runs_end(struct recorder_runs *runs, uint64_t time_ns);

/* Finds the first run in [@from_ns, @until_ns), cut to that.
 *
 * Returns whether there is one, in *@run.
 */
bool recorder_runs_find(const struct recorder_runs *runs, uint64_t from_ns,
			uint64_t until_ns, struct recorder_run *run);

/* Writes or reads them. */
void recorder_runs_pack(struct recorder_runs *runs, struct pack *pack);

#endif
