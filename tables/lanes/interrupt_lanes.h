/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_INTERRUPT_LANES_H
#define KT_TABLES_INTERRUPT_LANES_H

#include "attribution/interrupts/interrupt_accounts.h"
#include "common/array.h"
#include "tables/lanes/lanes.h"

/* Emits spans of slices of interrupt work: on the tracks of CPUs, and on those
 * of kernel threads that run deferred work. The kind of a slice is known only
 * when it ends, so slices are queued until the outermost one ends.
 */
struct interrupt_lanes {
	struct interrupt_observer observer;
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	struct array tasks;		/* struct task_slices by task index */
	uint64_t last_ns;
	int status; /* 0, or -ERROR_MEMORY */
};

struct interrupt_lanes interrupt_lanes_of(const struct lanes_options *options,
					  struct lane_callback *callback);

/* Emits the slices that have not ended. Returns 0, or -ERROR_MEMORY if memory
 * ever ran out.
 */
int interrupt_lanes_end(struct interrupt_lanes *lanes);
void interrupt_lanes_free(struct interrupt_lanes *lanes);

#endif
