/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITE_H
#define KT_TABLES_CALL_SITE_H

#include "attribution/time/time_span.h"

#include <stdint.h>

/* A user instruction that enters the kernel, in one process, for one purpose,
 * called from one caller; and the time that its entries took until they
 * returned.
 */
struct call_site {
	/* The key: entries that differ in one of these belong to different
	 * sites.
	 */
	int32_t pid;
	/* the system call's function, or an enum site_purpose */
	uint32_t purpose;
	uint64_t address; /* of the instruction; 0: unknown */
	/* nearest function on the user stack from another file, or else the
	 * caller of @function; FUNCTION_NONE: unknown
	 */
	uint32_t caller;
	/* contains the instruction; if that function has no name of its own,
	 * its nearest caller with a name in the same file. FUNCTION_UNKNOWN:
	 * see address
	 */
	uint32_t function;
	uint64_t caller_address; /* of the call in the caller; 0: unknown */
	/* in @function, of the instruction or of the last byte of the call that
	 * led to it
	 */
	uint64_t offset;

	/* start of one of its entries; addresses are looked up in the maps of
	 * that time
	 */
	uint64_t first_ns;
	uint64_t entries;
	uint64_t class_ns[TIME_CLASSES];
};

/* Purposes that share a number space with functions. */
enum site_purpose {
	SITE_PAGE_FAULT = -3,
	SITE_EXCEPTION = -2,
	SITE_SYSTEM_CALL = -1, /* unknown system call */
};

#endif
