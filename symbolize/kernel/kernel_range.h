/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_KERNEL_RANGE_H
#define KT_SYMBOLIZE_KERNEL_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An interval of the kernel's text between two linker symbols of
 * include/asm-generic/vmlinux.lds.h: [start, end).
 */
struct kernel_range {
	uint64_t start;
	uint64_t end;
};

/* Finds the range called @name ("sched", "lock") in the text of /proc/kallsyms:
 * from __sched_text_start to __sched_text_end.
 *
 * Returns false and an empty @range if a symbol is missing.
 */
bool kernel_range_find(const char *text, size_t size, const char *name,
		       struct kernel_range *range);

#endif
