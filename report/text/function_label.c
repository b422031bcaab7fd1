/* SPDX-License-Identifier: MIT */
#include "report/text/function_label.h"

#include "report/text/name_text.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
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

struct depth_mark depth_mark_of(uint32_t depth)
{
	struct depth_mark mark = { "" };

	if (depth > DEPTH_INDENTED)
		snprintf(mark.text, sizeof(mark.text), "[%" PRIu32 "] ", depth);
	return mark;
}

struct stack_gap stack_gap_of(size_t left_out)
{
	struct stack_gap gap;

	snprintf(gap.text, sizeof(gap.text), "[%zu frames]", left_out);
	return gap;
}

bool frame_state_of(uint32_t function, enum frame_state *state)
{
	if (function == FUNCTION_NONE ||
	    function < frame_state_function((enum frame_state)0))
		return false;
	*state = (enum frame_state)(function -
				    frame_state_function((enum frame_state)0));
	return true;
}

/* Returns for example "[asleep]" or "[unknown: gap]". */
static const char *frame_state_name(enum frame_state state)
{
	static const char *const names[FRAME_STATES] = {
		[FRAME_LEFT_OUT] = "[frames left out]",
		[FRAME_USER] = "[user]",
		[FRAME_RUNNABLE] = "[runnable]",
		[FRAME_ASLEEP] = "[asleep]",
		[FRAME_NOT_ASKED] = "[not asked for]",
		[FRAME_GUEST] = "[guest]",
		[FRAME_UNKNOWN_GAP] = "[unknown: gap]",
		[FRAME_UNKNOWN_FILTERED] = "[unknown: filtered]",
		[FRAME_UNKNOWN_OFF] = "[unknown: off]",
		[FRAME_UNKNOWN_UNTRACED] = "[unknown: untraced]",
		[FRAME_UNKNOWN_NO_EVENTS] = "[unknown: no events]",
		[FRAME_UNKNOWN_LOST_EVENTS] = "[unknown: lost events]",
	};

	return state < FRAME_STATES ? names[state] : "";
}

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
