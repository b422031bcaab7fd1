/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_NAME_H
#define KT_SYMBOLIZE_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes of a symbol's name make up a name. */
struct name_lengths {
	size_t name; /* the function's own, "foo.isra.0" */
	size_t base; /* what the source calls it, "foo" */
};

/* Returns what is left of the @length bytes of symbol @name without suffixes
 * that gcc and clang make.  Clones (".part.0", ".isra.0", ".constprop.0") are
 * functions of their own: they are called, and their names say so.  Other
 * suffixes (".cold", ".llvm.123", ".lto_priv.0", ".localalias", ".123") are
 * no part of either name.
 *
 * Source: gcc's clone_function_name() and its callers; clang's
 * -funique-internal-linkage-names and ThinLTO promotion.
 */
struct name_lengths function_name_lengths(const char *name, size_t length);

/* Returns whether symbol @name is a cold part, "foo.cold": foo jumps there for
 * what seldom happens, and nothing enters it otherwise.
 */
bool function_name_is_cold(const char *name, size_t length);

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

/* Returns whether @name is a label inside a function, which code falls into and
 * nothing calls or jumps to: what lies there is that function's, also where a
 * trace goes on behind the label after a loss.
 * Source: arch/x86/entry/entry_64.S.
 */
bool function_name_is_label(const char *name, size_t length);

#endif
