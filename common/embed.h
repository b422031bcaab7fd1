/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_EMBED_H
#define KT_COMMON_EMBED_H

/* Makes the text of @file, a path from the root of the sources in quotes, the
 * constant @name of this program; with a NUL behind it.  Objects with such texts
 * have a line in Makefile, for they depend on those files.
 */
#define EMBED(name, file) \
	__asm__(".section .rodata\n" \
		".balign 8\n" #name ":\n" \
		".incbin \"" file "\"\n" \
		".byte 0\n" \
		".text\n"); \
	extern const char name[] __attribute__((visibility("hidden")))

#endif
