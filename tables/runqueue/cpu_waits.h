/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CPU_WAITS_H
#define KT_TABLES_CPU_WAITS_H

#include "attribution/time/time_span.h"
#include "common/array.h"
#include "report/steps/time_window.h"

#include <stdbool.h>
#include <stdint.h>

/* A thread that could run waits for a CPU: [begin_ns, end_ns). */
struct cpu_wait {
	const struct task *task;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t recorder_ns; /* of it: the recorder had the CPU */
	int32_t cpu;	      /* on which it ran then */
	bool was_running;     /* it had been, and was preempted */
	/* struct time_window, of the finder: when the recorder had the CPU. */
	struct array recorder;
};

/* Leaves of @wait what is in @window.  Returns whether anything is. */
bool cpu_wait_cut(struct cpu_wait *wait, struct time_window window);

/* Returns 0 or a negative enum error. */
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
	bool has_run; /* its newest span that was no wait is on a
				 * CPU */
};

struct cpu_waits cpu_waits_of(take_cpu_wait *take, void *ctx);
void cpu_waits_free(struct cpu_waits *waits);

/* Takes a span.  A wait is handed on with the span behind it.
 *
 * Returns 0, -ERROR_MEMORY, or what take() returned.
 */
int cpu_waits_span(struct cpu_waits *waits, const struct time_span *span);

/* Hands on the waits that the recording ends in.  Returns as above. */
int cpu_waits_end(struct cpu_waits *waits);

#endif
