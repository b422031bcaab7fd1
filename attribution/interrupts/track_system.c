/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"

/* Some work is always the system's: NMIs, RCU, the tick and load balancing. */
static void begin(void *state, const struct event_context *context)
{
	struct interrupt_slice *slice = context->slice;

	(void)state;
	if (slice->kind == INTERRUPT_NMI || slice->kind == INTERRUPT_RCU ||
	    interrupt_role_service(context->roles, slice->function) ==
		    SERVES_SYSTEM)
		interrupt_slice_own(slice, owner_system(context->owners),
				    CERTAIN_EXACT);
}

const struct object_tracker track_system = {
	.begin = begin,
};
