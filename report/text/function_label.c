/* SPDX-License-Identifier: MIT */
#include "report/text/function_label.h"

#include "report/text/frame_state.h"
#include "symbolize/functions/function_table.h"

#include <stdio.h>

struct function_label function_label_of(const struct function_table *functions,
					uint32_t function, int32_t pid)
{
	const char *name = function_text(functions, function);
	enum frame_state state;
	struct function_label label;

	if (pid < 0 || frame_state_of(function, &state))
		snprintf(label.text, sizeof(label.text), "%s", name);
	else
		snprintf(label.text, sizeof(label.text), "%d%c:%s", pid,
			 function_at(functions, function)->space, name);
	return label;
}

const char *function_text(const struct function_table *functions,
			  uint32_t function)
{
	enum frame_state state;

	return frame_state_of(function, &state) ?
		       frame_state_name(state) :
		       function_at(functions, function)->name;
}
