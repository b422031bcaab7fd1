/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CYCLE_CHOICE_H
#define KT_COLLECTOR_CYCLE_CHOICE_H

#include <stdint.h>

/* The user's choice whether the trace contains cycle counts, which make times
 * finer and the trace larger.
 */
struct cycle_choice {
	enum {
		CYCLES_AS_USUAL, /* the trace unit's own default */
		CYCLES_COUNTED,
		CYCLES_LEFT_OUT,
	} kind;
	/* minimum cycles of a count; 0: the driver's default */
	uint32_t threshold;
};

#endif
