/* SPDX-License-Identifier: MIT */
#include "report/text/deep_stack.h"

#include <inttypes.h>
#include <stdio.h>

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
