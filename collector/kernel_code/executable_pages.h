/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EXECUTABLE_PAGES_H
#define KT_COLLECTOR_EXECUTABLE_PAGES_H

struct array;
struct kcore;
struct kernel_symbols;

/* Finds all pages that the kernel may execute outside the direct map of memory:
 * its text, modules, BPF programs and classic BPF filters, ftrace's
 * trampolines, pages of kprobes, and thunks of mitigations
 * (its_allocate_thunk()), of which kallsyms and /proc/modules name only some.
 * /proc/vmallocinfo would list the areas, but hashes their addresses while
 * kernel.kptr_restrict is 0.
 *
 * Reads the kernel's page tables through @kcore: from init_top_pgt (x86,
 * arch/x86/kernel/head_64.S) or swapper_pg_dir (arm64) in @symbols, with the
 * physical addresses of memory from /proc/kcore's headers (get_kcore_size() and
 * update_kcore_size() in fs/proc/kcore.c). Formats: Intel SDM volume 3,
 * "Paging" (present: bit 0, page: 7, execute disable: 63); Arm ARM, "VMSAv8-64
 * translation table format descriptors" (PXN: 53, PXNTable: 59).
 *
 * Appends the ranges (struct code_range) by address, none touching another, to
 * @ranges. Returns 0; -ERROR_NOT_FOUND if the tables cannot be found or read,
 * or imply that the kernel's text is not executable: @ranges is unchanged then;
 * -ERROR_MEMORY.
 */
int executable_pages_find(const struct kcore *kcore,
			  const struct kernel_symbols *symbols,
			  struct array *ranges);

#endif
