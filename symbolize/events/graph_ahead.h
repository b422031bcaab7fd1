/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GRAPH_AHEAD_H
#define KT_SYMBOLIZE_GRAPH_AHEAD_H

#include "symbolize/arch/arch.h"

#include <stdbool.h>
#include <stdint.h>

struct graph_events;

/* The tracer reports neither the kernel's entry code nor its exit code. The
 * records that follow show whether a context has ended.
 */

/* Returns the entry of the interrupt whose first function is @function, that of
 * the current record.
 */
uint32_t graph_vector_ahead(const struct graph_events *events,
			    uint32_t function);

/* Returns whether a function at depth 0 with @role, which implies @entry, still
 * belongs to the task's current context when it starts at @time_ns.
 */
bool graph_context_lasts(const struct graph_events *events,
			 enum graph_role role, uint32_t entry,
			 uint64_t time_ns);

/* Returns whether the next record still belongs to the context, when a function
 * at depth 0 ended.
 */
bool graph_context_goes_on(const struct graph_events *events);

/* Returns whether the next record starts an interrupt, and after it a function
 * follows that only the exit path of a system call calls: the system call has
 * not ended.
 */
bool graph_call_is_interrupted(const struct graph_events *events);

/* Returns whether the next record is a function of an interrupt's exit path,
 * when the interrupt's last function before that path has ended. Source:
 * irqentry_exit() in the kernel's include/linux/irq-entry-common.h.
 */
bool graph_interrupt_goes_on(const struct graph_events *events);

#endif
