/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_REQUESTS_H
#define KT_STORE_REQUESTS_H

#include "common/array.h"

#include <stdint.h>

struct answer;
struct store_target;

struct store_requests {
	struct array recordings; /* char *: recording_filter.h; of clients */
	uint64_t top;		 /* rows; UINT64_MAX: all */
};

/* Asks for the requests from one machine to another that were answered, those
 * that took longest first: the client's side of one recording and the server's
 * of another (request_pairs.h), with what the time went to on both.  The target's
 * log is told how many were joined.
 *
 * Returns 0 and @answer, or a negative enum error said to the target's log;
 * answer_free() it if 0.
 */
int store_requests_ask(const struct store_requests *requests,
		       struct store_target *target, struct answer *answer);

#endif
