/* SPDX-License-Identifier: MIT */
#include "decoder/recording/time_conversion.h"

uint64_t time_conversion_ticks(const struct time_conversion *conversion,
			       uint64_t ns)
{
	if (!conversion->known || !conversion->mult)
		return ns;

	uint64_t since = ns - conversion->zero;

	if (conversion->origin && (int64_t)since < 0)
		return 0;

	uint64_t whole = since / conversion->mult;
	uint64_t rest = since % conversion->mult;
	unsigned __int128 scaled =
		((unsigned __int128)rest << conversion->shift) +
		conversion->mult - 1;

	return (whole << conversion->shift) +
	       (uint64_t)(scaled / conversion->mult);
}

/* Half of the 56 bits are on each side of @near_ns: 139 days at 3 GHz. An
 * origin that is a multiple of 1 << shift converts without a remainder.
 */
void time_conversion_set_origin(struct time_conversion *conversion,
				uint64_t near_ns)
{
	const uint64_t half = (uint64_t)1 << 55;
	uint64_t ticks = time_conversion_ticks(conversion, near_ns);
	uint64_t steps;

	if (!conversion->known || ticks < half)
		return;
	steps = (ticks - half) >> conversion->shift;
	conversion->origin += steps << conversion->shift;
	conversion->zero += steps * conversion->mult;
}
