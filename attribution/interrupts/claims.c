/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/claims.h"

#include "attribution/interrupts/path_sums.h"
#include "common/number_map.h"

#include <stdlib.h>

enum claim_state {
	CLAIM_KNOWN, /* pid: as in struct interrupt_row */
	CLAIM_OPEN,
	CLAIM_SHARED, /* stakes */
};

struct claim {
	uint8_t state; /* enum claim_state */
	bool is_abandoned;
	int32_t pid;
	uint32_t references; /* none are counted of known ones */
	struct array bills;  /* struct interrupt_share: what waits */
	struct array stakes; /* struct stake */
};

struct claims {
	struct interrupt_rows *rows;
	struct path_sums *paths;      /* or NULL */
	struct number_map *processes; /* their claims, by pid */
	struct array known;	      /* struct claim *: to be freed */
	bool has_failed;
	struct claim nobody;
	struct claim system;
};

struct claims *claims_new(struct interrupt_rows *rows, struct path_sums *paths)
{
	struct claims *claims = calloc(1, sizeof(*claims));

	if (!claims)
		return NULL;
	claims->rows = rows;
	claims->paths = paths;
	claims->known = ARRAY_OF(struct claim *);
	claims->nobody.pid = -1;
	claims->system.pid = 0;
	claims->processes = number_map_new();
	if (!claims->processes) {
		claims_free(claims);
		return NULL;
	}
	return claims;
}

void claims_free(struct claims *claims)
{
	struct claim **known;

	if (!claims)
		return;
	known = claims->known.items;
	for (size_t i = 0; i < claims->known.count; i++)
		free(known[i]);
	array_free(&claims->known);
	number_map_free(claims->processes);
	free(claims);
}

bool claims_failed(const struct claims *claims)
{
	return claims->has_failed;
}

void claims_fail(struct claims *claims)
{
	claims->has_failed = true;
}

struct claim *claim_nobody(struct claims *claims)
{
	return &claims->nobody;
}

struct claim *claim_system(struct claims *claims)
{
	return &claims->system;
}

static struct claim *add_process(struct claims *claims, int32_t pid)
{
	struct claim **slot = array_add(&claims->known);
	uint64_t *value = number_map_add(claims->processes, (uint32_t)pid);

	if (!slot || !value)
		return NULL;
	*slot = calloc(1, sizeof(**slot));
	if (!*slot)
		return NULL;
	(*slot)->pid = pid;
	*value = (uintptr_t)*slot;
	return *slot;
}

struct claim *claim_process(struct claims *claims, int32_t pid)
{
	const uint64_t *value =
		number_map_find(claims->processes, (uint32_t)pid);
	struct claim *claim =
		value && *value ? (struct claim *)(uintptr_t)*value : NULL;

	/* The idle task does nothing for itself. */
	if (pid <= 0)
		return claim_nobody(claims);
	if (!claim)
		claim = add_process(claims, pid);
	if (claim)
		return claim;
	claims->has_failed = true;
	return claim_nobody(claims);
}

struct claim *claim_open(struct claims *claims)
{
	struct claim *claim = calloc(1, sizeof(*claim));

	if (!claim) {
		claims->has_failed = true;
		return claim_nobody(claims);
	}
	claim->state = CLAIM_OPEN;
	claim->references = 1;
	claim->bills = ARRAY_OF(struct interrupt_share);
	claim->stakes = ARRAY_OF(struct stake);
	return claim;
}

struct claim *claim_refer(struct claim *claim)
{
	if (claim->state != CLAIM_KNOWN)
		claim->references++;
	return claim;
}

void claim_drop(struct claims *claims, struct claim *claim)
{
	const struct array none = ARRAY_OF(struct stake);

	if (!claim || claim->state == CLAIM_KNOWN || --claim->references)
		return;
	claim_settle(claims, claim, &none);
	stakes_free(claims, &claim->stakes);
	free(claim);
}

void claim_abandon(struct claim *claim)
{
	claim->is_abandoned = true;
}

bool claim_is_abandoned(const struct claim *claim)
{
	return claim->state == CLAIM_OPEN && claim->is_abandoned;
}

void stakes_add(struct claims *claims, struct array *stakes,
		struct claim *claim, double weight, uint8_t certainty)
{
	struct stake *stake = stakes->items;

	for (size_t i = 0; i < stakes->count; i++) {
		if (stake[i].claim != claim || stake[i].certainty != certainty)
			continue;
		stake[i].weight += weight;
		return;
	}
	stake = array_add(stakes);
	if (stake)
		*stake =
			(struct stake){ claim_refer(claim), weight, certainty };
	else
		claims->has_failed = true;
}

void stakes_free(struct claims *claims, struct array *stakes)
{
	const struct stake *items = stakes->items;

	for (size_t i = 0; i < stakes->count; i++)
		claim_drop(claims, items[i].claim);
	array_free(stakes);
}

/* Whether what is billed to @from may come to @claim: work for itself. */
static bool leads_to(const struct claim *from, const struct claim *claim)
{
	const struct stake *stakes = from->stakes.items;

	if (from == claim)
		return true;
	if (from->state != CLAIM_SHARED)
		return false;
	for (size_t i = 0; i < from->stakes.count; i++)
		if (leads_to(stakes[i].claim, claim))
			return true;
	return false;
}

void claim_settle(struct claims *claims, struct claim *claim,
		  const struct array *stakes)
{
	const struct stake *items = stakes->items;
	const struct interrupt_share *bills;

	if (claim->state != CLAIM_OPEN)
		return;
	for (size_t i = 0; i < stakes->count; i++)
		if (!leads_to(items[i].claim, claim))
			stakes_add(claims, &claim->stakes, items[i].claim,
				   items[i].weight, items[i].certainty);
	claim->state = CLAIM_SHARED;
	bills = claim->bills.items;
	for (size_t i = 0; i < claim->bills.count; i++)
		stakes_bill(claims, &claim->stakes, &bills[i]);
	array_free(&claim->bills);
}

void claim_settle_one(struct claims *claims, struct claim *claim,
		      struct claim *with, uint8_t certainty)
{
	struct stake stake = { with, 1, certainty };
	const struct array stakes = { &stake, 1, 1, sizeof(stake) };

	claim_settle(claims, claim, &stakes);
}

static void bill_known(struct claims *claims, int32_t pid,
		       const struct interrupt_share *share)
{
	struct interrupt_share known = *share;
	bool is_added;

	if (pid < 0)
		known.certainty = CERTAIN_NOBODY;
	is_added = share->is_of_path ?
			   path_sums_add(claims->paths, pid, &known) :
			   interrupt_rows_add(claims->rows, pid, &known);
	if (!is_added)
		claims->has_failed = true;
}

static void keep_bill(struct claims *claims, struct claim *claim,
		      const struct interrupt_share *share)
{
	struct interrupt_share *bill = array_add(&claim->bills);

	if (bill)
		*bill = *share;
	else
		claims->has_failed = true;
}

void claim_bill(struct claims *claims, struct claim *claim,
		const struct interrupt_share *share)
{
	switch ((enum claim_state)claim->state) {
	case CLAIM_KNOWN:
		bill_known(claims, claim->pid, share);
		break;
	case CLAIM_OPEN:
		keep_bill(claims, claim, share);
		break;
	case CLAIM_SHARED:
		stakes_bill(claims, &claim->stakes, share);
		break;
	}
}

static double weight_of(const struct array *stakes)
{
	const struct stake *items = stakes->items;
	double sum = 0;

	for (size_t i = 0; i < stakes->count; i++)
		sum += items[i].weight;
	return sum;
}

/* Each gets the difference of two rounded sums, so that no nanosecond is lost
 * or given twice.
 */
void stakes_bill(struct claims *claims, const struct array *stakes,
		 const struct interrupt_share *share)
{
	const struct stake *items = stakes->items;
	double whole = weight_of(stakes);
	double sum = 0;
	uint64_t given_ns = 0;

	if (!stakes->count)
		bill_known(claims, -1, share);
	for (size_t i = 0; i < stakes->count; i++) {
		struct interrupt_share part = *share;
		uint64_t until_ns;

		sum += items[i].weight;
		until_ns = i + 1 < stakes->count ?
				   (uint64_t)((double)share->ns * sum / whole) :
				   share->ns;
		part.ns = until_ns - given_ns;
		part.count = share->count * items[i].weight / whole;
		if (items[i].certainty > part.certainty)
			part.certainty = items[i].certainty;
		claim_bill(claims, items[i].claim, &part);
		given_ns = until_ns;
	}
}
