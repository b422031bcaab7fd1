/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPTS_OWNERS_INTERNAL_H
#define KT_ATTRIBUTION_INTERRUPTS_OWNERS_INTERNAL_H

#include "attribution/interrupts/interrupt_rows.h"
#include "common/array.h"
#include "common/maps.h"

#include <stdbool.h>
#include <stdint.h>

/* The owner of work is what the work is charged to: a process, the system,
 * nobody, several of these, or an open owner, which is not known yet.
 *
 *   open --owner_resolve()--> shared, incomplete --last leaf known--> complete
 *        --last reference dropped--> complete: nobody
 *
 * An open owner stands for an object in flight (a packet that no one has read).
 * When it is resolved, it has leaves: known owners, and owners that are open
 * themselves. It is complete when no leaf is open. A charge to an owner is held
 * until the owner is complete, and only then divided among the leaves.
 * Therefore all of its processes are known when a charge is divided, whatever
 * the order in which they became known: the packets of a poll may all be read
 * by one process, which makes the poll exactly that process's, or by several,
 * and then no event shows how much of the poll's time was for each, and all
 * shares are inferred.
 *
 * Invariants:
 * 1. A shared owner does not refer to its open leaves; each open owner refers
 *    to the shared owners that wait for it. So there are no cycles, and an
 *    owner is nobody's as soon as nothing is left that could resolve it.
 * 2. No leaf is a shared owner: when a leaf is resolved, its leaves replace it.
 *    So neither memory nor recursion grows with the length of a chain of
 *    owners, such as that of a timer that arms itself.
 *
 * Memory: charges and leaves of incomplete owners, which grow with the objects
 * in flight. Checkpoints contain no owners (interrupt_accounts.h says how a
 * window is made without them), so that results are the same for each window
 * and number of jobs.
 */
struct owner;

/* All owners of a recording. Charges go to the sums in struct interrupt_rows.
 */
struct owners;

/* Returns owners whose charges go to @rows, which is borrowed; NULL when out of
 * memory. If @has_losses, events are missing, so that an object may be mistaken
 * for an earlier one at the same address: all charges to processes are then
 * inferred.
 */
struct owners *owners_new(struct interrupt_rows *rows, bool has_losses);
void owners_free(struct owners *owners);

/* Returns whether anything was lost for lack of memory. */
bool owners_failed(const struct owners *owners);

/* Records that memory ran out. */
void owners_fail(struct owners *owners);

/* Return a known owner, valid until @owners is freed. Referring to it and
 * dropping it is allowed and has no effect.
 */
struct owner *owner_process(struct owners *owners, int32_t pid);
struct owner *owner_system(struct owners *owners);
struct owner *owner_nobody(struct owners *owners);

/* Returns a new open owner with one reference, the caller's; the owner "nobody"
 * when out of memory.
 */
struct owner *owner_open(struct owners *owners);

/* Adds a reference to @owner and returns it. */
struct owner *owner_refer(struct owner *owner);

/* Drops one reference; NULL is allowed. */
void owner_drop(struct owners *owners, struct owner *owner);

/* An open owner is abandoned if its object is gone and only work that the
 * object started (a work item, a timer) can still determine the owner.
 */
void owner_abandon(struct owner *owner);
bool owner_is_abandoned(const struct owner *owner);

/* Returns whether @owner is not resolved yet. */
bool owner_is_open(const struct owner *owner);

/* Returns the known owner that @owner was resolved to, or @owner itself if it is
 * known, open or has several leaves.
 */
struct owner *owner_known(struct owner *owner);

/* Returns the process that owner_known() of @owner is, or 0. */
int32_t owner_pid(struct owner *owner);

/* Resolves an open owner, to which the caller holds a reference: its charges go
 * to @shares (struct owner_share), none of them more certain than @certainty;
 * without shares they go to nobody. Has no effect on an owner that is not open.
 */
void owner_resolve(struct owners *owners, struct owner *owner,
		   const struct array *shares, uint8_t certainty);

/* Like owner_resolve(), but with the single owner @with. */
void owner_resolve_to(struct owners *owners, struct owner *owner,
		      struct owner *with, uint8_t certainty);

/* Charges @charge to @owner. The certainty of @charge must be that of the
 * evidence so far; it may only get worse.
 */
void owner_charge(struct owners *owners, struct owner *owner,
		  const struct interrupt_charge *charge);

/* The share of one owner in work with several owners. */
struct owner_share {
	struct owner *owner; /* holds a reference */
	double weight;	     /* relative to the sum of all; positive */
	uint8_t certainty;   /* enum interrupt_certainty, not NOBODY */
};

/* Adds a share to @shares (struct owner_share), with a reference to @owner. */
void owner_shares_add(struct owners *owners, struct array *shares,
		      struct owner *owner, double weight, uint8_t certainty);

/* Returns whether @owner has a share, of any certainty. */
bool owner_shares_has(const struct array *shares, const struct owner *owner);

/* Drops all shares. */
void owner_shares_free(struct owners *owners, struct array *shares);

/* Divides @charge among @shares by weight, once all their owners are known. If
 * these are several processes, all their parts are inferred. Without shares the
 * charge goes to nobody.
 */
void owner_shares_charge(struct owners *owners, const struct array *shares,
			 const struct interrupt_charge *charge);

/* Owners of objects, by address or another number. The map holds a reference to
 * each owner.
 */
struct owner_map {
	struct owners *owners;	/* borrowed; used to drop references */
	struct number_map held; /* struct owner * */
};

#define OWNER_MAP_OF(of) ((struct owner_map){ .owners = (of) })

void owner_map_free(struct owner_map *map);

/* Sets the owner of @key, replacing any previous one. */
void owner_map_set(struct owner_map *map, uint64_t key, struct owner *owner);

/* Returns the owner of @key, borrowed, or NULL. */
struct owner *owner_map_find(const struct owner_map *map, uint64_t key);

/* Removes and returns the owner of @key; the caller owns the reference. NULL if
 * there is none.
 */
struct owner *owner_map_take(struct owner_map *map, uint64_t key);

/* Removes @key and drops the reference to its owner, if there is one. */
void owner_map_remove(struct owner_map *map, uint64_t key);

#endif
