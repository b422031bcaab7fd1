/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/filter.h"

/* Resource selector 1 is always true, 0 always false. Others would select
 * resources that this unit has only for timestamps (counters) or not at all.
 */
enum { EVENT_TRUE = 1 };

bool ete_filter_level_traced(const struct ete_registers *registers, uint64_t ip)
{
	uint64_t excluded = ete_register(registers, TRCVICTLR);

	if (ete_filter_level(ip))
		return registers->trfcr & TRFCR_E1TRE &&
		       !(excluded & VICTLR_NOT_EL1);
	return registers->trfcr & TRFCR_E0TRE && !(excluded & VICTLR_NOT_EL0);
}

static uint64_t comparator(const struct ete_registers *registers, unsigned i)
{
	return ete_register(registers, TRCACVR0 + 8 * i);
}

/* TRCACATR.EXLEVEL: a comparator does not match in its excluded levels. */
static bool matches_level(const struct ete_registers *registers, unsigned i,
			  uint64_t ip)
{
	uint64_t type = ete_register(registers, TRCACATR0 + 8 * i);

	return !(type >> (12 + ete_filter_level(ip)) & 1);
}

/* Both bounds belong to the range. */
static bool in_any_range(const struct ete_registers *registers, uint64_t pairs,
			 uint64_t ip)
{
	for (unsigned i = 0; i < ETE_ADDRESS_PAIRS; i++)
		if (pairs >> i & 1 && matches_level(registers, 2 * i, ip) &&
		    ip >= comparator(registers, 2 * i) &&
		    ip <= comparator(registers, 2 * i + 1))
			return true;
	return false;
}

bool ete_filter_range(const struct ete_registers *registers, uint64_t ip)
{
	uint64_t event = ete_register(registers, TRCVICTLR) & VICTLR_EVENT;
	uint64_t ranges = ete_register(registers, TRCVIIECTLR);

	if (event != EVENT_TRUE)
		return false;
	if (ranges & 0xff && !in_any_range(registers, ranges & 0xff, ip))
		return false;
	return !in_any_range(registers, ranges >> 16, ip);
}

/* Returns whether one of @points, a bit for each comparator, is in the code,
 * and sets *@last to the last such address.
 */
static bool last_point(const struct ete_registers *registers, uint64_t points,
		       uint64_t ip, uint64_t end, uint64_t *last)
{
	bool found = false;

	for (unsigned i = 0; i < ETE_ADDRESS_COMPARATORS; i++) {
		uint64_t at = comparator(registers, i);

		if (!(points >> i & 1) || at < ip || at >= end ||
		    !matches_level(registers, i, ip) || (found && at < *last))
			continue;
		found = true;
		*last = at;
	}
	return found;
}

bool ete_filter_started(const struct ete_registers *registers, bool started,
			uint64_t ip, uint64_t end)
{
	uint64_t points = ete_register(registers, TRCVISSCTLR);
	uint64_t start = 0, stop = 0;
	bool starts, stops;

	if (!points)
		return true;
	starts = last_point(registers, points & 0xffff, ip, end, &start);
	stops = last_point(registers, points >> 16, ip, end, &stop);
	if (starts && stops)
		return start > stop;
	return starts || (started && !stops);
}
