/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_MODULE_START_H
#define KT_COLLECTOR_MODULE_START_H

#include "collector/kernel_code/kcore_copy.h"

#include <stdbool.h>

struct array;
struct kcore;
struct module;

/* The code that @module runs once, as it begins: it has memory of its own that
 * is free after that.  Its size is nowhere to be read: it ends where no more
 * memory is mapped, or at the next of the modules @loaded.
 *
 * Returns whether it is still there, and sets *@range.
 */
bool module_start_find(const struct kcore *kcore, const struct array *loaded,
		       const struct module *module, struct code_range *range);

#endif
