/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WORK_KINDS_H
#define KT_ATTRIBUTION_WORK_KINDS_H

#include "symbolize/arch.h"

#include <stdint.h>

struct symbols;

/* What kind of work each function of a recording begins: by its number. */
struct work_kinds;

/* Returns NULL when out of memory. */
struct work_kinds *work_kinds_new(const struct symbols *symbols);
void work_kinds_free(struct work_kinds *kinds);

/* Returns WORK_NONE for functions of user space. */
enum work_kind work_kind_of(const struct work_kinds *kinds, uint32_t function);

#endif
