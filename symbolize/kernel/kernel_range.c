/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/kernel_range.h"

#include "symbolize/kernel/kallsyms.h"

#include <stdio.h>
#include <string.h>

static bool is_called(const struct kallsyms_line *line, const char *name)
{
	return !line->module_length && strlen(name) == line->name_length &&
	       !memcmp(name, line->name, line->name_length);
}

bool kernel_range_find(const char *text, size_t size, const char *name,
		       struct kernel_range *range)
{
	struct kallsyms kallsyms = kallsyms_of(text, size);
	struct kallsyms_line line;
	char start[64];
	char end[64];

	*range = (struct kernel_range){ 0, 0 };
	snprintf(start, sizeof(start), "__%s_text_start", name);
	snprintf(end, sizeof(end), "__%s_text_end", name);
	while (kallsyms_next(&kallsyms, &line))
		if (is_called(&line, start))
			range->start = line.address;
		else if (is_called(&line, end))
			range->end = line.address;
	if (range->start && range->start < range->end)
		return true;
	*range = (struct kernel_range){ 0, 0 };
	return false;
}
