/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_REQUESTS_ANSWER_INTERNAL_H
#define KT_ATTRIBUTION_REQUESTS_REQUESTS_ANSWER_INTERNAL_H

#include "attribution/requests/request.h"

#include <stdbool.h>
#include <stdint.h>

struct requests;
struct thread_endpoint;

/* Creates the request that @message is, lists it with its client, and returns
 * it, borrowed; NULL when out of memory.
 */
struct request *requests_ask(struct requests *requests,
			     struct message *message);

/* Adds @request, which must be new, to the open requests, which then own one of
 * its references. Returns false when out of memory.
 */
bool requests_open(struct requests *requests, struct request *request);

/* Sets the addresses of @request from the connection of the socket that it was
 * sent from.
 */
void requests_name(const struct requests *requests, struct request *request);

/* Emits the requests that are ended and settled. */
void requests_emit(struct requests *requests);

/* Messages that woke no thread: infers from later messages which of them a
 * thread found, and which message is the answer.
 */

/* Records that a thread of @pid found a message whose sender is unknown. */
void requests_note_find(struct requests *requests, int32_t pid,
			uint64_t time_ns);

/* Returns the number of such finds of @pid in [@since_ns, @until_ns), among the
 * last few dozen of all processes.
 */
uint32_t requests_finds_of(const struct requests *requests, int32_t pid,
			   uint64_t since_ns, uint64_t until_ns);

/* Creates a request from an unheard message of @receiver, if a thread of the
 * process that sent @answer found that message by @medium up to @until_ns.
 * Borrowed, or NULL.
 */
struct request *requests_ask_found_by(struct requests *requests,
				      const struct message *answer,
				      struct thread_endpoint *receiver,
				      enum message_medium medium,
				      uint64_t until_ns);

/* Returns a message that may answer one that @receiver sent, borrowed, or NULL.
 * @is_bold: see message_may_be_for().
 */
struct message *requests_guess_answer(const struct requests *requests,
				      const struct thread_endpoint *receiver,
				      enum message_medium medium, bool is_bold);

/* Returns the unheard message that @server sent while it worked for @request,
 * borrowed, or NULL.
 */
struct message *requests_sent_for(const struct thread_endpoint *server,
				  const struct request *request);

/* Returns the request that @message to @receiver answers, or NULL. */
struct request *requests_find_answered(struct requests *requests,
				       struct message *message,
				       struct thread_endpoint *receiver);

/* Records that @message is the answer to @request. */
void requests_answer(struct requests *requests, struct request *request,
		     struct message *message);

#endif
