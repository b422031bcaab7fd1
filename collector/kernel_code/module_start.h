/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_MODULE_START_H
#define KT_COLLECTOR_MODULE_START_H

#include "collector/kernel_code/kcore_copy.h"

#include <stdbool.h>

struct array;
struct kcore;
struct module;

/* Finds the init code of @module, which runs once when it is loaded and is
 * freed afterwards. No interface reports its size: it ends where memory is not
 * mapped, or at the next of the modules @loaded.
 *
 * Returns whether it still exists, and sets *@range.
 */
bool module_start_find(const struct kcore *kcore, const struct array *loaded,
		       const struct module *module, struct code_range *range);

#endif
