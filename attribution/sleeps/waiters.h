/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WAITERS_H
#define KT_ATTRIBUTION_WAITERS_H

#include "common/number_map.h"

#include <stdint.h>

/* Waiters are counted: so many tasks sleep now at each label, and for each
 * object.  None do in a zeroed one.
 */
struct waiters {
	struct number_map labels;
	struct number_map objects;
};

void waiters_free(struct waiters *waiters);

/* A task sleeps at this label, for this object. */
struct wait_key {
	uint32_t label;	 /* a function */
	uint64_t object; /* a name for what it waits for, 0: unknown */
};

/* So many others do; for_object is -1 where the object is unknown. */
struct other_waiters {
	uint32_t at_label;
	int32_t for_object;
};

/* One more task sleeps at @place.  Returns 0 and how many did before, or
 * -ERROR_MEMORY.
 */
int waiters_enter(struct waiters *waiters, const struct wait_key *place,
		  struct other_waiters *others);

/* A task that sleeps at @place is woken.  Returns how many still sleep. */
struct other_waiters waiters_leave(struct waiters *waiters,
				   const struct wait_key *place);

#endif
