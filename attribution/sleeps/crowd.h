/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CROWD_H
#define KT_ATTRIBUTION_CROWD_H

#include <stdint.h>

/* How many tasks sleep at each label, and for each object, at the moment. */
struct crowd;

/* Returns NULL when out of memory. */
struct crowd *crowd_new(void);
void crowd_free(struct crowd *crowd);

/* Where one task sleeps. */
struct crowd_place {
	uint32_t label;	 /* a function */
	uint64_t object; /* a name for what it waits for, 0: unknown */
};

/* How many others do; same is -1 where the object is unknown. */
struct crowd_others {
	uint32_t at_label;
	int32_t for_object;
};

/* One more task sleeps at @place.  Returns 0 and how many did before, or
 * -ERROR_MEMORY.
 */
int crowd_enter(struct crowd *crowd, const struct crowd_place *place,
		struct crowd_others *others);

/* A task that sleeps at @place is woken.  Returns how many still sleep. */
struct crowd_others crowd_leave(struct crowd *crowd,
				const struct crowd_place *place);

#endif
