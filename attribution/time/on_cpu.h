/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_ON_CPU_H
#define KT_ATTRIBUTION_ON_CPU_H

#include "attribution/time/time_span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct open_context;

/* Returns the class of a thread's time on a CPU while it has the @count
 * contexts at @contexts open, outermost first; without contexts @in_user
 * decides.
 *
 * The innermost context decides, with three exceptions: the scheduler counts
 * for its caller, or if that was the way out of an interrupt, for the thread;
 * soft interrupts in the kernel thread that exists for them are its own work;
 * faults of the tracer are the tracer's.
 */
enum time_class on_cpu_class(const struct open_context *contexts, size_t count,
			     bool in_user);

/* Returns the class of a thread's provisional time (see struct time_span),
 * given @span, its first later span on a CPU that is not provisional.
 */
enum time_class on_cpu_resolved_class(const struct time_span *span);

/* Returns the reason why time in a CPU's state (enum cpu_state) is unknown. In
 * CPU_TRACED and CPU_OUTSIDE it is known.
 */
enum unknown_reason on_cpu_reason(uint8_t cpu_state);

#endif
