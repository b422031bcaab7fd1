/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_DIAGNOSIS_H
#define KT_COLLECTOR_DIAGNOSIS_H

#include <stddef.h>

enum diagnosis_verdict {
	DIAGNOSIS_GOOD,
	DIAGNOSIS_LIMITED, /* recording works, but something is missing */
	DIAGNOSIS_BAD,	   /* the kernel cannot be recorded */
};

/* This is what one look at this machine found. */
struct diagnosis {
	const char *subject;
	enum diagnosis_verdict verdict;
	char finding[240];
	char fix[240]; /* what to do about it; "" if good */
};

/* Makes look number *@place, counted from 0, and steps on.
 *
 * Returns 1 and @diagnosis, or 0 when there are no more.
 */
int diagnosis_next(size_t *place, struct diagnosis *diagnosis);

#endif
