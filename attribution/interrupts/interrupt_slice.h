/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_SLICE_H
#define KT_ATTRIBUTION_INTERRUPT_SLICE_H

#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/owner_shares.h"
#include "report/steps/time_window.h"

#include <stdbool.h>
#include <stdint.h>

/* An interrupt slice is a stretch of interrupt work that is going on, with what
 * is known so far of whom it is for.  It is, in this order, for:
 * - its owner: who queued the work item, armed the timer;
 * - what its parts (the timers of a timer interrupt, the actions of a run of
 *   soft interrupts) are for, by their time;
 * - its effects: the requests it completed, the packets it received, the soft
 *   interrupts it raised or left a request to;
 * - whom it woke, inferred;
 * - nobody.
 */
struct interrupt_slice {
	uint8_t kind;	     /* enum interrupt_kind */
	uint8_t role;	     /* enum interrupt_role of its function */
	bool is_part;	     /* of the slice below it in the stack */
	bool is_thread_work; /* its thread is there for it: no interrupt */
	uint32_t function;
	uint32_t depth; /* of its function in the call stack */
	int32_t irq;	/* or -1 */
	struct slice_span span;
	double whole_ns;     /* with that of its parts */
	struct owner *owner; /* or NULL */
	uint8_t owner_certainty;
	struct array parts;	/* struct owner_share, by ns */
	struct array effects;	/* struct owner_share */
	struct array woken;	/* struct owner_share */
	struct owner *self;	/* what it began is for; or NULL */
	struct owner *inferred; /* @owner, never exactly so; or NULL */
	struct owner *current;	/* what it is about right now; or NULL */
	struct array causes;	/* struct owner *: resolved as it is */
	/* The function that calls what comes next, while it is open. */
	uint8_t caller_role; /* enum interrupt_role, or ROLE_NONE */
	uint32_t caller_depth;
	/* An object's function that an event said comes next. */
	uint32_t expected; /* a function's number or FUNCTION_NONE */
	uint8_t expected_kind;
	struct owner *expected_owner; /* or NULL */
	uint8_t expected_certainty;
	bool polls;	      /* it asked for a device to be polled */
	bool ends_request;    /* it hands one over, and raised nothing */
	struct owner *joined; /* of a soft interrupt that waited already, and
			       * does what it handed over; or NULL */
	struct array times; /* struct time_window, if anybody keeps it: when it
			     * had its own time, one behind the other */
};

/* Returns a slice of which nothing else is known. */
struct interrupt_slice interrupt_slice_of(enum interrupt_kind kind,
					  enum interrupt_role role);

/* Returns the owner of what @slice begins (timers, work items, requests), who
 * is charged for it no more certainly than for @slice itself; borrowed.
 */
struct owner *interrupt_slice_owner(struct owners *owners,
				    struct interrupt_slice *slice);

/* Sets the owner of @slice, unless that is known. */
void interrupt_slice_own(struct interrupt_slice *slice, struct owner *owner,
			 uint8_t certainty);

/* Returns whether what @slice does tells for whom it is: it has no owner, or
 * one of whom nothing else is to be known.
 */
bool interrupt_slice_is_open(const struct interrupt_slice *slice);

/* Sets the owner of the object that @slice is about right now. */
void interrupt_slice_focus(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *owner);

/* Gives @cause the same shares as @slice has when it ends.  Takes the
 * reference.
 */
void interrupt_slice_cause(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *cause);

/* Announces that an object's function comes next, for @owner (or NULL) with
 * @certainty.
 */
void interrupt_slice_expect(struct owners *owners,
			    struct interrupt_slice *slice, uint32_t function,
			    enum interrupt_kind kind, struct owner *owner,
			    uint8_t certainty);

/* Keeps when it had its own time, which comes in order.  Returns false when out of
 * memory.
 */
bool interrupt_slice_keep_time(struct interrupt_slice *slice,
			       struct time_window time);

/* Charges the time of @slice as work @number (INTERRUPT_WORK_NONE: not), tells the
 * slice around it if it is part of that (else NULL), and frees what it holds.
 */
void interrupt_slice_end(struct owners *owners, struct interrupt_slice *slice,
			 uint32_t number, struct interrupt_slice *around);

#endif
