/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_ACTIVATION_INTERNAL_H
#define KT_COLLECTOR_ACTIVATION_INTERNAL_H

#include <stdint.h>

enum activation_kind {
	ACTIVATE_AT_ONCE,
	ACTIVATE_AT,	   /* an instant */
	ACTIVATE_MULTIPLE, /* the next multiple of a period since 1970 */
};

/* When a recording starts after its setup is complete. Times are of
 * CLOCK_REALTIME.
 */
struct activation {
	enum activation_kind kind;
	int64_t ns; /* AT: since 1970; MULTIPLE: the period, above 0 */
};

/* Parses the argument of --activate: "@1795443000.5", "@2026-11-23T15:10:00Z",
 * "@2026-11-23T16:10:00.25+01:00", "/10s", or "+5s", which is relative to
 * @now_ns.
 *
 * Returns NULL, or a text that describes the expected form.
 */
const char *activation_parse(const char *text, int64_t now_ns,
			     struct activation *activation);

/* Returns the start instant for a setup that is complete at @now_ns; with
 * ACTIVATE_AT it may be in the past.
 */
int64_t activation_instant(const struct activation *activation, int64_t now_ns);

#endif
