/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_CHANGES_H
#define KT_COLLECTOR_KERNEL_CHANGES_H

#include "collector/kernel_code/kcore_copy.h"

#include <stdbool.h>

struct array;
struct kcore;
struct kernel_copy;
struct log;
struct module;
struct module_text;
struct output_folder;

/* Kernels of architectures other than x86 patch their code without a
 * TEXT_POKE record for each change (perf_event_text_poke() has few callers):
 * what is different at the end of a recording became so at an unknown time.
 */

/* An ELF file has fewer than 65,536 segments. */
enum { KERNEL_CHANGES_MAX = 32768 };

/* This is what is compared, all of it borrowed. */
struct change_search {
	const struct kcore *before;
	const struct kcore *now;
	const struct module_text *text; /* NULL: everything is code */
	const struct module *module;	/* else only its code counts */
	/* Not NULL: code of its kernel and its modules is left out, and of
	 * @before the segments that were added while it was recorded.
	 */
	const struct kernel_copy *apart;
};

/* Appends the code that @search->before holds of @range, and @search->now has
 * other bytes for, to @changed (struct code_range): whole words of four bytes.
 * From KERNEL_CHANGES_MAX ranges on, the last one is made longer if it lies in
 * @range.
 *
 * Returns 0; -ERROR_NOT_FOUND if @search->now does not hold it;
 * -ERROR_UNSUPPORTED if @changed is full; -ERROR_SYSTEM with errno set;
 * -ERROR_MEMORY.
 */
int kernel_changes_find(const struct change_search *search,
			const struct code_range *range, struct array *changed);

/* Compares the executable pages that belong neither to the kernel nor to modules
 * (executable_pages.h) with @copy, which was made in @folder, and, if
 * @with_kernel, the kernel and those of its modules that are still there, too.
 * Writes the code that differs, as it is now, to the file kcore_end there, of
 * kcore's form.  Nothing differs: no file.
 *
 * A difference that no record explains became so at an unknown time: the copy is
 * not used for it.  x86 kernels announce each patch of the kernel and modules.
 *
 * Returns 0 or a negative enum error with the reason in @log.
 */
int kernel_changes_write(const struct kernel_copy *copy, bool with_kernel,
			 const struct output_folder *folder,
			 const struct log *log);

#endif
