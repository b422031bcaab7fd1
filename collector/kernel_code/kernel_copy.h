/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_COPY_H
#define KT_COLLECTOR_KERNEL_COPY_H

#include "collector/kernel_code/kcore_copy.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/array.h"

struct log;
struct output_folder;

/* This is what the running kernel's code was when it was copied. */
struct kernel_copy {
	struct kernel_symbols symbols;
	struct array modules;	/* struct module, by address */
	struct code_range text; /* of the kernel itself */
	uint64_t reference;	/* address of _text */
};

/* Copies the kernel's code and symbols into @folder, as perf record
 * --kcore does: kallsyms, modules, and kcore with nothing but the code that
 * kernel_ranges_find() finds.
 *
 * Returns 0; or a negative enum error with the reason, and the way out, in
 * @log: no right to read them, addresses hidden, no space.
 */
int kernel_copy_make(struct kernel_copy *copy,
		     const struct output_folder *folder, const struct log *log);

/* Reads what kernel_copy_make() wrote into the folder @path, here or in another
 * process: all but the code itself.  Returns likewise.
 */
int kernel_copy_read(struct kernel_copy *copy, const char *path,
		     const struct log *log);
void kernel_copy_free(struct kernel_copy *copy);

#endif
