/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/unit/loss.h"

/* xorshift64, period 2^64 - 1; the state must not be 0. */
static uint64_t next_random(struct unit_loss *loss)
{
	loss->random ^= loss->random << 13;
	loss->random ^= loss->random >> 7;
	loss->random ^= loss->random << 17;
	return loss->random;
}

static void draw(struct unit_loss *loss)
{
	loss->until_next = 1 + next_random(loss) % (2 * loss->interval);
}

void unit_loss_init(struct unit_loss *loss, uint64_t interval, uint64_t seed)
{
	*loss = (struct unit_loss){ .interval = interval, .random = seed | 1 };
	if (interval)
		draw(loss);
}

bool unit_loss_event(struct unit_loss *loss)
{
	if (!loss->interval)
		return false;
	if (loss->left)
		return --loss->left > 0;
	if (--loss->until_next)
		return false;
	loss->left = 1 + next_random(loss) % UNIT_LOSS_LONGEST;
	draw(loss);
	return true;
}

void unit_loss_end(struct unit_loss *loss)
{
	loss->left = 0;
}
