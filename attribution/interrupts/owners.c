/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/owners_internal.h"

#include "common/maps.h"

#include <stdlib.h>

enum owner_state {
	OWNER_KNOWN, /* pid: as in struct interrupt_row */
	OWNER_OPEN,
	OWNER_SHARED, /* shares */
};

struct owner {
	uint8_t state; /* enum owner_state */
	bool is_abandoned;
	bool is_doubtful; /* see owner_doubt() */
	int32_t pid;
	uint32_t references; /* not counted for known owners */
	/* struct interrupt_charge: held until it is resolved */
	struct array charges;
	struct array shares; /* struct owner_share */
};

struct owners {
	struct interrupt_rows *rows;
	struct number_map processes; /* struct owner *, by pid */
	bool has_failed;
	struct owner nobody;
	struct owner system;
};

struct owners *owners_new(struct interrupt_rows *rows)
{
	struct owners *owners = calloc(1, sizeof(*owners));

	if (!owners)
		return NULL;
	owners->rows = rows;
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
	owner->shares = ARRAY_OF(struct owner_share);
	return owner;
}

struct owner *owner_refer(struct owner *owner)
{
	if (owner->state != OWNER_KNOWN)
		owner->references++;
	return owner;
}

void owner_drop(struct owners *owners, struct owner *owner)
{
	const struct array none = ARRAY_OF(struct owner_share);

	if (!owner || owner->state == OWNER_KNOWN || --owner->references)
		return;
	owner_resolve(owners, owner, &none, CERTAIN_EXACT);
	owner_shares_free(owners, &owner->shares);
	free(owner);
}

void owner_doubt(struct owner *owner)
{
	owner->is_doubtful = true;
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

/* Returns whether all @shares belong to one known process, or to the system. */
static bool has_one_owner(const struct array *shares)
{
	const struct owner_share *share = shares->items;

	if (shares->count != 1 || owner_is_open(share->owner))
		return false;
	return share->owner->state == OWNER_KNOWN ||
	       has_one_owner(&share->owner->shares);
}

/* Returns whether charges to @from may reach @owner, which would be a cycle. */
static bool leads_to(const struct owner *from, const struct owner *owner)
{
	const struct owner_share *shares = from->shares.items;

	if (from == owner)
		return true;
	if (from->state != OWNER_SHARED)
		return false;
	for (size_t i = 0; i < from->shares.count; i++)
		if (leads_to(shares[i].owner, owner))
			return true;
	return false;
}

void owner_resolve(struct owners *owners, struct owner *owner,
		   const struct array *shares, uint8_t certainty)
{
	const struct owner_share *items = shares->items;
	const struct interrupt_charge *charges;

	if (owner->state != OWNER_OPEN)
		return;
	if (owner->is_doubtful && !has_one_owner(shares))
		certainty = CERTAIN_INFERRED;
	for (size_t i = 0; i < shares->count; i++)
		if (!leads_to(items[i].owner, owner))
			owner_shares_add(owners, &owner->shares, items[i].owner,
					 items[i].weight,
					 items[i].certainty > certainty ?
						 items[i].certainty :
						 certainty);
	owner->state = OWNER_SHARED;
	charges = owner->charges.items;
	for (size_t i = 0; i < owner->charges.count; i++)
		owner_shares_charge(owners, &owner->shares, &charges[i]);
	array_free(&owner->charges);
}

void owner_resolve_to(struct owners *owners, struct owner *owner,
		      struct owner *with, uint8_t certainty)
{
	struct owner_share share = { with, 1, CERTAIN_EXACT };
	const struct array shares = { &share, 1, 1, sizeof(share) };

	owner_resolve(owners, owner, &shares, certainty);
}

static void charge_known(struct owners *owners, int32_t pid,
			 const struct interrupt_charge *charge)
{
	struct interrupt_charge known = *charge;

	if (pid < 0)
		known.certainty = CERTAIN_NOBODY;
	if (!interrupt_rows_add(owners->rows, pid, &known))
		owners->has_failed = true;
}

static void keep_charge(struct owners *owners, struct owner *owner,
			const struct interrupt_charge *charge)
{
	if (array_append(&owner->charges, charge) < 0)
		owners->has_failed = true;
}

void owner_charge(struct owners *owners, struct owner *owner,
		  const struct interrupt_charge *charge)
{
	switch ((enum owner_state)owner->state) {
	case OWNER_KNOWN:
		charge_known(owners, owner->pid, charge);
		break;
	case OWNER_OPEN:
		keep_charge(owners, owner, charge);
		break;
	case OWNER_SHARED:
		owner_shares_charge(owners, &owner->shares, charge);
		break;
	}
}

void owner_shares_add(struct owners *owners, struct array *shares,
		      struct owner *owner, double weight, uint8_t certainty)
{
	struct owner_share *share = shares->items;

	for (size_t i = 0; i < shares->count; i++) {
		if (share[i].owner != owner || share[i].certainty != certainty)
			continue;
		share[i].weight += weight;
		return;
	}
	share = array_add(shares);
	if (share)
		*share = (struct owner_share){ owner_refer(owner), weight,
					       certainty };
	else
		owners_fail(owners);
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

static double weight_of(const struct array *shares)
{
	const struct owner_share *items = shares->items;
	double sum = 0;

	for (size_t i = 0; i < shares->count; i++)
		sum += items[i].weight;
	return sum;
}

/* Returns whether @shares are of several processes. Processes of owners that are
 * still open are not known.
 */
static bool is_shared(const struct array *shares)
{
	const struct owner_share *items = shares->items;
	const struct owner *known = NULL;

	for (size_t i = 0; i < shares->count; i++) {
		if (items[i].owner->state != OWNER_KNOWN)
			continue;
		if (known && items[i].owner != known)
			return true;
		known = items[i].owner;
	}
	return false;
}

/* Events prove for whom work was, but not how much of it was for each of several
 * processes, so these shares are at most inferred. Charges each share the
 * difference of two rounded sums, so that each nanosecond is charged once.
 */
void owner_shares_charge(struct owners *owners, const struct array *shares,
			 const struct interrupt_charge *charge)
{
	const struct owner_share *items = shares->items;
	double whole = weight_of(shares);
	double sum = 0;
	uint64_t given_ns = 0;
	enum interrupt_certainty most = is_shared(shares) ? CERTAIN_INFERRED :
							    CERTAIN_EXACT;

	if (!shares->count)
		owner_charge(owners, owner_nobody(owners), charge);
	for (size_t i = 0; i < shares->count; i++) {
		struct interrupt_charge part = *charge;
		uint64_t until_ns = charge->ns;

		sum += items[i].weight;
		if (i + 1 < shares->count)
			until_ns = (uint64_t)((double)charge->ns * sum / whole);
		part.from_ns += given_ns;
		part.ns = until_ns - given_ns;
		part.count = charge->count * items[i].weight / whole;
		if (items[i].certainty > part.certainty)
			part.certainty = items[i].certainty;
		if (most > part.certainty)
			part.certainty = most;
		owner_charge(owners, items[i].owner, &part);
		given_ns = until_ns;
	}
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
