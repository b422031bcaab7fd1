/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ARCH_TABLES_H
#define KT_SYMBOLIZE_ARCH_TABLES_H

#include "symbolize/arch/arch.h"

/* For the initialiser of a struct arch: its tables, all of them arrays, with
 * their counts.
 */
#define ARCH_TABLES(role_table, entry_table, prefixes, registers) \
	.roles = (role_table), .role_count = ARCH_COUNT(role_table), \
	.entries = (entry_table), .entry_count = ARCH_COUNT(entry_table), \
	.system_call_prefixes = (prefixes), \
	.system_call_prefix_count = ARCH_COUNT(prefixes), \
	.user_registers = (registers), \
	.user_register_count = ARCH_COUNT(registers)

#define ARCH_COUNT(table) (sizeof(table) / sizeof(*(table)))

#endif
