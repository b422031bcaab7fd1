/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_USER_SITES_H
#define KT_ATTRIBUTION_USER_SITES_H

#include "attribution/time_span.h"

#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct witness;

/* A user instruction that enters the kernel, in one process, for one purpose,
 * called from one place; and what its entries took until they returned.
 */
struct user_site {
	int32_t pid;
	uint32_t function;	/* FUNCTION_UNKNOWN: see address */
	uint64_t address;	/* of the instruction; 0: unknown */
	uint64_t offset;	/* from function's begin */
	uint32_t purpose;	/* a system call's own function; or one of
				 * enum site_purpose */
	uint32_t caller;	/* nearest function on the user stack that is
				 * of another file, or else the one that called
				 * it; FUNCTION_NONE: unknown */
	uint64_t caller_address;	/* of its call; 0: unknown */
	uint64_t entries;
	uint64_t class_ns[TIME_CLASSES];
};

/* What is no function number. */
enum site_purpose {
	SITE_PAGE_FAULT = -3,
	SITE_EXCEPTION = -2,
	SITE_SYSTEM_CALL = -1,	/* which one is not known */
};

/* Bills the time of system calls and faults to the instructions that began
 * them.  Where user code is traced, they are in the trace; else a system
 * call's is in the registers that record --user-stacks copies, a page fault's
 * in its tracepoint.
 */
struct user_sites;

/* Borrows @input.  Returns NULL when out of memory. */
struct user_sites *user_sites_new(const struct attribution_input *input);
void user_sites_free(struct user_sites *sites);

struct witness *user_sites_witness(struct user_sites *sites);

/* Bills what has not returned, after the last step.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int user_sites_end(struct user_sites *sites);

size_t user_sites_count(const struct user_sites *sites);
const struct user_site *user_sites_at(const struct user_sites *sites,
				      size_t index);

#endif
