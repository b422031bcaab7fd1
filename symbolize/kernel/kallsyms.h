/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_KALLSYMS_H
#define KT_SYMBOLIZE_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

/* One line of /proc/kallsyms: "address type name[\t[module]]".  The texts
 * are not ended by a NUL and belong to the caller of the parser.
 */
struct kallsyms_line {
	uint64_t address;
	char type;
	const char *name;
	size_t name_length;
	const char *module; /* length 0 for the kernel proper */
	size_t module_length;
};

/* A walk over the @size bytes at @text. */
struct kallsyms {
	const char *text; /* borrowed */
	const char *end;
	uint64_t bad_lines; /* left out so far because unreadable */
};

struct kallsyms kallsyms_of(const char *text, size_t size);

/* Returns 1 and @line, or 0 at the end.  Unreadable lines are counted and
 * left out.
 */
int kallsyms_next(struct kallsyms *kallsyms, struct kallsyms_line *line);

#endif
