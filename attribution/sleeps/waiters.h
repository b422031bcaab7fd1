/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WAITERS_H
#define KT_ATTRIBUTION_WAITERS_H

#include "common/maps.h"

#include <stdint.h>

/* The number of tasks that sleep now, by label and by object. A zeroed struct
 * is empty.
 */
struct waiters {
	struct number_map labels;
	struct number_map objects;
};

void waiters_free(struct waiters *waiters);

/* The label at which a task sleeps and the object that it waits for. */
struct wait_key {
	uint32_t label;	 /* a function */
	uint64_t object; /* identifier of the object, 0: unknown */
};

/* Numbers of other waiters; for_object is -1 where the object is unknown. */
struct other_waiters {
	uint32_t at_label;
	int32_t for_object;
};

/* Counts one more task at @place. Returns 0 and sets @others to the counts
 * before, or returns -ERROR_MEMORY.
 */
int waiters_enter(struct waiters *waiters, const struct wait_key *place,
		  struct other_waiters *others);

/* Removes a task at @place that is woken. Returns the number that still sleep.
 */
struct other_waiters waiters_leave(struct waiters *waiters,
				   const struct wait_key *place);

#endif
