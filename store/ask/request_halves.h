/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_REQUEST_HALVES_H
#define KT_STORE_REQUEST_HALVES_H

#include "common/array.h"
#include "store/answer/answer.h"

#include <stdbool.h>

struct store_target;

/* The columns of the rows. */
enum {
	HALF_CLIENT_ADDRESS,
	HALF_CLIENT_PORT,
	HALF_SERVER_ADDRESS,
	HALF_SERVER_PORT,
	HALF_RECORDING,
	HALF_ID,
	HALF_BEGIN,
	HALF_WALL,
	HALF_POSITION,
	HALF_COMM,
	HALF_TID,
	HALF_HOST,
	HALF_CLOCK,
	HALF_BEGIN_OFFSET,
	HALF_BEGIN_ERROR,
	HALF_BEGIN_STATUS,
	HALF_END_OFFSET,
	HALF_END_ERROR,
	HALF_END_STATUS,
	HALF_PARTS, /* the first of the parts that add up to the wall time */
};

/* The columns from HALF_PARTS on, of a client's side and of a server's side. */
enum { PART_CLIENT, PART_CLIENT_WAIT, PART_REMOTE, CLIENT_PARTS };
enum { SERVER_PARTS = 10 };

/* The client sides, or the server sides, of requests between machines. */
struct request_halves {
	struct answer rows;
	struct array halves; /* struct request_half */
};

/* Reads the answered requests of the recordings that satisfy @recordings
 * (recording_filter.h), or of all recordings if it is NULL.
 *
 * Returns 0 or a negative enum error, logged to the target's log. Call
 * request_halves_free() in both cases.
 */
int request_halves_ask(struct store_target *target, bool is_client,
		       const struct array *recordings,
		       struct request_halves *halves);
void request_halves_free(struct request_halves *halves);

#endif
