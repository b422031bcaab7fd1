/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CPU_SLOT_H
#define KT_REPORT_CPU_SLOT_H

#include <stdint.h>

/* Where an array of all CPUs keeps what it knows of @cpu: UINT32_MAX, the CPU
 * of streams of threads (struct call_step), comes first.
 */
static inline uint32_t cpu_slot(uint32_t cpu)
{
	return cpu + 1;
}

#endif
