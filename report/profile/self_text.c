/* SPDX-License-Identifier: MIT */
#include "report/profile/self_text.h"

#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"

#include <stdio.h>

struct self_text self_text_of(const struct profile_report *report,
			      uint64_t self_ns, uint64_t inferred_ns)
{
	const struct time_unit *unit = time_unit_of(report->recording);
	struct self_text text;

	snprintf(text.text, sizeof(text.text), "%s%s", inferred_ns ? "~" : "",
		 time_unit_text(unit, self_ns).text);
	return text;
}
