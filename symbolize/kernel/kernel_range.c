/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/kernel_range.h"

#include "common/kallsyms.h"

#include <stdio.h>

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
		if (kallsyms_line_is_kernels(&line, start))
			range->start = line.address;
		else if (kallsyms_line_is_kernels(&line, end))
			range->end = line.address;
	if (range->start && range->start < range->end)
		return true;
	*range = (struct kernel_range){ 0, 0 };
	return false;
}
