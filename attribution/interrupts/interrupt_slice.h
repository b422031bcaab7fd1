/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_SLICE_H
#define KT_ATTRIBUTION_INTERRUPT_SLICE_H

#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/owner_shares.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

/* An open slice of interrupt work, with the evidence so far of its owner. Its
 * time is charged to the first of these that exists:
 * - its owner: the task that queued the work item or armed the timer;
 * - the owners of its parts (the timers of a timer interrupt, the actions of a
 *   run of soft interrupts), by their time;
 * - its effects: the requests it completed, the packets it received, the soft
 *   interrupts it raised or left a request to;
 * - the tasks it woke, which is inferred;
 * - nobody.
 */
struct interrupt_slice {
	uint8_t kind;	     /* enum interrupt_kind */
	uint8_t role;	     /* enum interrupt_role of its function */
	bool is_part;	     /* is part of the slice below it in the stack */
	bool is_thread_work; /* own work of a kernel thread, not an interrupt */
	uint32_t function;
	uint32_t depth; /* of its function in the call stack */
	int32_t irq;	/* or -1 */
	struct slice_span span;
	double whole_ns;     /* including its parts */
	struct owner *owner; /* or NULL */
	uint8_t owner_certainty;
	struct array parts;	/* struct owner_share, by ns */
	struct array effects;	/* struct owner_share */
	struct array woken;	/* struct owner_share */
	struct owner *self;	/* owner of the work that it started; or NULL */
	struct owner *inferred; /* @owner, but never exact; or NULL */
	/* owner of the object that it handles now; or NULL */
	struct owner *current;
	/* struct owner *: resolved with the slice's shares */
	struct array causes;
	/* The open function that calls handlers, actions or callbacks. */
	uint8_t caller_role; /* enum interrupt_role, or ROLE_NONE */
	uint32_t caller_depth;
	/* An object's function that an event announced. */
	uint32_t expected; /* a function's number or FUNCTION_NONE */
	uint8_t expected_kind;
	struct owner *expected_owner; /* or NULL */
	uint8_t expected_certainty;
	bool polls; /* it scheduled the poll of a device */
	/* it passes on a completed request, and raised no soft interrupt */
	bool ends_request;
	/* owner of a soft interrupt that was already pending and completes the
	 * request; or NULL
	 */
	struct owner *joined;
	/* struct time_window: its own time, in order; filled only if the slices
	 * are cached
	 */
	struct array times;
};

/* Returns a slice with these attributes and no evidence. */
struct interrupt_slice interrupt_slice_of(enum interrupt_kind kind,
					  enum interrupt_role role);

/* Returns the owner of the work that @slice starts (timers, work items,
 * requests), borrowed. Its charges are at most as certain as those of @slice.
 */
struct owner *interrupt_slice_owner(struct owners *owners,
				    struct interrupt_slice *slice);

/* Sets the owner of @slice, unless it is already known. */
void interrupt_slice_own(struct interrupt_slice *slice, struct owner *owner,
			 uint8_t certainty);

/* Returns whether the actions of @slice may still determine its owner: it has
 * none, or one about which nothing more will be known.
 */
bool interrupt_slice_is_open(const struct interrupt_slice *slice);

/* Sets the owner of the object that @slice handles now. */
void interrupt_slice_focus(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *owner);

/* Resolves @cause to the shares of @slice when @slice ends. Consumes the
 * reference.
 */
void interrupt_slice_cause(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *cause);

/* Announces that @function of an object is called next, for @owner (or NULL)
 * with @certainty.
 */
void interrupt_slice_expect(struct owners *owners,
			    struct interrupt_slice *slice, uint32_t function,
			    enum interrupt_kind kind, struct owner *owner,
			    uint8_t certainty);

/* Records an interval of the slice's own time; intervals must arrive in order.
 * Returns false when out of memory.
 */
bool interrupt_slice_keep_time(struct interrupt_slice *slice,
			       struct time_window time);

/* Charges the time of @slice as work @number (INTERRUPT_WORK_NONE: does not),
 * adds its shares to @around, the slice that it is part of (or NULL), and frees
 * its members.
 */
void interrupt_slice_end(struct owners *owners, struct interrupt_slice *slice,
			 uint32_t number, struct interrupt_slice *around);

#endif
