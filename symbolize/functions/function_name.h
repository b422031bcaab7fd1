/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_NAME_H
#define KT_SYMBOLIZE_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns how many of the @length bytes of symbol @name make up the name of
 * its function: all but the suffixes that gcc and clang give to the pieces
 * and copies of one function (".cold", ".part.0", ".isra.0", ".constprop.0",
 * ".llvm.123", in any mix).
 *
 * Source: gcc's clone_function_name() and its callers; clang's
 * -funique-internal-linkage-names and ThinLTO promotion.
 */
size_t function_name_length(const char *name, size_t length);

/* Returns how many bytes at the front of @name only mark the padding before
 * a function's entry ("__pfx_", "__cfi_"): code there belongs to the function
 * whose name follows.  Source: tools/objtool of Linux 6.2 and later.
 */
size_t function_name_padding(const char *name, size_t length);

/* Returns whether @name marks where a section of the kernel's code begins or
 * ends, as "__irqentry_text_start": what lies there has a name of its own.
 * Source: include/asm-generic/vmlinux.lds.h.
 */
bool function_name_is_mark(const char *name, size_t length);

#endif
