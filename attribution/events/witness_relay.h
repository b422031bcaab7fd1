/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WITNESS_RELAY_H
#define KT_ATTRIBUTION_WITNESS_RELAY_H

#include "attribution/events/witness.h"

/* A witness that passes on all it sees to another: for a table around what
 * fills it.  The relay is the first member of the table.
 */
struct witness_relay {
	struct witness witness;
	struct witness *to; /* borrowed */
};

/* Returns one that passes on to @to, all of whose functions are there. */
struct witness_relay witness_relay_to(struct witness *to);

#endif
