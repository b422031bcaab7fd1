/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CPU_SLOT_H
#define KT_REPORT_CPU_SLOT_H

#include <stdint.h>

/* Returns the index of @cpu in arrays of all CPUs: UINT32_MAX, the CPU of
 * per-thread streams (struct call_step), is first.
 */
static inline uint32_t cpu_slot(uint32_t cpu)
{
	return cpu + 1;
}

#endif
