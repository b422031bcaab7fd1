/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CYCLE_CHOICE_H
#define KT_COLLECTOR_CYCLE_CHOICE_H

#include <stdint.h>

/* The user chooses whether the trace has counts of cycles. */
struct cycle_choice {
	enum {
		CYCLES_AS_USUAL, /* the trace unit's own default */
		CYCLES_COUNTED,
		CYCLES_LEFT_OUT,
	} kind;
	uint32_t threshold; /* cycles in a count at least; 0: the driver's */
};

#endif
