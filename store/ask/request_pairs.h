/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_REQUEST_PAIRS_H
#define KT_STORE_REQUEST_PAIRS_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One side of a request between two machines, as its recording has it.  Texts
 * are borrowed.
 */
struct request_half {
	const char *client_address;
	const char *server_address;
	int64_t client_port;
	int64_t server_port;
	int64_t recording;
	/* By CLOCK_REALTIME, if has_clock, and by how much that may be off. */
	bool has_clock;
	int64_t begin_ns;
	int64_t end_ns;
	int64_t error_ns;
	/* Bytes that the client had sent by this connection before it. */
	bool has_position;
	int64_t position;
	size_t row; /* the caller's */
};

enum pair_status {
	PAIR_JOINED,
	PAIR_AMBIGUOUS, /* several fit, or this one fits several */
	PAIR_CLOCKLESS, /* a side does not know when it was */
	PAIR_ALONE,	/* no recording has the other side */
	PAIR_STATUSES,
};

/* What became of one client's side. */
struct request_pair {
	const struct request_half *client;
	const struct request_half *server; /* if PAIR_JOINED, else NULL */
	enum pair_status status;
	size_t fits; /* servers' sides that may be the other one */
};

/* Returns its name, as "joined". */
const char *pair_status_name(enum pair_status status);

/* Finds the server's side of each of @clients among @servers (struct
 * request_half), both of which it sorts: of the same connection, in another
 * recording, within the client's time as exactly as both clocks are known, and,
 * where both know it, at the same place in what the client sent.  Two belong
 * together if neither fits another one.
 *
 * Returns 0, with a struct request_pair in @pairs, which was empty, for each of
 * @clients, which borrows from both; or -ERROR_MEMORY.
 */
int request_pairs_find(struct array *clients, struct array *servers,
		       struct array *pairs);

#endif
