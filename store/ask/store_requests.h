/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_REQUESTS_H
#define KT_STORE_REQUESTS_H

#include "common/array.h"

#include <stdint.h>

struct answer;
struct store_target;

struct store_requests {
	/* char *: conditions on the client's recording (recording_filter.h) */
	struct array recordings;
	uint64_t top; /* number of rows; UINT64_MAX: all */
};

/* Reports the answered requests between machines, longest first: the client's
 * side of one recording and the server's side of another (request_pairs.h),
 * with the parts of the time on both. Logs the number of joined requests to the
 * target's log.
 *
 * Returns 0 and @answer, or a negative enum error logged to the target's log.
 * Call answer_free() after success.
 */
int store_requests_ask(const struct store_requests *requests,
		       struct store_target *target, struct answer *answer);

#endif
