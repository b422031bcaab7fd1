/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SYSTEM_CALLS_H
#define KT_VIEW_SYSTEM_CALLS_H

#include <stdbool.h>

struct symbols;

/* Marks, by number, the kernel functions that implement system calls: with
 * @ends_thread those that end the thread, and so never return; without it, all.
 *
 * Returns the marks, which the caller frees; NULL when out of memory.
 */
bool *system_calls_mark(const struct symbols *symbols, bool ends_thread);

#endif
