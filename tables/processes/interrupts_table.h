/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROCESSES_INTERRUPTS_TABLE_H
#define KT_TABLES_PROCESSES_INTERRUPTS_TABLE_H

#include <stdint.h>

/* Returns the name of @kind in all outputs, such as "softirq". @kind must be an
 * enum interrupt_kind below INTERRUPT_KINDS.
 */
const char *interrupt_kind_name(uint32_t kind);

#endif
