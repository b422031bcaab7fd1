/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_DYNAMIC_CODE_H
#define KT_COLLECTOR_DYNAMIC_CODE_H

struct array;
struct kernel_symbols;

/* Finds code that exists already and belongs neither to the kernel's text nor
 * to a module: BPF programs, ftrace's trampolines, pages of kprobes. Appends
 * its ranges, a struct code_range each, by address, to @ranges.
 *
 * kallsyms contains the start of each range, but not its end: a range extends
 * to the next one, or for DYNAMIC_CODE_LIMIT bytes. Returns 0 or -ERROR_MEMORY.
 */
enum { DYNAMIC_CODE_LIMIT = 64 << 10 };
int dynamic_code_find(const struct kernel_symbols *symbols,
		      struct array *ranges);

#endif
