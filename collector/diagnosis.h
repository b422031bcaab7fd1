/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_DIAGNOSIS_H
#define KT_COLLECTOR_DIAGNOSIS_H

#include <stdbool.h>
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

/* Returns whether this process may record the tracepoints that attribution
 * needs, and everything that runs on all CPUs. If not, the remedy is in
 * @diagnosis.
 */
bool diagnosis_attribution(struct diagnosis *diagnosis);

#endif
