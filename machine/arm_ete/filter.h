/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_FILTER_H
#define KT_MACHINE_ARM_ETE_FILTER_H

#include "machine/arm_ete/registers.h"

#include <stdbool.h>
#include <stdint.h>

/* Which code the registers ask to be traced ("ViewInst").  Linux runs the
 * kernel at EL1 in the upper half of the address space and user code at EL0
 * in the lower: an address tells its exception level.
 */

static inline uint8_t ete_filter_level(uint64_t ip)
{
	return ip >> 63;
}

/* The exception level of @ip is permitted and not excluded. */
bool ete_filter_level_traced(const struct ete_registers *registers,
			     uint64_t ip);

/* The event is true, and @ip is in an address range to include, if any is
 * selected, and in none to exclude.
 */
bool ete_filter_range(const struct ete_registers *registers, uint64_t ip);

/* Start and stop points: the status (TRCVICTLR.SSSTATUS) after the code from
 * @ip to before @end has run, @started before.  True throughout if there are
 * none.
 */
bool ete_filter_started(const struct ete_registers *registers, bool started,
			uint64_t ip, uint64_t end);

#endif
