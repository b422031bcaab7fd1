/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROCESSES_INTERRUPTS_TABLE_H
#define KT_TABLES_PROCESSES_INTERRUPTS_TABLE_H

#include <stdint.h>

/* Returns the name of @kind, an enum interrupt_kind, as in all outputs:
 * "softirq". Never NULL.
 */
const char *interrupt_kind_name(uint32_t kind);

#endif
