/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/owners_internal.h"

#include "common/maps.h"

#include <stdlib.h>

enum owner_state {
	OWNER_KNOWN, /* member pid is set as in struct interrupt_row */
	OWNER_OPEN,
	OWNER_SHARED, /* member leaves is set */
};

struct owner {
	uint8_t state; /* enum owner_state */
	bool is_abandoned;
	int32_t pid;
	uint32_t references; /* not counted for known owners */
	/* struct interrupt_charge: charges that wait until all leaves are known
	 */
	struct array charges;
	/* OWNER_SHARED: struct owner_share, of known and open owners, without
	 * references; at least one
	 */
	struct array leaves;
	uint32_t open_leaves; /* number of different open owners in leaves */
	/* OWNER_OPEN: struct owner *, each with a reference: the shared owners
	 * whose leaves include this owner
	 */
	struct array dependents;
};

struct owners {
	struct interrupt_rows *rows;
	struct number_map processes; /* struct owner *, by pid */
	bool has_failed;
	bool has_losses;
	struct owner nobody;
	struct owner system;
};

struct owners *owners_new(struct interrupt_rows *rows, bool has_losses)
{
	struct owners *owners = calloc(1, sizeof(*owners));

	if (!owners)
		return NULL;
	owners->rows = rows;
	owners->has_losses = has_losses;
	owners->nobody.pid = -1;
	owners->system.pid = 0;
	return owners;
}

void owners_free(struct owners *owners)
{
	size_t place = 0;
	struct owner *known;

	if (!owners)
		return;
	while ((known = number_map_next_pointer(&owners->processes, &place)))
		free(known);
	number_map_free(&owners->processes);
	free(owners);
}

bool owners_failed(const struct owners *owners)
{
	return owners->has_failed;
}

void owners_fail(struct owners *owners)
{
	owners->has_failed = true;
}

struct owner *owner_nobody(struct owners *owners)
{
	return &owners->nobody;
}

struct owner *owner_system(struct owners *owners)
{
	return &owners->system;
}

static struct owner *add_process(struct owners *owners, int32_t pid)
{
	uint64_t *value = number_map_add(&owners->processes, (uint32_t)pid);
	struct owner *owner = value ? calloc(1, sizeof(*owner)) : NULL;

	if (!owner)
		return NULL;
	owner->pid = pid;
	*value = (uintptr_t)owner;
	return owner;
}

struct owner *owner_process(struct owners *owners, int32_t pid)
{
	struct owner *owner =
		number_map_pointer(&owners->processes, (uint32_t)pid);

	/* The idle task does nothing for itself. */
	if (pid <= 0)
		return owner_nobody(owners);
	if (!owner)
		owner = add_process(owners, pid);
	if (owner)
		return owner;
	owners->has_failed = true;
	return owner_nobody(owners);
}

struct owner *owner_open(struct owners *owners)
{
	struct owner *owner = calloc(1, sizeof(*owner));

	if (!owner) {
		owners->has_failed = true;
		return owner_nobody(owners);
	}
	owner->state = OWNER_OPEN;
	owner->references = 1;
	owner->charges = ARRAY_OF(struct interrupt_charge);
	owner->leaves = ARRAY_OF(struct owner_share);
	owner->dependents = ARRAY_OF(struct owner *);
	return owner;
}

struct owner *owner_refer(struct owner *owner)
{
	if (owner->state != OWNER_KNOWN)
		owner->references++;
	return owner;
}

/* Removes @owner from the dependents of @leaf. Searches from the newest. */
static void leave(struct owner *leaf, const struct owner *owner)
{
	struct owner **dependents = leaf->dependents.items;

	for (size_t i = leaf->dependents.count; i-- > 0;)
		if (dependents[i] == owner) {
			array_remove(&leaf->dependents, i, 1);
			return;
		}
}

/* Frees @owner. The only references to it may be those of its open leaves. */
static void free_owner(struct owner *owner)
{
	const struct owner_share *leaves = owner->leaves.items;

	for (size_t i = 0; owner->references && i < owner->leaves.count; i++)
		if (owner_is_open(leaves[i].owner))
			leave(leaves[i].owner, owner);
	array_free(&owner->leaves);
	free(owner);
}

void owner_drop(struct owners *owners, struct owner *owner)
{
	const struct array none = ARRAY_OF(struct owner_share);

	if (!owner || owner->state == OWNER_KNOWN)
		return;
	owner->references--;
	if (owner->state == OWNER_OPEN && !owner->references)
		owner_resolve(owners, owner, &none, CERTAIN_EXACT);
	if (owner->references == owner->open_leaves && !owner->charges.count)
		free_owner(owner);
}

void owner_abandon(struct owner *owner)
{
	owner->is_abandoned = true;
}

bool owner_is_abandoned(const struct owner *owner)
{
	return owner->state == OWNER_OPEN && owner->is_abandoned;
}

bool owner_is_open(const struct owner *owner)
{
	return owner->state == OWNER_OPEN;
}

static double weight_of(const struct array *shares)
{
	const struct owner_share *items = shares->items;
	double sum = 0;

	for (size_t i = 0; i < shares->count; i++)
		sum += items[i].weight;
	return sum;
}

static void charge_known(struct owners *owners, int32_t pid,
			 const struct interrupt_charge *charge)
{
	struct interrupt_charge known = *charge;

	if (pid < 0)
		known.certainty = CERTAIN_NOBODY;
	else if (pid > 0 && owners->has_losses)
		known.certainty = CERTAIN_INFERRED;
	if (!interrupt_rows_add(owners->rows, pid, &known))
		owners->has_failed = true;
}

/* Returns whether @leaves are of several processes; the system and nobody count
 * as processes.
 */
static bool is_shared(const struct array *leaves)
{
	const struct owner_share *items = leaves->items;

	for (size_t i = 1; i < leaves->count; i++)
		if (items[i].owner != items[0].owner)
			return true;
	return false;
}

/* Divides @charge among @leaves, all known. Each leaf gets the difference of
 * two rounded sums, so that each nanosecond is charged once.
 */
static void divide(struct owners *owners, const struct array *leaves,
		   const struct interrupt_charge *charge)
{
	const struct owner_share *items = leaves->items;
	double whole = weight_of(leaves);
	double sum = 0;
	uint64_t given_ns = 0;
	uint8_t most = is_shared(leaves) ? CERTAIN_INFERRED : CERTAIN_EXACT;

	for (size_t i = 0; i < leaves->count; i++) {
		struct interrupt_charge part = *charge;
		uint64_t until_ns = charge->ns;

		sum += items[i].weight;
		if (i + 1 < leaves->count)
			until_ns = (uint64_t)((double)charge->ns * sum / whole);
		part.from_ns += given_ns;
		part.ns = until_ns - given_ns;
		part.count = charge->count * items[i].weight / whole;
		if (items[i].certainty > part.certainty)
			part.certainty = items[i].certainty;
		if (most > part.certainty)
			part.certainty = most;
		charge_known(owners, items[i].owner->pid, &part);
		given_ns = until_ns;
	}
}

/* Returns whether all processes of @owner are known. */
static bool is_complete(const struct owner *owner)
{
	return owner->state == OWNER_SHARED && !owner->open_leaves;
}

struct owner *owner_known(struct owner *owner)
{
	const struct owner_share *leaf = owner->leaves.items;

	return is_complete(owner) && owner->leaves.count == 1 ? leaf->owner :
								owner;
}

int32_t owner_pid(struct owner *owner)
{
	const struct owner *known = owner_known(owner);

	return known->state == OWNER_KNOWN && known->pid > 0 ? known->pid : 0;
}

/* Divides the held charges of @owner if it is complete. */
static void release_charges(struct owners *owners, struct owner *owner)
{
	const struct interrupt_charge *charges = owner->charges.items;

	if (!is_complete(owner))
		return;
	for (size_t i = 0; i < owner->charges.count; i++)
		divide(owners, &owner->leaves, &charges[i]);
	array_free(&owner->charges);
}

/* Adds a share without a reference to its owner. */
static void add_share(struct owners *owners, struct array *shares,
		      const struct owner_share *added)
{
	struct owner_share *share = shares->items;

	for (size_t i = 0; i < shares->count; i++) {
		if (share[i].owner != added->owner ||
		    share[i].certainty != added->certainty)
			continue;
		share[i].weight += added->weight;
		return;
	}
	if (array_append(shares, added) < 0)
		owners_fail(owners);
}

/* Adds a known or open owner to the leaves of @owner. Ignores @owner itself,
 * and a share whose weight was rounded to 0.
 */
static void add_leaf(struct owners *owners, struct owner *owner,
		     struct owner_share leaf)
{
	if (leaf.owner == owner || !(leaf.weight > 0))
		return;
	if (owner_is_open(leaf.owner) &&
	    !owner_shares_has(&owner->leaves, leaf.owner)) {
		if (array_append(&leaf.owner->dependents, &owner) < 0) {
			owners_fail(owners);
			return;
		}
		owner_refer(owner);
		owner->open_leaves++;
	}
	add_share(owners, &owner->leaves, &leaf);
}

/* Adds @shares to the leaves of @owner, scaled so that their weights add up to
 * @weight, and at most as certain as @certainty. Shares of shared owners are
 * replaced by their leaves (invariant 2), so the recursion has two levels.
 */
static void add_leaves(struct owners *owners, struct owner *owner,
		       const struct array *shares, double weight,
		       uint8_t certainty)
{
	const struct owner_share *items = shares->items;
	double whole = weight_of(shares);

	for (size_t i = 0; i < shares->count; i++) {
		struct owner_share share = items[i];

		share.weight *= weight / whole;
		if (certainty > share.certainty)
			share.certainty = certainty;
		if (share.owner->state != OWNER_SHARED)
			add_leaf(owners, owner, share);
		else if (share.owner != owner)
			add_leaves(owners, owner, &share.owner->leaves,
				   share.weight, share.certainty);
	}
}

/* Replaces the open leaf @resolved of @owner by the leaves of @resolved. */
static void replace_leaf(struct owners *owners, struct owner *owner,
			 const struct owner *resolved)
{
	struct array *leaves = &owner->leaves;

	for (size_t i = 0; i < leaves->count;) {
		const struct owner_share leaf =
			*(struct owner_share *)array_at(leaves, i);

		if (leaf.owner != resolved) {
			i++;
			continue;
		}
		array_remove(leaves, i, 1);
		add_leaves(owners, owner, &resolved->leaves, leaf.weight,
			   leaf.certainty);
	}
}

/* Adds "nobody" to the leaves of a shared owner that has none. */
static void end_leaves(struct owners *owners, struct owner *owner)
{
	if (!owner->leaves.count)
		add_leaf(owners, owner,
			 (struct owner_share){ owner_nobody(owners), 1,
					       CERTAIN_EXACT });
}

static void resolve_dependents(struct owners *owners, struct owner *owner)
{
	struct owner **dependents = owner->dependents.items;

	for (size_t i = 0; i < owner->dependents.count; i++) {
		replace_leaf(owners, dependents[i], owner);
		end_leaves(owners, dependents[i]);
		dependents[i]->open_leaves--;
		release_charges(owners, dependents[i]);
		owner_drop(owners, dependents[i]);
	}
	array_free(&owner->dependents);
}

void owner_resolve(struct owners *owners, struct owner *owner,
		   const struct array *shares, uint8_t certainty)
{
	if (owner->state != OWNER_OPEN)
		return;
	owner->state = OWNER_SHARED;
	add_leaves(owners, owner, shares, 1, certainty);
	end_leaves(owners, owner);
	resolve_dependents(owners, owner);
	release_charges(owners, owner);
}

void owner_resolve_to(struct owners *owners, struct owner *owner,
		      struct owner *with, uint8_t certainty)
{
	struct owner_share share = { with, 1, CERTAIN_EXACT };
	const struct array shares = { &share, 1, 1, sizeof(share) };

	owner_resolve(owners, owner, &shares, certainty);
}

void owner_charge(struct owners *owners, struct owner *owner,
		  const struct interrupt_charge *charge)
{
	if (owner->state == OWNER_KNOWN)
		charge_known(owners, owner->pid, charge);
	else if (is_complete(owner))
		divide(owners, &owner->leaves, charge);
	else if (array_append(&owner->charges, charge) < 0)
		owners_fail(owners);
}

void owner_shares_add(struct owners *owners, struct array *shares,
		      struct owner *owner, double weight, uint8_t certainty)
{
	const struct owner_share share = { owner, weight, certainty };
	size_t before = shares->count;

	add_share(owners, shares, &share);
	if (shares->count > before)
		owner_refer(owner);
}

bool owner_shares_has(const struct array *shares, const struct owner *owner)
{
	const struct owner_share *items = shares->items;

	for (size_t i = 0; i < shares->count; i++)
		if (items[i].owner == owner)
			return true;
	return false;
}

void owner_shares_free(struct owners *owners, struct array *shares)
{
	const struct owner_share *items = shares->items;

	for (size_t i = 0; i < shares->count; i++)
		owner_drop(owners, items[i].owner);
	array_free(shares);
}

void owner_shares_charge(struct owners *owners, const struct array *shares,
			 const struct interrupt_charge *charge)
{
	struct owner *all = owner_open(owners);

	owner_resolve(owners, all, shares, CERTAIN_EXACT);
	owner_charge(owners, all, charge);
	owner_drop(owners, all);
}

void owner_map_free(struct owner_map *map)
{
	struct owner *owner;
	size_t place = 0;

	while ((owner = number_map_next_pointer(&map->held, &place)))
		owner_drop(map->owners, owner);
	number_map_free(&map->held);
}

void owner_map_set(struct owner_map *map, uint64_t key, struct owner *owner)
{
	uint64_t *value = number_map_add(&map->held, key);
	struct owner *before;

	if (!value) {
		owners_fail(map->owners);
		return;
	}
	before = (struct owner *)(uintptr_t)*value;
	*value = (uintptr_t)owner_refer(owner);
	owner_drop(map->owners, before);
}

struct owner *owner_map_find(const struct owner_map *map, uint64_t key)
{
	return number_map_pointer(&map->held, key);
}

struct owner *owner_map_take(struct owner_map *map, uint64_t key)
{
	return number_map_take_pointer(&map->held, key);
}

void owner_map_remove(struct owner_map *map, uint64_t key)
{
	owner_drop(map->owners, owner_map_take(map, key));
}
