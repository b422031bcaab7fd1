/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_SPAN_OUT_INTERNAL_H
#define KT_ATTRIBUTION_TIME_SPAN_OUT_INTERNAL_H

#include "attribution/time/time_span.h"

#include <stdint.h>

struct task_cgroups;
struct task_contexts;
struct thread;
struct traced_cpus;

/* Emits the time of threads to a callback, without holes. */
struct span_out {
	struct span_callback *callback;
	const struct task_contexts *contexts;
	const struct traced_cpus *cpus;
	struct off_cpu_evidence evidence;
	/* to find the threads of a throttled cgroup; NULL: unknown */
	const struct task_cgroups *cgroups;
	uint64_t start_ns; /* start of the trace; 0: not reached */
};

/* Emits @thread's time on its CPU up to @now_ns, after earlier time that is
 * due, and starts the next span there. If the thread ends, @end_error_ns is the
 * uncertainty of its end.
 */
void span_out_cut(const struct span_out *out, struct thread *thread,
		  uint64_t now_ns, uint32_t end_error_ns);

/* Emits the time that @thread was off the CPU, if any is due. */
void span_out_flush(const struct span_out *out, struct thread *thread);

/* Emits the rest of @thread's time at the end of the trace, when it is off the
 * CPU or ran on an untraced one.
 */
void span_out_finish(const struct span_out *out, struct thread *thread,
		     uint64_t end_ns);

#endif
