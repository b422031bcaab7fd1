/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_CODE_EXECUTABLE_PAGES_H
#define KT_COLLECTOR_KERNEL_CODE_EXECUTABLE_PAGES_H

#include "collector/kernel_code/kcore.h"

struct array;
struct kernel_symbols;

/* Finds code in the kernel's memory, in addition to its text and modules. The
 * kernel has no list of it, so several sources are combined:
 *
 *	executable_pages_find()	all pages that may be executed, by page tables
 *	dynamic_code_find()	starts of BPF programs and trampolines, by kallsyms
 *	its_thunks_find()	pages of thunks, by their content
 *	jit_code_find()		the code of one BPF program, without its header
 *	code_pages_find*()	of any range, the pages that have content
 *
 * All of them read memory through struct kcore, except dynamic_code_find(),
 * which only reads symbols. The memory may change meanwhile: the callers watch
 * for changes.
 */

/* Finds the pages of the kernel's memory that have content. Between modules,
 * and between the pieces of one, are addresses without memory. /proc/kcore
 * reads as zeros there, and zeros are a valid x86 instruction.
 */

/* Appends the parts of @range that are not all zeros, in whole pages, to
 * @ranges (struct code_range). Extends the last of @ranges if it is adjacent.
 *
 * Returns 0 or a negative enum error, with errno set if -ERROR_SYSTEM.
 */
int code_pages_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *ranges);

/* The kernel allocates memory for JIT code in aligned chunks of this many bytes
 * (BPF_PROG_CHUNK_SIZE), of which a page holds several programs.
 */
enum { CODE_PAGES_CHUNK = 64 };

/* Like code_pages_find(), but for code that is generated while the kernel runs:
 * also omits free chunks, which are filled with breakpoints. New code may be
 * written there later, and perf finds its copy only if no other one contains
 * its addresses. (In the kernel's text such chunks are padding, and perf
 * requires the text in one piece.)
 */
int code_pages_find_made(const struct kcore *kcore,
			 const struct code_range *range, struct array *ranges);

/* Returns the end of the pages with content that start at @start, at most
 * @limit bytes after it; @start if there are none.
 */
uint64_t code_pages_end(const struct kcore *kcore, uint64_t start,
			uint64_t limit);

/* Returns the code in @range of @kcore, the memory of one BPF program: omits
 * its header (struct bpf_binary_header) and the breakpoints before and after
 * the code, which starts at a random address (bpf_jit_binary_pack_alloc() in
 * kernel/bpf/core.c). Returns @range if it has no such header or cannot be
 * read.
 */
struct code_range jit_code_find(const struct kcore *kcore,
				const struct code_range *range);

/* The name for pages that its_thunks_find() finds. The kernel's own thunks have
 * it (arch/x86/lib/retpoline.S), and the symbol code for x86 recognizes a thunk
 * by this name.
 */
#define ITS_THUNK_NAME "__x86_indirect_its_thunk"

/* Finds the pages with thunks of the mitigation of Indirect Target Selection,
 * which the kernel creates at boot and for each module (its_allocate_thunk() in
 * arch/x86/kernel/alternative.c): pages of breakpoints with jumps through a
 * register, each in the second half of a cache line. They have no symbols.
 *
 * Appends the parts of @range that are such pages to @thunks (struct
 * code_range). Returns 0 or -ERROR_MEMORY.
 */
int its_thunks_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *thunks);

/* Finds code that exists already and belongs neither to the kernel's text nor
 * to a module: BPF programs, ftrace's trampolines, pages of kprobes. Appends
 * its ranges, a struct code_range each, by address, to @ranges, which must be
 * empty: the end of a range depends on the next one.
 *
 * kallsyms contains the start of each range, but not its end: a range extends
 * to the next one, or for DYNAMIC_CODE_LIMIT bytes. Returns 0 or -ERROR_MEMORY.
 */
enum { DYNAMIC_CODE_LIMIT = 64 << 10 };

int dynamic_code_find(const struct kernel_symbols *symbols,
		      struct array *ranges);

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
 * or imply that the kernel's text is not executable; -ERROR_MEMORY. @ranges is
 * unchanged on errors.
 */
int executable_pages_find(const struct kcore *kcore,
			  const struct kernel_symbols *symbols,
			  struct array *ranges);

#endif
