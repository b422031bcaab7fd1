/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIME_UNIT_H
#define KT_REPORT_TIME_UNIT_H

#include "report/text/duration_text.h"

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* The unit of a recording's times: nanoseconds, or cycles or instructions if
 * the trace has no time stamps. Reports are written for nanoseconds and name
 * fields "…_ns"; this unit corrects the names.
 */
struct time_unit {
	bool is_time;
	bool is_of_host;    /* times are those of the virtual machine's host */
	const char *name;   /* after a number */
	const char *suffix; /* of field names, instead of "_ns" */
	const char *kind;   /* in "Flat profile: wall time on CPUs" */
	const char *note;   /* first line of text reports, or "" */
};

/* Returns the unit of @recording; never NULL. */
const struct time_unit *time_unit_of(const struct recording *recording);

struct time_field {
	char name[64];
};

/* Returns the name of field @name in @unit. */
struct time_field time_unit_field(const struct time_unit *unit,
				  const char *name);

/* Returns @value for people: a time with a suitable unit, otherwise only the
 * number.
 */
struct duration_text time_unit_text(const struct time_unit *unit,
				    uint64_t value);

/* Like time_unit_text(), always with the unit: "94.1 ms", "12000 cycles". */
struct duration_text time_unit_amount(const struct time_unit *unit,
				      uint64_t value);

#endif
