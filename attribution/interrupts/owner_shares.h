/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OWNER_SHARES_H
#define KT_ATTRIBUTION_OWNER_SHARES_H

#include "attribution/interrupts/owners.h"
#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

/* An owner has this share of what several have. */
struct owner_share {
	struct owner *owner; /* referred to */
	double weight;	     /* of the sum of all, more than 0 */
	uint8_t certainty;   /* enum interrupt_certainty, not NOBODY */
};

/* Adds to @shares (struct owner_share), referring to @owner. */
void owner_shares_add(struct owners *owners, struct array *shares,
		      struct owner *owner, double weight, uint8_t certainty);

/* Returns whether @owner is among them, however certain that is. */
bool owner_shares_has(const struct array *shares, const struct owner *owner);

/* Drops all of them. */
void owner_shares_free(struct owners *owners, struct array *shares);

/* Divides @charge among @shares by weight; without any it is nobody's. */
void owner_shares_charge(struct owners *owners, const struct array *shares,
			 const struct interrupt_charge *charge);

#endif
