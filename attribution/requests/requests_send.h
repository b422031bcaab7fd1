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

/* Returns whether there are socket events for the send of @party. */
bool requests_has_events(const struct requests *requests,
			 const struct party *party);

/* A function that sends starts or ends. */
void requests_send_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step);
void requests_send_end(struct requests *requests, struct party *party,
		       uint64_t time_ns);

/* The end of the send was not seen: it may continue after a gap. */
void requests_send_lost(struct requests *requests, struct party *party,
			uint64_t time_ns);

/* Returns whether @step continues a send that contains a gap; any other step
 * ends the send.
 */
bool requests_send_resumes(struct requests *requests, struct party *party,
			   const struct call_step *step);

/* Creates the message of the send of @party, delivered at @time_ns: the
 * thread's work until then may be what its receiver waited for. Borrowed; NULL
 * when out of memory.
 */
struct message *requests_hand_over(struct requests *requests,
				   struct party *party, uint64_t time_ns);

/* Like requests_hand_over(), but at @mark, whose reference it consumes; NULL
 * when out of memory.
 */
struct message *requests_hand_over_at(struct requests *requests,
				      struct party *party,
				      struct clock_mark *mark);

/* Lists the message of the send of @party as one whose reader must be inferred,
 * unless it wakes a thread.
 */
void requests_list_unheard(struct requests *requests, struct party *party);

/* Returns the next endpoint except @reader that is in a send by @medium whose
 * delivery no event shows, and advances *@index, initially 0; NULL after the
 * last.
 */
struct party *requests_next_sender(const struct requests *requests,
				   const struct party *reader,
				   enum message_medium medium, size_t *index);

/* Delivers the messages that endpoints except @reader are sending by @medium,
 * which may already have arrived. Returns whether there was one.
 */
bool requests_hand_over_open(struct requests *requests,
			     const struct party *reader,
			     enum message_medium medium, uint64_t time_ns);

#endif
