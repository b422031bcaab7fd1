/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUESTS_REQUEST_SLEEPS_H
#define KT_TABLES_REQUESTS_REQUEST_SLEEPS_H

#include "common/array.h"
#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct attribution_input;
struct column_row;
struct request;
struct task;
struct wakers;

/* The sleeps of threads while they had a request, and their wakers: the sleeps
 * that request_sums.h counts as PART_ASLEEP, and, for answered requests, also
 * the waits for other messages.
 *
 *	task_tracker: sleeps ────┐
 *	requests: completed ones ┴─► request_sleeps_end() ─► sleeps by request
 *
 * A request is known only after its sleeps, so the sleeps of all threads are
 * stored until the end of the pass. Memory grows with the threads' sleeps and
 * with the requests. Errors: -ERROR_MEMORY.
 */
struct request_sleeps;

/* Borrows @input.  Returns NULL when out of memory. */
struct request_sleeps *
request_sleeps_new(const struct attribution_input *input);
void request_sleeps_free(struct request_sleeps *sleeps);

/* Adds @request, as a callback received it. Returns 0 or -ERROR_MEMORY. */
int request_sleeps_add(struct request_sleeps *sleeps,
		       const struct request *request);

/* Sorts the sleeps. Must be called after the last call event, and before any
 * query.
 */
void request_sleeps_end(struct request_sleeps *sleeps);

/* One sleep of a thread. */
struct request_sleep {
	const struct task *task;
	uint32_t label; /* the function that decided to wait */
	uint32_t waker; /* number in request_sleeps_wakers(), or WAKER_NONE */
	/* If an interrupt or a kworker woke the thread with a message: the
	 * sender, and its function that sent it. NULL: unknown, or the sender
	 * is the waker.
	 */
	const struct task *sender;
	uint32_t sender_function;
	int32_t fd;   /* descriptor that it waited for; -1: unknown */
	bool is_idle; /* waited for a message */
	uint64_t begin_ns;
	uint64_t off_ns; /* when it left the CPU */
	/* Time asleep while the thread had the request. */
	uint64_t asleep_ns;
};

/* Called with each sleep. Returns 0, or a negative enum error that ends the
 * visit.
 */
struct request_sleep_callback {
	int (*consume)(struct request_sleep_callback *callback,
		       const struct request_sleep *sleep);
};

/* Calls @callback with the sleeps of request @number, thread by thread. Must be
 * called after request_sleeps_end(). Returns 0 or the callback's error.
 */
int request_sleeps_visit(const struct request_sleeps *sleeps, uint64_t number,
			 struct request_sleep_callback *callback);

const struct wakers *request_sleeps_wakers(const struct request_sleeps *sleeps);

/* Adds @put (struct request_sleep), the sleeps of request @number from another
 * pass, instead of finding them in this one. Their waker numbers are of
 * @wakers, which is borrowed. Must be called before request_sleeps_end(), once
 * for each request.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int request_sleeps_put(struct request_sleeps *sleeps, uint64_t number,
		       const struct array *put, const struct wakers *wakers);

/* Writes the wakers of @sleep, like wakers_write_any(), and the sender after an
 * interrupt or kworker: "interrupt net_rx_action sock_def_readable < srv-12
 * tcp_sendmsg".
 */
void request_sleep_write_wakers(const struct request_sleeps *sleeps,
				const struct request_sleep *sleep,
				const struct attribution_input *input,
				FILE *out);

/* Writes the field "sleeps" of request @number, the longest first:
 * "20.1 ms hrtimer_nanosleep: interrupt ... hrtimer_wakeup; 1.2 us pipe_read:
 * [unseen]", in CSV and JSON in ns. Returns false when out of memory.
 */
bool request_sleeps_write(const struct request_sleeps *sleeps, uint64_t number,
			  const struct column_row *row, FILE *out);

#endif
