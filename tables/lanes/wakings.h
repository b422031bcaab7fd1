/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAKINGS_H
#define KT_TABLES_WAKINGS_H

#include "tables/lanes/lanes.h"

struct event_record;

/* Emits the kernel's wake-ups. */
struct wakings {
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
};

/* Emits sched_waking and sched_wakeup_new; ignores other events. */
void wakings_event(const struct wakings *wakings,
		   const struct event_record *event);

#endif
