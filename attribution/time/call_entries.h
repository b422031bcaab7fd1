/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CALL_ENTRIES_H
#define KT_ATTRIBUTION_CALL_ENTRIES_H

#include "attribution/events/known_events.h"
#include "common/array.h"
#include "decoder/recording/sideband.h"

#include <stdint.h>

/* The sys_enter event of a thread's last system call. */
struct call_entry {
	int32_t tid;
	int64_t number;
	uint64_t arguments[SYSTEM_CALL_ARGUMENTS];
	struct sideband_record record; /* has the user stack, if any */
};

/* The last entries of all threads. */
struct call_entries {
	struct keyed_array all; /* struct call_entry */
};

#define CALL_ENTRIES_NONE \
	((struct call_entries){ KEYED_ARRAY_OF(struct call_entry, tid) })

void call_entries_free(struct call_entries *entries);

/* Consumes any event. Returns 0 or -ERROR_MEMORY. */
int call_entries_take(struct call_entries *entries,
		      const struct event_record *event);

/* Returns the last entry of thread @tid, valid until the next event, or NULL.
 */
const struct call_entry *call_entries_find(const struct call_entries *entries,
					   int32_t tid);

#endif
