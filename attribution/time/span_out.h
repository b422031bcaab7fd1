/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SPAN_OUT_H
#define KT_ATTRIBUTION_SPAN_OUT_H

#include "attribution/time/off_cpu.h"
#include "attribution/time/time_span.h"

#include <stdint.h>

struct task_contexts;
struct thread;
struct traced_cpus;

/* Hands the time of threads to a callback, without holes. */
struct span_out {
	struct span_callback *callback;
	const struct task_contexts *contexts;
	const struct traced_cpus *cpus;
	struct off_cpu_evidence evidence;
	uint64_t start_ns; /* of the trace; 0: it has not begun */
};

/* Hands out @thread's time on its CPU up to @now_ns, after what is due before
 * that, and begins anew from there.  Where the thread ends @end_error_ns says how
 * exact that is.
 */
void span_out_cut(const struct span_out *out, struct thread *thread,
		  uint64_t now_ns, uint32_t end_error_ns);

/* Hands out the time that @thread was off the CPU, if any is due. */
void span_out_flush(const struct span_out *out, struct thread *thread);

/* Hands out what @thread still has at the end: it is off the CPU, or ran where
 * nothing was traced.
 */
void span_out_finish(const struct span_out *out, struct thread *thread,
		     uint64_t end_ns);

#endif
