/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FORMATS_KALLSYMS_H
#define KT_COMMON_FORMATS_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line of /proc/kallsyms: "address type name[\t[module]]". The texts are
 * not NUL-terminated and point into the parsed text, which the caller of the
 * parser owns.
 */
struct kallsyms_line {
	uint64_t address;
	char type;
	const char *name;
	size_t name_length;
	const char *module; /* length 0 for the kernel proper */
	size_t module_length;
};

/* A position in a text of lines of /proc/kallsyms. */
struct kallsyms {
	const char *text; /* borrowed */
	const char *end;
	uint64_t bad_lines; /* invalid lines skipped so far */
};

/* Starts to parse the @size bytes at @text, which are borrowed. */
struct kallsyms kallsyms_of(const char *text, size_t size);

/* Returns 1 and @line, or 0 at the end. Skips and counts invalid lines. */
int kallsyms_next(struct kallsyms *kallsyms, struct kallsyms_line *line);

/* Returns whether the symbol is @name of the kernel proper. */
bool kallsyms_line_is_kernels(const struct kallsyms_line *line,
			      const char *name);

#endif
