/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_ASK_STORE_REQUESTS_H
#define KT_STORE_ASK_STORE_REQUESTS_H

#include "common/array.h"
#include "store/answer/answer.h"
#include "store/ask/measure_query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The questions of `ktrace-hw store report`, `store slow` and `store requests`.
 * Each store_*_ask() function queries a store, whose check() must have
 * succeeded, and makes an answer. request_pairs_find() is the part of `store
 * requests` that needs no database: it joins the two sides of requests between
 * machines, which are in different recordings.
 */

struct store_target;

/* The maximum number of keys for grouping rows. */
enum { STORE_MOST_KEYS = 8 };

struct store_report {
	struct measure_choice choice;
	/* each "item", "comm" (of the thread), a column of "recording"
	 * (measure_query.h), or else the name of a label
	 */
	const char *keys[STORE_MOST_KEYS];
	size_t key_count;
	uint64_t top; /* number of rows; UINT64_MAX: all */
};

/* Reports durations grouped by the keys: for each group the numbers of
 * recordings and durations, the sum, percentiles and the maximum.
 *
 * Returns 0 and @answer, or a negative enum error logged to the target's log.
 * @answer must be zeroed; call answer_free() in all cases.
 */
int store_report_ask(const struct store_report *report,
		     struct store_target *target, struct answer *answer);

struct store_slow {
	struct measure_choice choice;
	uint64_t times; /* minimum, as a multiple of the item's median */
	uint64_t top;	/* number of rows; UINT64_MAX: all */
};

/* Reports outliers, longest first: durations of at least the given multiple of
 * the median of their item, with the thread, the recording, and a command that
 * opens the recording at that time.
 *
 * Returns 0 and @answer, or a negative enum error logged to the target's log.
 * @answer must be zeroed; call answer_free() in all cases.
 */
int store_slow_ask(const struct store_slow *slow, struct store_target *target,
		   struct answer *answer);

/* One side of a request between two machines, from that machine's recording.
 * Texts are borrowed.
 */
struct request_half {
	const char *client_address;
	const char *server_address;
	int64_t client_port;
	int64_t server_port;
	int64_t recording;
	/* CLOCK_REALTIME and its uncertainty; valid if has_clock. */
	bool has_clock;
	int64_t begin_ns;
	int64_t end_ns;
	int64_t error_ns;
	/* Bytes that the client had sent on this connection before the request.
	 */
	bool has_position;
	int64_t position;
	size_t row; /* for the caller's use */
};

enum pair_status {
	PAIR_JOINED,
	PAIR_AMBIGUOUS, /* several sides match */
	PAIR_CLOCKLESS, /* a side's clock is unknown */
	PAIR_ALONE,	/* no recording has the other side */
	PAIR_STATUSES,
};

/* The result for one client side. */
struct request_pair {
	const struct request_half *client;
	const struct request_half *server; /* NULL unless PAIR_JOINED */
	enum pair_status status;
	size_t fits; /* number of server sides that match */
};

/* Finds the server side of each of @clients among @servers (both struct
 * request_half; both are sorted by this call). Two sides match if they are of
 * the same connection in different recordings, the server's time is within the
 * client's given the uncertainty of both clocks, and both have the same stream
 * position if both have one. They are joined if neither matches another side.
 *
 * Returns 0 and adds a struct request_pair for each client to @pairs, which
 * must be empty and borrows from both arrays; or returns -ERROR_MEMORY.
 */
int request_pairs_find(struct array *clients, struct array *servers,
		       struct array *pairs);

struct store_requests {
	/* char *: conditions on the client's recording (measure_query.h) */
	struct array recordings;
	uint64_t top; /* number of rows; UINT64_MAX: all */
};

/* Reports the answered requests between machines, longest first: the client's
 * side from one recording and the server's side from another, with the parts of
 * the time on both sides. Logs the number of joined requests to the target's
 * log.
 *
 * Returns 0 and @answer, or a negative enum error logged to the target's log.
 * @answer must be zeroed; call answer_free() in all cases.
 */
int store_requests_ask(const struct store_requests *requests,
		       struct store_target *target, struct answer *answer);

#endif
