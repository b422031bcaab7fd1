/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIME_UNIT_H
#define KT_REPORT_TIME_UNIT_H

#include "report/text/duration_text.h"

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* This is what the times of a recording count: nanoseconds, or cycles or
 * instructions where the trace has no time stamps.  Reports are written for
 * nanoseconds, fields are called "…_ns"; this says what they are.
 */
struct time_unit {
	bool is_time;
	bool is_of_host;    /* of the virtual machine's host */
	const char *name;   /* behind a number */
	const char *suffix; /* of fields, in place of "_ns" */
	const char *kind;   /* in "Flat profile: wall time on CPUs" */
	const char *note;   /* that reports for people begin with; "" */
};

/* Never NULL. */
const struct time_unit *time_unit_of(const struct recording *recording);

struct time_field {
	char name[64];
};

/* Returns the name that field @name has in @unit. */
struct time_field time_unit_field(const struct time_unit *unit,
				  const char *name);

/* Returns @value for people: a time in the unit that suits it, else the number
 * alone.
 */
struct duration_text time_unit_text(const struct time_unit *unit,
				    uint64_t value);

/* The same with the unit behind the number: "94.1 ms", "12000 cycles". */
struct duration_text time_unit_amount(const struct time_unit *unit,
				      uint64_t value);

#endif
