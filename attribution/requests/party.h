/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PARTY_H
#define KT_ATTRIBUTION_PARTY_H

#include "attribution/requests/hold.h"
#include "attribution/requests/message.h"
#include "attribution/requests/request.h"
#include "attribution/requests/thread_clock.h"

#include <stdbool.h>
#include <stdint.h>

/* A function that sends or waits and that a thread is in. */
struct message_call {
	bool is_open;
	struct message_function function;
	uint32_t number; /* the function's */
	uint32_t depth;	 /* DEPTH_LOST: the trace had a gap inside the call */
};

#define DEPTH_LOST UINT32_MAX

/* Number of senders remembered that a thread read from since it last checked
 * which of several objects are ready.
 */
enum { ROUND = 16 };

/* An endpoint: a thread that sends or reads messages. */
struct party {
	const struct task *task;
	bool is_recorder;
	struct thread_clock clock;
	struct hold *hold;   /* its open segment */
	struct hold *before; /* the segment up to its newest wait; or NULL */
	struct message_call wait;
	/* its wait for several objects has returned; the message is still to be
	 * read
	 */
	bool has_polled;
	bool polls; /* it has ever waited for several objects */
	/* Number of times it was woken. A thread woken between two sends did
	 * not send both before their answers, so the first may have needed no
	 * answer.
	 */
	uint32_t wakes;
	struct message_call send;
	struct clock_mark *send_begin;
	/* For its newest send: when the first packet left; NULL: none did. */
	struct clock_mark *transmitted;
	struct message *message; /* of the newest send; or NULL */
	bool is_heard;		 /* message woke a thread */
	bool is_listed;		 /* message is in unheard */
	struct message *carries; /* message of its newest work item; or NULL */
	bool is_carrying;	 /* it is executing that item */
	struct clock_mark *item; /* start of its newest item; or NULL */
	/* its newest segment of deferred work; or NULL */
	struct hold *deferred;
	/* it is in that segment, or in a wait for such work */
	bool is_deferred;
	uint64_t off_ns; /* off its CPU since then; 0: it is on a CPU */
	/* It slept between these times for work that it deferred. */
	uint64_t awaited_since_ns;
	uint64_t awaited_ns;
	struct array arrived; /* struct message *: woke it, unread */
	/* During its wait data was copied to it, last from @packet (0: not from
	 * the network); these are the messages.
	 */
	bool has_copied;
	uint64_t packet;
	struct array copied; /* struct message * */
	const struct task *round[ROUND];
	uint32_t round_count;
	/* Room became free for this task's data when @party read from it. */
	const struct task *freed;
	struct array unheard; /* struct message *: sent by it, woke nobody */
	struct array asked;   /* struct request *: sent by it, unanswered */
	/* struct request *: taken by it, to be answered */
	struct array taken;
	/* Since when it works for a message whose sender is unknown; 0: it does
	 * not.
	 */
	uint64_t found_ns;
	enum message_medium found_by; /* the medium of that message */
	uint32_t found_asks;	      /* number of requests it sent meanwhile */
};

/* Creates the endpoint of @task, without a segment. Returns NULL when out of
 * memory.
 */
struct party *party_new(const struct task *task, bool is_recorder);
void party_free(struct party *party); /* NULL is allowed. */

/* Returns whether the open segment of @party has no request yet. */
bool party_is_free(const struct party *party);

/* Returns the oldest message from index *@index on that @sender sent by @medium
 * and whose reader can only be inferred, borrowed. Sets *@index to its index.
 * NULL: none.
 */
struct message *party_next_unheard(const struct party *sender, size_t *index,
				   enum message_medium medium);

#endif
