/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/loss.h"

/* xorshift64, period 2^64 - 1; the state must not be 0. */
static uint64_t next_random(struct pt_loss *loss)
{
	loss->random ^= loss->random << 13;
	loss->random ^= loss->random >> 7;
	loss->random ^= loss->random << 17;
	return loss->random;
}

static void draw(struct pt_loss *loss)
{
	loss->until_next = 1 + next_random(loss) % (2 * loss->interval);
}

void pt_loss_init(struct pt_loss *loss, uint64_t interval, uint64_t seed)
{
	*loss = (struct pt_loss){ .interval = interval, .random = seed | 1 };
	if (interval)
		draw(loss);
}

bool pt_loss_event(struct pt_loss *loss)
{
	if (!loss->interval)
		return false;
	if (loss->left)
		return --loss->left > 0;
	if (--loss->until_next)
		return false;
	loss->left = 1 + next_random(loss) % PT_LOSS_LONGEST;
	draw(loss);
	return true;
}

void pt_loss_end(struct pt_loss *loss)
{
	loss->left = 0;
}
