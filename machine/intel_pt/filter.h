/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_FILTER_H
#define KT_MACHINE_INTEL_PT_FILTER_H

#include "machine/intel_pt/registers.h"

#include <stdbool.h>
#include <stdint.h>

/* The code that the registers select for tracing (SDM, "Trace Filtering"). */

/* Returns ContextEn: whether the privilege level and CR3 are traced. Linux runs
 * the kernel in the upper half of the address space and user code in the lower
 * half, so @ip determines the level.
 */
bool pt_filter_context(const struct pt_registers *registers, uint64_t ip,
		       uint64_t cr3);

/* Returns FilterEn: whether @ip is in a filter range, or there are no such
 * ranges.
 */
bool pt_filter_range(const struct pt_registers *registers, uint64_t ip);

/* Returns whether @ip is in one of the TraceStop ranges. */
bool pt_filter_stops(const struct pt_registers *registers, uint64_t ip);

#endif
