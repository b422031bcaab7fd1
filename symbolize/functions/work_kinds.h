/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_WORK_KINDS_H
#define KT_SYMBOLIZE_WORK_KINDS_H

#include "symbolize/arch/arch.h"

#include <stdbool.h>
#include <stdint.h>

struct arch;
struct function_table;

/* What kind of work each function of a recording begins: by its number. */
struct work_kinds;

/* Looks at all @functions once.  Returns NULL when out of memory. */
struct work_kinds *work_kinds_new(const struct function_table *functions,
				  const struct arch *arch);
void work_kinds_free(struct work_kinds *kinds);

/* Returns WORK_NONE for functions of user space. */
enum work_kind work_kind_of(const struct work_kinds *kinds, uint32_t function);

/* Returns whether @function is one of user space. */
bool work_kinds_is_user(const struct work_kinds *kinds, uint32_t function);

#endif
