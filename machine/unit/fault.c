/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/unit/fault.h"

#include <string.h>

bool unit_fault_parse(struct unit_fault *fault,
		      const struct unit_fault_kind *kinds, unsigned count,
		      const char *name)
{
	for (unsigned kind = 1; kind < count; kind++) {
		if (strcmp(kinds[kind].name, name))
			continue;
		*fault = (struct unit_fault){ kind, kinds[kind].interval,
					      kinds[kind].interval };
		return true;
	}
	return false;
}

bool unit_fault_strikes(struct unit_fault *fault, unsigned kind)
{
	if (fault->kind != kind || --fault->until_next)
		return false;
	fault->until_next = fault->interval;
	return true;
}
