/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_NAME_H
#define KT_SYMBOLIZE_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The lengths in bytes of the names within a symbol's name. */
struct name_lengths {
	size_t name; /* the function's own, "foo.isra.0" */
	size_t base; /* the name in the source, "foo" */
};

/* Returns the lengths of the @length bytes of symbol @name without the suffixes
 * that gcc and clang add. Clones (".part.0", ".isra.0", ".constprop.0") are
 * functions of their own: they are called, and their names include the suffix.
 * Other suffixes (".cold", ".llvm.123", ".lto_priv.0", ".localalias", ".123")
 * are part of neither name. A stub of a linkage table ("read@plt") is a function
 * whose base is the called function's name.
 *
 * Source: gcc's clone_function_name() and its callers; clang's
 * -funique-internal-linkage-names and ThinLTO promotion.
 */
struct name_lengths function_name_lengths(const char *name, size_t length);

/* Returns whether symbol @name is a cold part, "foo.cold": only foo jumps
 * there, for rare cases.
 */
bool function_name_is_cold(const char *name, size_t length);

/* Returns the length of the prefix of @name that marks the padding before a
 * function's entry ("__pfx_", "__cfi_"), or 0. Code there belongs to the
 * function named by the rest. Source: tools/objtool of Linux 6.2 and later.
 */
size_t function_name_padding(const char *name, size_t length);

/* Returns whether @name marks the start or end of a section of the kernel's
 * code, as "__irqentry_text_start": the code there has a name of its own.
 * Source: include/asm-generic/vmlinux.lds.h.
 */
bool function_name_is_mark(const char *name, size_t length);

/* Returns whether @name is a label inside a function, which code falls into and
 * nothing calls or jumps to. The code there belongs to that function, also
 * where a trace resumes after the label following a loss. Source:
 * arch/x86/entry/entry_64.S.
 */
bool function_name_is_label(const char *name, size_t length);

#endif
