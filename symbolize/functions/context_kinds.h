/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_CONTEXT_KINDS_H
#define KT_SYMBOLIZE_CONTEXT_KINDS_H

/* The kernel context that each function of a recording starts: a system call, a
 * fault, an interrupt, and so on, or none.
 *
 * The kinds are found once, by the names of all functions: first by the
 * architecture's entries (struct arch), then by the kernel code that is the
 * same on all of them. A look-up is then an array access, made for each call
 * event.
 *
 * 1. The table is constant after context_kinds_new(): threads may share it.
 * 2. A function of user space starts no context.
 */

#include "symbolize/arch/arch.h"

#include <stdbool.h>
#include <stdint.h>

struct function_table;

/* The kernel context that each function of a recording starts, by function
 * number.
 */
struct context_kinds;

/* Looks up all @functions once. Returns NULL when out of memory. */
struct context_kinds *context_kinds_new(const struct function_table *functions,
					const struct arch *arch);
void context_kinds_free(struct context_kinds *kinds);

/* Returns CONTEXT_NONE for functions of user space. */
enum context_kind context_kind_of(const struct context_kinds *kinds,
				  uint32_t function);

/* Returns whether @function is in user space. */
bool context_kinds_is_user(const struct context_kinds *kinds,
			   uint32_t function);

#endif
