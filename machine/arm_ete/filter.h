/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_FILTER_H
#define KT_MACHINE_ARM_ETE_FILTER_H

#include "machine/arm_ete/registers.h"

#include <stdbool.h>
#include <stdint.h>

/* The code that the registers select for tracing ("ViewInst"). Linux runs the
 * kernel at EL1 in the upper half of the address space and user code at EL0 in
 * the lower half, so an address determines its exception level.
 */

static inline uint8_t ete_filter_level(uint64_t ip)
{
	return ip >> 63;
}

/* Returns whether the exception level of @ip is permitted and not excluded. */
bool ete_filter_level_traced(const struct ete_registers *registers,
			     uint64_t ip);

/* Returns whether the event is true and @ip is in a selected include range, if
 * there are any, and in no exclude range.
 */
bool ete_filter_range(const struct ete_registers *registers, uint64_t ip);

/* Applies start and stop points: returns the status (TRCVICTLR.SSSTATUS) after
 * the code from @ip to before @end, given the status @started before. Always
 * true if there are no such points.
 */
bool ete_filter_started(const struct ete_registers *registers, bool started,
			uint64_t ip, uint64_t end);

#endif
