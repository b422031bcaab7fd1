/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GRAPH_AHEAD_H
#define KT_SYMBOLIZE_GRAPH_AHEAD_H

#include "symbolize/arch/arch.h"

#include <stdbool.h>
#include <stdint.h>

struct graph_events;

/* The tracer does not see the kernel's entries and the ways out of it: what the
 * next records are tells whether one has ended.
 */

/* Returns the entry of the interrupt that begins with the record, of @function. */
uint32_t graph_vector_ahead(const struct graph_events *events,
			    uint32_t function);

/* Returns whether a function at depth 0, at @time_ns, which stands for @entry,
 * still belongs to what the task came into the kernel for.
 */
bool graph_context_lasts(const struct graph_events *events,
			 enum graph_role role, uint32_t entry,
			 uint64_t time_ns);

/* Returns whether what comes next still does, when a function at depth 0 ended. */
bool graph_context_goes_on(const struct graph_events *events);

/* Returns whether an interrupt comes next, and behind it something that only a system
 * call's way out calls: so it is not over yet.
 */
bool graph_call_is_interrupted(const struct graph_events *events);

/* Returns whether the way out of an interrupt calls what comes next, when its
 * last function but those has ended.
 * Source: irqentry_exit() in the kernel's include/linux/irq-entry-common.h.
 */
bool graph_interrupt_goes_on(const struct graph_events *events);

#endif
