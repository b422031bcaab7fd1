/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_DYNAMIC_CODE_H
#define KT_COLLECTOR_DYNAMIC_CODE_H

struct array;
struct kernel_symbols;

/* Finds code that belongs neither to the kernel's text nor to a module, but
 * is there already: BPF programs, ftrace's trampolines, pages of kprobes.
 * Appends its ranges, a struct code_range each, by address, to @ranges.
 *
 * kallsyms tells where each begins, not where it ends: a range goes on to the
 * next one, or for DYNAMIC_CODE_LIMIT bytes.  Returns 0 or -ERROR_MEMORY.
 */
enum { DYNAMIC_CODE_LIMIT = 64 << 10 };
int dynamic_code_find(const struct kernel_symbols *symbols,
		      struct array *ranges);

#endif
