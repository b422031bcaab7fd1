/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_GATE_CHOICES_H
#define KT_TABLES_GATE_CHOICES_H

#include "common/recording_events.h"

#include <stdint.h>

struct array;
struct recording;

/* The set of calls that record --only traced from time_ns on. */
struct gate_choice_at {
	uint64_t time_ns;
	struct gate_choice choice; /* its list is NUL-terminated */
};

/* Appends the choices of @recording to @choices, an array of struct
 * gate_choice_at, in order of time. Records that are too short are left out.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int gate_choices_read(const struct recording *recording, struct array *choices);

#endif
