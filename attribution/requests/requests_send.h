/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_SEND_H
#define KT_ATTRIBUTION_REQUESTS_SEND_H

#include "attribution/requests/message_kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_step;
struct clock_mark;
struct party;
struct requests;

/* Returns whether sockets' events tell of what @party sends. */
bool requests_has_events(const struct requests *requests,
			 const struct party *party);

/* A function that sends begins or ends. */
void requests_send_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step);
void requests_send_end(struct requests *requests, struct party *party,
		       uint64_t time_ns);

/* Its end was not seen: it may go on behind a gap. */
void requests_send_lost(struct requests *requests, struct party *party,
			uint64_t time_ns);

/* Returns whether @step goes on with a send that a gap is in; any other ends that.
 */
bool requests_send_resumes(struct requests *requests, struct party *party,
			   const struct call_step *step);

/* Makes the message of @party's send, which is handed over at @time_ns: what the
 * thread did until then may be what its receiver waited for.  Borrowed; NULL when
 * out of memory.
 */
struct message *requests_hand_over(struct requests *requests,
				   struct party *party, uint64_t time_ns);

/* The same at @mark, a reference that it takes; NULL when out of memory. */
struct message *requests_hand_over_at(struct requests *requests,
				      struct party *party,
				      struct clock_mark *mark);

/* Who takes the message of @party's send will have to be guessed, unless it
 * wakes somebody.
 */
void requests_list_unheard(struct requests *requests, struct party *party);

/* Returns a party but @reader that is in a send by @medium, and nothing tells that
 * its message is there, and moves *@index, 0 at first, behind it; NULL after the
 * last.
 */
struct party *requests_next_sender(const struct requests *requests,
				   const struct party *reader,
				   enum message_medium medium, size_t *index);

/* Hands over what others than @reader are about to send by @medium, which may be
 * there already.  Returns whether there was such a message.
 */
bool requests_hand_over_open(struct requests *requests,
			     const struct party *reader,
			     enum message_medium medium, uint64_t time_ns);

#endif
