/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_ON_CPU_H
#define KT_ATTRIBUTION_ON_CPU_H

#include "attribution/time/time_span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct open_context;

/* Returns what a thread's time on a CPU goes to while it has the @count
 * contexts at @contexts open, outermost first; without any @in_user decides.
 *
 * The innermost work decides, but for three: the scheduler works for what
 * called it, and if that was the way out of an interrupt, for the thread; soft
 * interrupts are the own work of the kernel thread that is for them; the
 * tracer's faults are the tracer's.
 */
enum time_class on_cpu_class(const struct open_context *contexts, size_t count,
			     bool in_user);

/* Returns what a thread's provisional time (see struct time_span) went to, as
 * its first span on a CPU that is not so tells.
 */
enum time_class on_cpu_resolved_class(const struct time_span *span);

/* Returns why time in a CPU's state (enum cpu_state) is unknown if it is; in
 * CPU_TRACED and CPU_OUTSIDE it is not.
 */
enum unknown_reason on_cpu_reason(uint8_t cpu_state);

#endif
