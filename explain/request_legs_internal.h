/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_REQUEST_LEGS_INTERNAL_H
#define KT_EXPLAIN_REQUEST_LEGS_INTERNAL_H

#include "common/array.h"

#include <stdint.h>

struct request;

/* The threads that a request went through, as intervals without holes. Its
 * client may do other work meanwhile, so explain follows the request and not
 * the client:
 *
 *	client    |--|                            |------|
 *	server A     |.....-----------|
 *	server B                      |.....------|
 *	          begin                                  end
 *
 * A leg of a server starts where the previous leg ends: while the request is
 * queued (dots), it waits for the other work of its next thread.
 *
 * Invariant: the legs cover the request's time from begin to end exactly, each
 * starting at the end of the one before.
 */
struct request_leg {
	int32_t tid; /* -1: the client, or the client's machine */
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* Appends the legs of @request, which took @wall_ns, to @legs (struct
 * request_leg), in order of time. Returns 0 or -ERROR_MEMORY.
 */
int request_legs_of(const struct request *request, uint64_t wall_ns,
		    struct array *legs);

#endif
