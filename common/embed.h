/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_EMBED_H
#define KT_COMMON_EMBED_H

/* Embeds the text of @file, a quoted path relative to the root of the sources,
 * as the constant @name of this program, followed by a NUL. Objects with
 * embedded texts need a line in the Makefile for their dependency on those
 * files.
 */
#define EMBED(name, file) \
	__asm__(".section .rodata\n" \
		".balign 8\n" #name ":\n" \
		".incbin \"" file "\"\n" \
		".byte 0\n" \
		".text\n"); \
	extern const char name[] __attribute__((visibility("hidden")))

#endif
