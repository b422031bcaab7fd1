/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_CODE_KERNEL_COPY_H
#define KT_COLLECTOR_KERNEL_CODE_KERNEL_COPY_H

#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/array.h"

struct log;
struct output_folder;

/* The running kernel's code and symbols when they were copied. */
struct kernel_copy {
	struct kernel_symbols symbols;
	struct array modules;	/* struct module, by address */
	struct code_range text; /* of the kernel itself */
	uint64_t reference;	/* address of _text */
};

/* Copies the kernel's code and symbols into @folder, like perf record --kcore:
 * kallsyms, modules, and a kcore with only the code ranges from
 * kernel_ranges_find(). If modules are loaded or removed meanwhile, copies
 * again, up to five times in all; the last copy counts even then.
 *
 * Returns 0; or a negative enum error with the reason and the remedy in @log:
 * no right to read them, addresses hidden, no space.
 */
int kernel_copy_make(struct kernel_copy *copy,
		     const struct output_folder *folder, const struct log *log);

/* Reads the output of kernel_copy_make() from the folder @path, in the same or
 * another process: everything except the code itself. Returns like
 * kernel_copy_make().
 */
int kernel_copy_read(struct kernel_copy *copy, const char *path,
		     const struct log *log);

void kernel_copy_free(struct kernel_copy *copy);

/* Appends the ranges of @kcore (struct code_range) that contain the code of the
 * kernel, of the modules, of the ranges that dynamic_code_find() finds in the
 * symbols of @copy, and of all other pages that executable_pages_find() finds,
 * except pages with only zeros or breakpoints. The ranges do not overlap.
 *
 * Returns 0 or a negative enum error, with errno set if -ERROR_SYSTEM.
 */
int kernel_ranges_find(const struct kernel_copy *copy,
		       const struct kcore *kcore, struct array *ranges);

/* Writes the kernel's code for user space, the vdso of this process, to the
 * file vdso in @folder, because no file on disk contains it. (32-bit programs
 * have a different vdso.)
 *
 * Returns 0, also for a kernel without one; -ERROR_SYSTEM, logged to @log.
 */
int vdso_copy_make(const struct output_folder *folder, const struct log *log);

/* Writes the types of the kernel and its modules to the file types in @folder
 * (common/formats/kernel_types.h). Returns 0, also for a kernel without types;
 * -ERROR_MEMORY; -ERROR_SYSTEM, logged to @log.
 */
int types_copy_make(const struct output_folder *folder, const struct log *log);

#endif
