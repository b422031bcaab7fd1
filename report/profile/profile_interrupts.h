/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_INTERRUPTS_H
#define KT_REPORT_PROFILE_INTERRUPTS_H

#include <stdint.h>

/* The interrupt work of a profile that is charged to beneficiaries. */
struct profile_interrupts {
	uint64_t exact_ns; /* with a beneficiary tracked by object */
	/* with an inferred beneficiary, for example by a wake-up */
	uint64_t inferred_ns;
	uint64_t nobodys_ns; /* without a beneficiary: charged to process 0 */
};

#endif
