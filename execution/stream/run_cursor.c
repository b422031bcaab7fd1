/* SPDX-License-Identifier: MIT */
#include "execution/stream/run_cursor.h"

/* Returns the index of the first record from cursor->at on, before @end, that is
 * later than @time_ns; @end if none is.
 */
static size_t first_after(const struct run_cursor *cursor, size_t end,
			  uint64_t time_ns)
{
	const union timed_record *records = cursor->run.records;
	size_t low = cursor->at;
	size_t high = end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (records[middle].time_ns > time_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

size_t run_cursor_left(const struct run_cursor *cursor, uint64_t until_ns)
{
	const struct event_mark *mark = run_cursor_mark(cursor);
	size_t end = cursor->run.count;

	if (mark && mark->index < end)
		end = mark->index;
	if (until_ns != UINT64_MAX)
		end = first_after(cursor, end, until_ns);
	return end > cursor->at ? end - cursor->at : 0;
}
