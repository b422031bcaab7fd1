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
	/* the tasks' cgroups, to find the threads of a throttled one; NULL:
	 * unknown
	 */
	const struct task_cgroups *cgroups;
	uint64_t start_ns; /* start of the trace; 0: not reached */
};

/* Emits @thread's time on its CPU up to @now_ns, and starts the next span
 * there. Before that, emits earlier time that was not emitted yet. If the
 * thread ends, @end_error_ns is the uncertainty of its end.
 */
void span_out_cut(const struct span_out *out, struct thread *thread,
		  uint64_t now_ns, uint32_t end_error_ns);

/* Emits the time that @thread was off the CPU, if it has ended and was not
 * emitted yet.
 */
void span_out_flush(const struct span_out *out, struct thread *thread);

/* Emits the time of @thread from its last span to @end_ns, the end of the
 * trace, if the thread is off the CPU or runs on an untraced one.
 */
void span_out_finish(const struct span_out *out, struct thread *thread,
		     uint64_t end_ns);

#endif
