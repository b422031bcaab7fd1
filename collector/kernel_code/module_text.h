/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_MODULE_TEXT_H
#define KT_COLLECTOR_MODULE_TEXT_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_symbols;
struct module;

/* The positions of code in modules. /proc/modules only has the size of a module
 * including its data, which follows its code, or since Linux 6.4 (struct
 * module_memory) can be anywhere.
 */
struct module_text {
	struct array marks; /* by address */
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

/* Returns whether the last mark at or before @address is code of @module. */
bool module_text_has(const struct module_text *text,
		     const struct module *module, uint64_t address);

#endif
