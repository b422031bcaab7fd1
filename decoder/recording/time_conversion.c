/* SPDX-License-Identifier: MIT */
#include "decoder/recording/time_conversion.h"

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
