/* SPDX-License-Identifier: MIT */
#include "report/text/source_label.h"

#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"

#include <stdio.h>

struct source_label source_label_of(struct lines *lines,
				    const struct function_table *functions,
				    uint32_t function)
{
	struct source_label label = { "" };
	struct source_line line;

	if (lines &&
	    lines_find(lines, function_at(functions, function), 0, &line))
		snprintf(label.text, sizeof(label.text), "%s:%d", line.file,
			 line.line);
	return label;
}
