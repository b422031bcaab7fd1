/* SPDX-License-Identifier: MIT */
#include "execution/walk/event_marks.h"

#include <string.h>

size_t event_marks_ready(const struct event_marks *marks, size_t records,
			 bool all)
{
	size_t count = marks->count;

	while (count && !all && marks->marks[count - 1].index >= records)
		count--;
	return count;
}

void event_marks_drop(struct event_marks *marks, size_t count, size_t records)
{
	size_t left = marks->count - count;

	memmove(marks->marks, marks->marks + count,
		left * sizeof(*marks->marks));
	marks->count = left;
	for (size_t i = 0; records && i < left; i++)
		marks->marks[i].index -= (uint32_t)records;
}
