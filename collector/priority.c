/* SPDX-License-Identifier: MIT */
#include "collector/priority.h"

#include <sched.h>

bool priority_raise(void)
{
	const struct sched_param lowest = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO),
	};

	return !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
				   &lowest);
}
