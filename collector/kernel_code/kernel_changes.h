/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_CHANGES_H
#define KT_COLLECTOR_KERNEL_CHANGES_H

#include "collector/kernel_code/kcore.h"

#include <stdbool.h>

struct array;
struct kcore;
struct kernel_copy;
struct log;
struct module;
struct module_text;
struct output_folder;

/* Finds code that changed without a record. Kernels of architectures other than
 * x86 patch their code without a TEXT_POKE record for each change
 * (perf_event_text_poke() has few callers), so the time of a difference found
 * at the end of a recording is unknown.
 */

/* An ELF file has fewer than 65,536 segments. */
enum { KERNEL_CHANGES_MAX = 32768 };

/* The two sides of a comparison. All pointers are borrowed. */
struct change_search {
	const struct kcore *before;
	const struct kcore *now;
	const struct module_text *text; /* NULL: everything is code */
	/* only its code counts; NULL: the code of all */
	const struct module *module;
	/* If not NULL: ignore the code of the kernel and the modules that this
	 * copy has, and the segments of @before that were added during the
	 * recording.
	 */
	const struct kernel_copy *apart;
};

/* Appends the code within @range that differs between @search->before and
 * @search->now to @changed (struct code_range), in whole words of four bytes.
 * Once @changed has KERNEL_CHANGES_MAX ranges, its last one is extended
 * instead, if it lies in @range.
 *
 * Returns 0; -ERROR_NOT_FOUND if @search->now does not contain the code;
 * -ERROR_UNSUPPORTED if @changed is full; -ERROR_SYSTEM with errno set;
 * -ERROR_MEMORY.
 */
int kernel_changes_find(const struct change_search *search,
			const struct code_range *range, struct array *changed);

/* Compares the executable pages that belong neither to the kernel nor to
 * modules (executable_pages.h) with @copy, which was made in @folder. If
 * @with_kernel, also compares the kernel and those of its modules that are
 * still loaded. Writes the code that differs, in its current state, to the file
 * kcore_end in @folder, in kcore's format; writes no file if nothing differs.
 *
 * The time of a difference without a record is unknown, so the copy is not used
 * for that code. x86 kernels report each patch of the kernel and modules.
 *
 * Returns 0 or a negative enum error with the reason in @log.
 */
int kernel_changes_write(const struct kernel_copy *copy, bool with_kernel,
			 const struct output_folder *folder,
			 const struct log *log);

#endif
