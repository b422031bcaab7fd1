/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/kernel_range.h"

#include "common/kallsyms.h"

#include <stdio.h>
#include <string.h>

/* Returns the address of the kernel proper's symbol @name, 0 if it has none.
 * Parses only the lines that contain the name: the text has megabytes.
 */
static uint64_t address_of(const char *text, size_t size, const char *name)
{
	const char *end = text + size;
	const char *at = text;
	struct kallsyms_line line;

	while (at < end &&
	       (at = memmem(at, (size_t)(end - at), name, strlen(name)))) {
		const char *begin = memrchr(text, '\n', (size_t)(at - text));
		struct kallsyms kallsyms;

		begin = begin ? begin + 1 : text;
		kallsyms = kallsyms_of(begin, (size_t)(end - begin));
		if (kallsyms_next(&kallsyms, &line) &&
		    kallsyms_line_is_kernels(&line, name))
			return line.address;
		at += strlen(name);
	}
	return 0;
}

bool kernel_range_find(const char *text, size_t size, const char *name,
		       struct kernel_range *range)
{
	char start[64];
	char end[64];

	snprintf(start, sizeof(start), "__%s_text_start", name);
	snprintf(end, sizeof(end), "__%s_text_end", name);
	range->start = address_of(text, size, start);
	range->end = address_of(text, size, end);
	if (range->start && range->start < range->end)
		return true;
	*range = (struct kernel_range){ 0, 0 };
	return false;
}
