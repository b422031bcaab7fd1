/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_INTERRUPTS_H
#define KT_REPORT_PROFILE_INTERRUPTS_H

#include <stdint.h>

/* The interrupt work of a profile that has it under whom it was for. */
struct profile_interrupts {
	uint64_t exact_ns;    /* followed by the object that it was about */
	uint64_t inferred_ns; /* from whom it woke, or the like */
	uint64_t nobodys_ns;  /* nobody claims it: process 0's here */
};

#endif
