/* SPDX-License-Identifier: MIT */
#include "report/text/function_label.h"

#include "report/text/frame_state.h"
#include "report/text/name_text.h"
#include "symbolize/functions/function_table.h"

struct function_label function_label_of(const struct function_table *functions,
					uint32_t function, int32_t pid)
{
	char prefix[16];

	snprintf(prefix, sizeof(prefix), "%d", pid);
	return function_label_under(functions, function,
				    pid < 0 ? NULL : prefix);
}

struct function_label
function_label_under(const struct function_table *functions, uint32_t function,
		     const char *prefix)
{
	const char *name = function_text(functions, function);
	enum frame_state state;
	struct function_label label;

	if (!prefix || frame_state_of(function, &state))
		snprintf(label.text, sizeof(label.text), "%s", name);
	else
		snprintf(label.text, sizeof(label.text), "%s%c:%s", prefix,
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

void function_name_write(const struct function_table *functions,
			 uint32_t function, FILE *out)
{
	name_write(out, NAME_TEXT, function_at(functions, function)->name);
}
