/* SPDX-License-Identifier: MIT */
#include "decoder/recording/time_conversion.h"

uint64_t time_conversion_ns(const struct time_conversion *conversion,
			    uint64_t ticks)
{
	if (!conversion->known)
		return ticks;

	uint64_t whole = ticks >> conversion->shift;
	uint64_t part = ticks & (((uint64_t)1 << conversion->shift) - 1);

	return conversion->zero + whole * conversion->mult +
	       (part * conversion->mult >> conversion->shift);
}

uint64_t time_conversion_ticks(const struct time_conversion *conversion,
			       uint64_t ns)
{
	if (!conversion->known || !conversion->mult)
		return ns;

	uint64_t since = ns - conversion->zero;
	uint64_t whole = since / conversion->mult;
	uint64_t rest = since % conversion->mult;
	unsigned __int128 scaled =
		((unsigned __int128)rest << conversion->shift) +
		conversion->mult - 1;

	return (whole << conversion->shift) +
	       (uint64_t)(scaled / conversion->mult);
}
