/* SPDX-License-Identifier: MIT */
#include "report/function_label.h"

#include "symbolize/function_table.h"

#include <stdio.h>

struct function_label function_label_of(const struct function_table *functions,
					uint32_t function, int32_t pid)
{
	const struct function *about = function_at(functions, function);
	struct function_label label;

	if (pid < 0)
		snprintf(label.text, sizeof(label.text), "%s", about->name);
	else
		snprintf(label.text, sizeof(label.text), "%d%c:%s", pid,
			 about->space, about->name);
	return label;
}
