/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WAKINGS_H
#define KT_ATTRIBUTION_WAKINGS_H

#include "attribution/lanes/lanes.h"
#include "common/array.h"

struct event_record;
struct number_map;
struct task_paths;

/* The last time that a thread was woken. */
struct waking {
	uint64_t time_ns;
	const struct task *waker; /* NULL: it was never seen */
};

/* Hands on the kernel's wake-ups, and remembers the last one of each thread. */
struct wakings {
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	const struct task_paths *paths; /* of the trackers */
	struct number_map *last;	/* place in all by thread id, + 1 */
	struct array all;		/* struct waking */
	int status;			/* 0, or -ERROR_MEMORY */
};

/* Borrows all; @paths knows the tasks as far as what it is told.  Returns 0 or
 * -ERROR_MEMORY; free it either way.
 */
int wakings_open(struct wakings *wakings, const struct lanes_options *options,
		 struct lane_callback *callback,
		 const struct task_paths *paths);
void wakings_free(struct wakings *wakings);

/* Takes sched_waking and sched_wakeup_new; others are let pass. */
void wakings_event(struct wakings *wakings, const struct event_record *event);

/* Returns when thread @tid was woken last, NULL if it never was; valid until
 * the next event.
 */
const struct waking *wakings_last(const struct wakings *wakings, int32_t tid);

#endif
