/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"

/* What is the system's whatever comes of it: NMIs, RCU, the tick and what
 * balances load.
 */
static void begin(void *state, const struct moment *moment)
{
	struct interrupt_piece *piece = moment->piece;

	(void)state;
	if (piece->kind == INTERRUPT_NMI || piece->kind == INTERRUPT_RCU ||
	    interrupt_role_is_system(moment->roles, piece->function))
		interrupt_piece_own(piece, claim_system(moment->claims),
				    CERTAIN_EXACT);
}

const struct object_tracker track_system = {
	.begin = begin,
};
