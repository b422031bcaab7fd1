/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OWNERS_H
#define KT_ATTRIBUTION_OWNERS_H

#include "attribution/interrupts/interrupt_rows.h"
#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

/* The owner of work is the one that it is for: a process, the system, nobody,
 * several, or one that is not known yet.
 *
 * An owner that is not known yet stands for an object in flight (a packet that
 * no one has read).  Charges to it wait until it is resolved.  When nobody
 * refers to it any more, they are nobody's.
 */
struct owner;

/* This holds all owners of a recording, and the sums that charges end in. */
struct owners;

/* Borrows @rows.  Returns NULL when out of memory. */
struct owners *owners_new(struct interrupt_rows *rows);
void owners_free(struct owners *owners);

/* Returns whether anything was lost for lack of memory. */
bool owners_failed(const struct owners *owners);

/* Records that something was lost. */
void owners_fail(struct owners *owners);

/* Return an owner that is known.  Borrowed from @owners: good until they are
 * freed; referring to it and dropping it is allowed and does nothing.
 */
struct owner *owner_process(struct owners *owners, int32_t pid);
struct owner *owner_system(struct owners *owners);
struct owner *owner_nobody(struct owners *owners);

/* Returns an owner that is not known yet, with one reference, the caller's;
 * nobody's when out of memory.
 */
struct owner *owner_open(struct owners *owners);

/* Refers to @owner once more.  Returns it. */
struct owner *owner_refer(struct owner *owner);

/* Gives one reference up; NULL is allowed. */
void owner_drop(struct owners *owners, struct owner *owner);

/* Several interrupts raised the work of the open @owner: if the work turns out to
 * be for several owners, each raiser's share of them is only inferred.
 */
void owner_doubt(struct owner *owner);

/* An open owner is abandoned if what it stands for is over and only what came
 * of it (a work item, a timer) can tell.
 */
void owner_abandon(struct owner *owner);
bool owner_is_abandoned(const struct owner *owner);

/* Returns whether it is not known yet for whom @owner is. */
bool owner_is_open(const struct owner *owner);

/* Resolves an open owner: its charges go to @shares (struct owner_share), none of
 * them more certain than @certainty; without any share they are nobody's.
 * Nothing happens to an owner that is known already.
 */
void owner_resolve(struct owners *owners, struct owner *owner,
		   const struct array *shares, uint8_t certainty);

/* Resolves it to a single one, @with. */
void owner_resolve_to(struct owners *owners, struct owner *owner,
		      struct owner *with, uint8_t certainty);

/* Charges @owner with @charge, whose certainty is that of what is known so
 * far.
 */
void owner_charge(struct owners *owners, struct owner *owner,
		  const struct interrupt_charge *charge);

#endif
