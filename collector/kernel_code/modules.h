/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_CODE_MODULES_H
#define KT_COLLECTOR_KERNEL_CODE_MODULES_H

/* The kernel's modules while recording: which are loaded, and where their code
 * is, for the copies of the kernel's code.
 *
 *	/proc/modules ─► module_list_read() ─► names, addresses
 *	/proc/kallsyms ─► module_text_read() ─► the code of each
 *
 * 1. Modules without an address are skipped: they are being loaded, or the
 *    kernel hides addresses.
 * 2. No interface reports the size of a module's code: it is derived from
 *    symbols, and ends at the latest where memory is not mapped.
 *
 * Errors: -ERROR_MEMORY, -ERROR_SYSTEM with errno.
 */

#include "collector/kernel_code/kcore.h"
#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_symbols;

/* A kernel module as listed in /proc/modules. */
struct module {
	char name[64]; /* MODULE_NAME_LEN is 56 */
	uint64_t address;
	uint64_t size_bytes;
};

/* Parses the @text of /proc/modules, which must end with a NUL, and appends its
 * modules, in order of address, to @modules.
 *
 * Skips modules without an address, which are being loaded or whose address the
 * kernel hides. Returns 0 or -ERROR_MEMORY.
 */
int module_list_parse(const char *text, struct array *modules);

/* Appends the modules that are loaded now; none for a kernel without module
 * support. Returns 0, -ERROR_SYSTEM with errno set, or -ERROR_MEMORY.
 */
int module_list_read(struct array *modules);

/* Finds the init code of @module, which runs once when it is loaded and is
 * freed afterwards. No interface reports its size: it ends where memory is not
 * mapped, or at the next of the modules @loaded.
 *
 * Returns whether it still exists, and sets *@range.
 */
bool module_start_find(const struct kcore *kcore, const struct array *loaded,
		       const struct module *module, struct code_range *range);

/* The positions of code in modules. /proc/modules only has the size of a module
 * including its data, which follows its code, or since Linux 6.4 (struct
 * module_memory) can be anywhere.
 */
struct module_text {
	struct array marks; /* struct mark (modules.c), by address */
};

/* Derives the positions from @symbols, and from the addresses of @modules
 * (struct module), which are the starts of their code. Both are borrowed.
 *
 * Returns 0, or -ERROR_MEMORY. The caller must free @text in either case.
 */
int module_text_read(struct module_text *text,
		     const struct kernel_symbols *symbols,
		     const struct array *modules);

void module_text_free(struct module_text *text);

/* Returns whether @address is in the code of @module: the nearest symbol or
 * module start at or before it must be a function, or the start, of @module.
 */
bool module_text_has(const struct module_text *text,
		     const struct module *module, uint64_t address);

#endif
