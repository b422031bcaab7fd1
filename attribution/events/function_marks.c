/* SPDX-License-Identifier: MIT */
#include "attribution/events/function_marks.h"

#include <stdlib.h>

struct function_marks *function_marks_new(uint32_t count)
{
	struct function_marks *marks = calloc(1, sizeof(*marks) + count);

	if (marks)
		marks->count = count;
	return marks;
}
