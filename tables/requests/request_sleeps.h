/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUEST_SLEEPS_H
#define KT_TABLES_REQUEST_SLEEPS_H

#include "common/array.h"
#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct attribution_input;
struct request;
struct task;
struct wakers;

/* Where the threads that had a request slept meanwhile, and who woke them: the
 * sleeps that request_sums.h has as PART_ASLEEP, and of one that was answered the
 * waits for other messages, too.
 * Memory grows with the threads' sleeps and with the requests.
 */
struct request_sleeps;

/* Borrows @input.  Returns NULL when out of memory. */
struct request_sleeps *
request_sleeps_new(const struct attribution_input *input);
void request_sleeps_free(struct request_sleeps *sleeps);

/* Takes @request as it is handed out.  Returns 0 or -ERROR_MEMORY. */
int request_sleeps_add(struct request_sleeps *sleeps,
		       const struct request *request);

/* No more steps come. */
void request_sleeps_end(struct request_sleeps *sleeps);

/* One sleep of a thread. */
struct request_sleep {
	const struct task *task;
	uint32_t label; /* the function that decided to wait */
	uint32_t waker; /* a number of request_sleeps_wakers(), WAKER_NONE */
	/* Whose message it was that an interrupt or a kworker woke it with, and
	 * which function sent that; NULL: unknown, or its waker says that.
	 */
	const struct task *sender;
	uint32_t sender_function;
	int32_t fd;   /* or -1 */
	bool is_idle; /* it waited for a message */
	uint64_t begin_ns;
	uint64_t off_ns; /* from when asleep_ns counts */
	/* So much of the sleep as is on the request's way. */
	uint64_t asleep_ns;
};

/* Takes each.  Returns 0, or a negative enum error that ends the visit. */
struct request_sleep_callback {
	int (*take)(struct request_sleep_callback *callback,
		    const struct request_sleep *sleep);
};

/* Hands out the sleeps of request @number, thread by thread, after
 * request_sleeps_end().  Returns 0 or what the callback did.
 */
int request_sleeps_visit(const struct request_sleeps *sleeps, uint64_t number,
			 struct request_sleep_callback *callback);

const struct wakers *request_sleeps_wakers(const struct request_sleeps *sleeps);

/* Adds @put (struct request_sleep), the sleeps of request @number that were handed out
 * in another pass, where none are taken in this one.  Their wakers are @wakers, which
 * is borrowed.  Requests come by their numbers.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int request_sleeps_put(struct request_sleeps *sleeps, uint64_t number,
		       const struct array *put, const struct wakers *wakers);

/* Writes who ended @sleep, as wakers_write_any(), and behind an interrupt or
 * kworker the sender: "interrupt net_rx_action sock_def_readable < srv-12 tcp_sendmsg".
 */
void request_sleep_write_wakers(const struct request_sleeps *sleeps,
				const struct request_sleep *sleep,
				const struct attribution_input *input,
				FILE *out);

/* Writes the field "sleeps" of request @number, the longest first:
 * "20.1 ms hrtimer_nanosleep: interrupt ... hrtimer_wakeup; 1.2 us pipe_read:
 * [unseen]", in CSV and JSON in ns.
 */
void request_sleeps_write(const struct request_sleeps *sleeps,
			  const struct attribution_input *input,
			  struct record_writer *writer, uint64_t number);

#endif
