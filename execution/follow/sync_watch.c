/* SPDX-License-Identifier: MIT */
#include "execution/follow/sync_watch.h"

void sync_watch_begin(struct sync_watch *watch, uint64_t first, uint64_t second)
{
	watch->watched[0] = first;
	watch->watched[1] = second;
	watch->passed = 0;
}

void sync_watch_begin_second(struct sync_watch *watch, uint64_t second)
{
	sync_watch_begin(watch, 0, second);
	watch->passed = 1;
}

void sync_watch_pass(struct sync_watch *watch, struct execution *execution,
		     uint64_t position)
{
	const struct event_times *times = &execution->times;

	if (sync_watch_is_over(watch) ||
	    position < watch->watched[watch->passed])
		return;
	/* Without a known time the state would be incomplete: the first known
	 * time also determines the times of the waiting records.
	 */
	if (!times->known_ns && event_times_waiting(times))
		return;
	execution_state_take(&watch->states[watch->passed++], execution,
			     position);
	execution_mark(execution, MARK_SYNC);
	watch->wanted = times->count + 1;
}

void sync_watch_drop(struct sync_watch *watch, size_t gone)
{
	watch->wanted -= gone < watch->wanted ? gone : watch->wanted;
}
