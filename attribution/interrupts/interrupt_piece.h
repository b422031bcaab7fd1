/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_PIECE_H
#define KT_ATTRIBUTION_INTERRUPT_PIECE_H

#include "attribution/interrupts/claims.h"
#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/path_sums.h"

#include <stdbool.h>
#include <stdint.h>

/* One piece of interrupt work that is going on, and what is known so far of
 * whom it is for.  In this order:
 * - its owner: who queued the work item, armed the timer;
 * - what its parts (the timers of a timer interrupt, the actions of a run of
 *   soft interrupts) are for, by their time;
 * - its effects: the requests it completed, the packets it received, the soft
 *   interrupts it raised;
 * - whom it woke, inferred;
 * - nobody.
 */
struct interrupt_piece {
	uint8_t kind;	     /* enum interrupt_kind */
	uint8_t role;	     /* enum interrupt_role of its function */
	bool is_part;	     /* of the piece below it in the stack */
	bool is_thread_work; /* its thread is there for it: no interrupt */
	uint32_t function;
	uint32_t depth; /* of its function in the call stack */
	int32_t irq;	/* or -1 */
	uint64_t begin_ns;
	uint64_t own_ns;     /* in no other piece */
	double whole_ns;     /* with that of its parts */
	struct claim *owner; /* or NULL */
	uint8_t owner_certainty;
	struct array parts;    /* struct stake, by ns */
	struct array effects;  /* struct stake */
	struct array woken;    /* struct stake */
	struct claim *self;    /* what it began is for; or NULL */
	struct claim *current; /* what it is about right now; or NULL */
	struct array causes;   /* struct claim *: settled as it is */
	/* The function that calls what comes next, while it is open. */
	uint8_t caller_role; /* enum interrupt_role, or ROLE_NONE */
	uint32_t caller_depth;
	/* An object's function that an event said comes next. */
	uint32_t expected; /* a function's number or FUNCTION_NONE */
	uint8_t expected_kind;
	struct claim *expected_owner; /* or NULL */
	bool polls;		      /* it asked for a device to be polled */
	struct array paths; /* struct path_work, if anybody keeps it */
};

/* Returns a piece without any knowledge. */
struct interrupt_piece interrupt_piece_of(enum interrupt_kind kind,
					  enum interrupt_role role);

/* Returns whom what @piece begins (timers, work items, requests) is for; the
 * claim is borrowed.
 */
struct claim *interrupt_piece_claim(struct claims *claims,
				    struct interrupt_piece *piece);

/* Says whom @piece is for, unless that is known. */
void interrupt_piece_own(struct interrupt_piece *piece, struct claim *owner,
			 uint8_t certainty);

/* Returns whether what @piece does tells for whom it is: it has no owner, or
 * one of whom nothing else is to be known.
 */
bool interrupt_piece_is_open(const struct interrupt_piece *piece);

/* Says what the object that it is about right now is for. */
void interrupt_piece_focus(struct claims *claims, struct interrupt_piece *piece,
			   struct claim *claim);

/* Says that @cause is as @piece turns out to be.  Takes the reference. */
void interrupt_piece_cause(struct claims *claims, struct interrupt_piece *piece,
			   struct claim *cause);

/* Says that an object's function comes next. */
void interrupt_piece_expect(struct claims *claims,
			    struct interrupt_piece *piece, uint32_t function,
			    enum interrupt_kind kind, struct claim *owner);

/* Bills the time of @piece as work @number (INTERRUPT_WORK_NONE: not), and that
 * of its paths, tells the piece around it if it is part of that (else NULL),
 * and frees what it holds.
 */
void interrupt_piece_end(struct claims *claims, struct interrupt_piece *piece,
			 uint32_t number, struct interrupt_piece *around);

#endif
