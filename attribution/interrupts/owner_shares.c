/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/owner_shares.h"

#include "attribution/interrupts/path_sums.h"

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

/* Returns the part of @rest that has @ns of its time and @part of its entries,
 * and leaves the others there.
 */
static struct interrupt_charge take_part(struct owners *owners,
					 struct interrupt_charge *rest,
					 uint64_t ns, double part)
{
	struct interrupt_charge taken = *rest;

	taken.ns = ns;
	taken.paths = ARRAY_OF(struct path_work);
	if (path_works_take(&rest->paths, ns, part, &taken.paths) < 0)
		owners_fail(owners);
	rest->from_ns += ns;
	rest->ns -= ns;
	return taken;
}

/* Each gets the difference of two rounded sums, so that no nanosecond is lost
 * or given twice.
 */
void owner_shares_charge(struct owners *owners, const struct array *shares,
			 const struct interrupt_charge *charge)
{
	const struct owner_share *items = shares->items;
	struct interrupt_charge rest = *charge;
	double whole = weight_of(shares);
	double sum = 0;

	if (!shares->count)
		owner_charge(owners, owner_nobody(owners), charge);
	for (size_t i = 0; i < shares->count; i++) {
		double weight = items[i].weight;
		uint64_t given_ns = charge->ns - rest.ns;
		struct interrupt_charge part = rest;

		sum += weight;
		if (i + 1 < shares->count)
			part = take_part(
				owners, &rest,
				(uint64_t)((double)charge->ns * sum / whole) -
					given_ns,
				weight / (whole - sum + weight));
		part.count = charge->count * weight / whole;
		if (items[i].certainty > part.certainty)
			part.certainty = items[i].certainty;
		owner_charge(owners, items[i].owner, &part);
	}
}
