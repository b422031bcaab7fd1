/* SPDX-License-Identifier: MIT */
#include "collector/priority.h"

#include <sched.h>

static bool is_ordinary(int policy)
{
	policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_OTHER || policy == SCHED_BATCH ||
	       policy == SCHED_IDLE;
}

bool priority_raise(struct priority *priority)
{
	const struct sched_param lowest = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO),
	};
	int former = sched_getscheduler(0);

	*priority = (struct priority){ 0 };
	if (former < 0)
		return false;
	if (!is_ordinary(former))
		return true;
	priority->former_policy = former;
	priority->is_raised = !sched_setscheduler(
		0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest);
	return priority->is_raised;
}

/* A thread whose right to be real-time is from RLIMIT_RTPRIO may not clear
 * SCHED_RESET_ON_FORK again. The nice value was never lost.
 */
bool priority_restore(struct priority *priority)
{
	const struct sched_param none = { 0 };
	int former = priority->former_policy;

	if (!priority->is_raised)
		return true;
	priority->is_raised =
		sched_setscheduler(0, former, &none) &&
		sched_setscheduler(0, former | SCHED_RESET_ON_FORK, &none);
	return !priority->is_raised;
}
