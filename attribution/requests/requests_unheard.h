/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_UNHEARD_H
#define KT_ATTRIBUTION_REQUESTS_UNHEARD_H

#include "attribution/requests/message_kinds.h"

#include <stdbool.h>
#include <stdint.h>

struct message;
struct party;
struct request;
struct requests;
struct task;

/* Messages that woke nobody: infers from later messages which of them a thread
 * found, and which message is the answer.
 */

/* Records that a thread of @pid found a message whose sender is unknown. */
void requests_note_find(struct requests *requests, int32_t pid,
			uint64_t time_ns);

/* Returns the number of such finds of @pid in [@since_ns, @until_ns), among the
 * last few dozen of all processes.
 */
uint32_t requests_finds_of(const struct requests *requests, int32_t pid,
			   uint64_t since_ns, uint64_t until_ns);

/* Creates a request from a message that @receiver sent and that woke nobody, if
 * @answer may be the answer to it. Borrowed, or NULL.
 */
struct request *requests_ask_found(struct requests *requests,
				   const struct message *answer,
				   struct party *receiver);

/* Like requests_ask_found(), but requires that a thread of the answer's process
 * found the message by @medium until @until_ns.
 */
struct request *requests_ask_found_by(struct requests *requests,
				      const struct message *answer,
				      struct party *receiver,
				      enum message_medium medium,
				      uint64_t until_ns);

/* Returns a message that may answer one that @receiver sent, borrowed, or NULL.
 * @is_bold: see message_may_be_for().
 */
struct message *requests_guess_answer(const struct requests *requests,
				      const struct party *receiver,
				      enum message_medium medium, bool is_bold);

/* Returns the message that @server sent for @request, borrowed, or NULL. */
struct message *requests_sent_for(const struct party *server,
				  const struct request *request);

/* Returns the oldest message that @sender sent by @medium since @since_ns, that
 * woke nobody and may be for @client (NULL: anybody) by message_may_be_for().
 * Borrowed, or NULL.
 */
struct message *requests_unheard_of(const struct party *sender,
				    enum message_medium medium,
				    uint64_t since_ns,
				    const struct task *client, bool is_bold);

#endif
