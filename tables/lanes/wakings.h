/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAKINGS_H
#define KT_TABLES_WAKINGS_H

#include "tables/lanes/lanes.h"

struct event_record;

/* Hands on the kernel's wake-ups. */
struct wakings {
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
};

/* Takes sched_waking and sched_wakeup_new; others are let pass. */
void wakings_event(const struct wakings *wakings,
		   const struct event_record *event);

#endif
