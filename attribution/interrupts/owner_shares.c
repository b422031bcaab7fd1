/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/owner_shares.h"

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

/* Each share is the difference of two rounded sums, so that each nanosecond is
 * charged exactly once.
 */
void owner_shares_charge(struct owners *owners, const struct array *shares,
			 const struct interrupt_charge *charge)
{
	const struct owner_share *items = shares->items;
	double whole = weight_of(shares);
	double sum = 0;
	uint64_t given_ns = 0;

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
		owner_charge(owners, items[i].owner, &part);
		given_ns = until_ns;
	}
}
