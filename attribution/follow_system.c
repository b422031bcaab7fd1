/* SPDX-License-Identifier: MIT */
#include "attribution/follow.h"

/* What is nobody's whatever comes of it: NMIs, RCU callbacks, the tick. */
static void begin(void *state, const struct moment *moment)
{
	struct interrupt_piece *piece = moment->piece;

	(void)state;
	if (piece->kind == INTERRUPT_NMI || piece->kind == INTERRUPT_RCU ||
	    interrupt_role_of(moment->roles, piece->function) ==
		    ROLE_SYSTEM_TIMER)
		interrupt_piece_own(piece, claim_nobody(moment->claims),
				    CERTAIN_EXACT);
}

const struct follower follow_system = {
	.begin = begin,
};
