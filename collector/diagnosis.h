/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_DIAGNOSIS_H
#define KT_COLLECTOR_DIAGNOSIS_H

#include <stddef.h>

enum diagnosis_verdict {
	DIAGNOSIS_GOOD,
	DIAGNOSIS_LIMITED, /* recording works, but something is missing */
	DIAGNOSIS_BAD,	   /* the kernel cannot be recorded */
};

/* The result of one check of this machine. */
struct diagnosis {
	const char *subject;
	enum diagnosis_verdict verdict;
	char finding[240];
	char fix[240]; /* the remedy; "" if good */
};

/* Runs check number *@place, counted from 0, and increments *@place.
 *
 * Returns 1 and @diagnosis, or 0 when there are no more.
 */
int diagnosis_next(size_t *place, struct diagnosis *diagnosis);

#endif
