/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/clock.h"

#include "machine/truth/arch.h"

uint64_t clock_look(struct clock *clock)
{
	clock->host_now = clock->host ? arch_host_clock() : 0;
	return clock->host_now;
}

uint64_t clock_now(const struct clock *clock, uint32_t ahead)
{
	uint64_t offset = clock->known ? clock->offset : 0;

	return (clock->host ? clock->host_now : clock->executed + ahead) +
	       offset;
}

void clock_before(struct clock *clock)
{
	clock->host_before = clock->host ? arch_host_clock() : 0;
}

static void correct(struct clock *clock, uint64_t offset)
{
	int64_t change = offset - clock->offset;
	uint64_t size = change < 0 ? -change : change;

	if (!change)
		return;
	clock->corrections++;
	if (size > clock->worst)
		clock->worst = size;
	clock->offset = offset;
}

/* Returns whether the reading @tsc shows that the guest's clock was stopped since
 * the previous one, as while the machine's state is saved: the host's clock was
 * ahead of @tsc - offset even before the reading.
 */
static bool stood_still(const struct clock *clock, uint64_t tsc)
{
	return (int64_t)(tsc - clock->host_before - clock->offset) < 0;
}

void clock_sync(struct clock *clock, uint64_t tsc, uint64_t executed)
{
	uint64_t offset = tsc - (clock->host ? arch_host_clock() : executed);

	clock->syncs++;
	if (!clock->known)
		clock->offset = offset;
	else if (!clock->host || stood_still(clock, tsc) ||
		 (int64_t)(offset - clock->offset) > 0)
		correct(clock, offset);
	clock->known = true;
}
