/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITE_H
#define KT_TABLES_CALL_SITE_H

#include "attribution/time/time_span.h"

#include <stdint.h>

/* A user instruction that enters the kernel, in one process, for one purpose,
 * called from one place; and what its entries took until they returned.
 */
struct call_site {
	/* These make it another site. */
	int32_t pid;
	uint32_t purpose;	 /* a system call's own function; or one of
				 * enum site_purpose */
	uint64_t address;	 /* of the instruction; 0: unknown */
	uint32_t caller;	 /* nearest function on the user stack that is
				 * of another file, or else the one that called
				 * @function; FUNCTION_NONE: unknown */
	uint32_t function;	 /* has the instruction; or, if that function
				 * has no name of its own, the nearest one with
				 * a name that called it and is of the same
				 * file.  FUNCTION_UNKNOWN: see address */
	uint64_t caller_address; /* of its call; 0: unknown */
	uint64_t offset; /* in @function, of the instruction, or of the last
			  * byte of the call that led to it */

	uint64_t first_ns; /* start of one of its entries: the time for
			    * which addresses are looked up */
	uint64_t entries;
	uint64_t class_ns[TIME_CLASSES];
};

/* These purposes stand beside the numbers of functions. */
enum site_purpose {
	SITE_PAGE_FAULT = -3,
	SITE_EXCEPTION = -2,
	SITE_SYSTEM_CALL = -1, /* which one is not known */
};

#endif
