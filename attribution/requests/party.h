/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PARTY_H
#define KT_ATTRIBUTION_PARTY_H

#include "attribution/requests/hold.h"
#include "attribution/requests/message.h"
#include "attribution/requests/request.h"
#include "attribution/requests/thread_clock.h"

#include <stdbool.h>
#include <stdint.h>

/* A function that sends or waits, which a thread is in. */
struct message_call {
	bool is_open;
	struct message_function function;
	uint32_t number; /* the function's */
	uint32_t depth;	 /* DEPTH_LOST: there was a gap in it */
};

#define DEPTH_LOST UINT32_MAX

/* So many senders are kept that a thread read from since it last looked which of
 * several have sent something.
 */
enum { ROUND = 16 };

/* A thread that sends or takes messages. */
struct party {
	const struct task *task;
	bool is_recorder;
	struct thread_clock clock;
	struct hold *hold;   /* that goes on */
	struct hold *before; /* up to its newest wait; or NULL */
	struct message_call wait;
	bool has_polled; /* what it waited for is still to be read */
	bool polls;	 /* it has ever waited for one of several */
	/* So often it was woken: who was so between two messages did not send
	 * both ahead of their answers, so that the first may have wanted none.
	 */
	uint32_t wakes;
	struct message_call send;
	struct clock_mark *send_begin;
	/* Of its newest send: when the first packet went out; NULL: none did.
	 */
	struct clock_mark *transmitted;
	struct message *message; /* of the newest send; or NULL */
	bool is_heard;		 /* that woke somebody */
	bool is_listed;		 /* that is among unheard */
	struct message *carries; /* of its newest work item with one; or NULL */
	bool is_carrying;	 /* it is in that item */
	struct clock_mark *item; /* its newest item begins; or NULL */
	struct hold *deferred;	 /* its newest part of deferred work; or NULL */
	bool is_deferred;	 /* it is in that, or what waits for it */
	uint64_t off_ns;	 /* it has no CPU since then; 0: it has */
	/* It slept from then until then for what it deferred. */
	uint64_t awaited_since_ns;
	uint64_t awaited_ns;
	struct array arrived; /* struct message *: woke it, not read yet */
	/* In its wait: something was copied to it, this packet last (0: none
	 * of the network), which are those messages.
	 */
	bool has_copied;
	uint64_t packet;
	struct array copied; /* struct message * */
	const struct task *round[ROUND];
	uint32_t round_count;
	/* Room became free for it, as @party read what it had sent. */
	const struct task *freed;
	struct array unheard; /* struct message *: it sent, woke nobody */
	struct array asked;   /* struct request *: it waits for answers */
	struct array taken;   /* struct request *: it is to answer */
	/* It works for a message that it found and nobody is known to have
	 * sent; 0: it does not.
	 */
	uint64_t found_ns;
	enum message_medium found_by; /* the way that came */
	uint32_t found_asks;	      /* requests that it sent meanwhile */
};

/* Makes that of @task, which has no hold yet.  Returns NULL when out of memory. */
struct party *party_new(const struct task *task, bool is_recorder);
void party_free(struct party *party); /* NULL is allowed */

/* Returns whether what @party holds is still to be given to a request. */
bool party_is_free(const struct party *party);

/* Returns the oldest from @index on that @sender sent by @medium, which can
 * only be guessed, borrowed, and where in *@index; NULL: none.
 */
struct message *party_next_unheard(const struct party *sender, size_t *index,
				   enum message_medium medium);

#endif
