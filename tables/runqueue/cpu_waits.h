/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CPU_WAITS_H
#define KT_TABLES_CPU_WAITS_H

#include "attribution/time/time_span.h"
#include "common/array.h"
#include "report/steps/time_window.h"

#include <stdbool.h>
#include <stdint.h>

/* An interval in which a runnable thread waited for a CPU: [begin_ns, end_ns).
 */
struct cpu_wait {
	const struct task *task;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t recorder_ns; /* part of it in which the recorder had the CPU */
	uint64_t throttled_ns; /* and in which its cgroup was throttled */
	int32_t cpu;	       /* on which it ran afterwards */
	bool was_running;      /* it was preempted */
	/* struct time_window: when the recorder had the CPU. Owner: the finder.
	 */
	struct array recorder;
	struct array throttled; /* likewise: when its cgroup was throttled */
};

/* Frees what @wait owns. */
void cpu_wait_free(struct cpu_wait *wait);

/* Cuts @wait to @window. Returns whether anything is left. */
bool cpu_wait_cut(struct cpu_wait *wait, struct time_window window);

/* Called with each wait. Returns 0 or a negative enum error. */
typedef int take_cpu_wait(void *ctx, const struct cpu_wait *wait);

/* Finds waits in the spans of threads' time. */
struct cpu_waits {
	struct array threads; /* struct cpu_wait_state by task index */
	take_cpu_wait *take;
	void *ctx;
};

struct cpu_wait_state {
	struct cpu_wait wait;
	bool is_waiting;
	bool has_run; /* its last span that was no wait was on a CPU */
};

struct cpu_waits cpu_waits_of(take_cpu_wait *take, void *ctx);
void cpu_waits_free(struct cpu_waits *waits);

/* Applies a span. A wait is emitted when the span after it arrives.
 *
 * Returns 0, -ERROR_MEMORY, or the error that take() returned.
 */
int cpu_waits_span(struct cpu_waits *waits, const struct time_span *span);

/* Emits the waits still open at the end of the recording. Returns like
 * cpu_waits_span().
 */
int cpu_waits_end(struct cpu_waits *waits);

#endif
