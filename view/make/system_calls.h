/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SYSTEM_CALLS_H
#define KT_VIEW_SYSTEM_CALLS_H

#include <stdbool.h>

struct symbols;

/* Marks the kernel's functions, by number, that are system calls; those that
 * end the thread, and so never return, with @ends_thread, all with false.
 *
 * Returns the marks, to be freed; NULL when out of memory.
 */
bool *system_calls_mark(const struct symbols *symbols, bool ends_thread);

#endif
