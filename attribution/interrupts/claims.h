/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CLAIMS_H
#define KT_ATTRIBUTION_CLAIMS_H

#include "attribution/interrupts/interrupt_rows.h"
#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

/* For whom work is: a process, the system, nobody, several, or not known yet.
 *
 * A claim that is not known yet stands for an object in flight (a packet that
 * no one has read).  What is billed to it waits, and goes on once the claim is
 * settled.  When nobody refers to it any more, it is nobody's.
 */
struct claim;

/* All claims of a recording, and the sums that bills end in. */
struct claims;

struct path_sums;

/* Borrows @rows, and @paths: NULL if no path is billed.  Returns NULL when out
 * of memory.
 */
struct claims *claims_new(struct interrupt_rows *rows, struct path_sums *paths);
void claims_free(struct claims *claims);

/* Returns whether anything was lost for lack of memory. */
bool claims_failed(const struct claims *claims);

/* Says that something was. */
void claims_fail(struct claims *claims);

/* Return a claim that is known.  Borrowed from @claims: good until they are
 * freed; referring to it and dropping it is allowed and does nothing.
 */
struct claim *claim_process(struct claims *claims, int32_t pid);
struct claim *claim_system(struct claims *claims);
struct claim *claim_nobody(struct claims *claims);

/* Returns a claim that is not known yet, with one reference, the caller's;
 * nobody's when out of memory.
 */
struct claim *claim_open(struct claims *claims);

/* Refers to @claim once more.  Returns it. */
struct claim *claim_refer(struct claim *claim);

/* Gives one reference up; NULL is allowed. */
void claim_drop(struct claims *claims, struct claim *claim);

/* An open claim is abandoned if what it stands for is over and only what came
 * of it (a work item, a timer) can tell.
 */
void claim_abandon(struct claim *claim);
bool claim_is_abandoned(const struct claim *claim);

/* A part of what is shared out. */
struct stake {
	struct claim *claim; /* referred to */
	double weight;	     /* of the sum of all, more than 0 */
	uint8_t certainty;   /* enum interrupt_certainty, not NOBODY */
};

/* Adds to @stakes (struct stake), referring to @claim. */
void stakes_add(struct claims *claims, struct array *stakes,
		struct claim *claim, double weight, uint8_t certainty);

/* Drops all of them. */
void stakes_free(struct claims *claims, struct array *stakes);

/* Makes known that an open claim is @stakes'; none: nobody's.  Nothing
 * happens to a claim that is known already.
 */
void claim_settle(struct claims *claims, struct claim *claim,
		  const struct array *stakes);

/* Does so for a single one. */
void claim_settle_one(struct claims *claims, struct claim *claim,
		      struct claim *with, uint8_t certainty);

/* Bills @share, whose certainty is that of what is known so far. */
void claim_bill(struct claims *claims, struct claim *claim,
		const struct interrupt_share *share);

/* Bills @share to @stakes, by weight; none: to nobody. */
void stakes_bill(struct claims *claims, const struct array *stakes,
		 const struct interrupt_share *share);

#endif
