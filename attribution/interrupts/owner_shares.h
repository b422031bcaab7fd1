/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OWNER_SHARES_H
#define KT_ATTRIBUTION_OWNER_SHARES_H

#include "attribution/interrupts/owners.h"
#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

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

/* Divides @charge among @shares by weight; if there are none, nobody is
 * charged.
 */
void owner_shares_charge(struct owners *owners, const struct array *shares,
			 const struct interrupt_charge *charge);

#endif
