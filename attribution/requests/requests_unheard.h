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

/* Messages that nobody was woken by: which of them somebody found, as what is sent
 * next tells, and which is the answer.
 */

/* A thread of @pid found a message that nobody is known to have sent. */
void requests_note_find(struct requests *requests, int32_t pid,
			uint64_t time_ns);

/* Returns how often that was from @since_ns until before @until_ns, of the last few
 * dozen times that any did.
 */
uint32_t requests_finds_of(const struct requests *requests, int32_t pid,
			   uint64_t since_ns, uint64_t until_ns);

/* Makes a request of what @receiver sent and nobody was woken by, if @message
 * may be the answer to that.  Borrowed, or NULL.
 */
struct request *requests_ask_found(struct requests *requests,
				   const struct message *answer,
				   struct party *receiver);

/* The same, if somebody of the answer's process found it by @medium until
 * @until_ns.
 */
struct request *requests_ask_found_by(struct requests *requests,
				      const struct message *answer,
				      struct party *receiver,
				      enum message_medium medium,
				      uint64_t until_ns);

/* Returns what may answer one that @receiver sent, borrowed, or NULL.  @is_bold: as
 * message_may_be_for() says.
 */
struct message *requests_guess_answer(const struct requests *requests,
				      const struct party *receiver,
				      enum message_medium medium, bool is_bold);

/* Returns what @server sent for @request, borrowed, or NULL. */
struct message *requests_sent_for(const struct party *server,
				  const struct request *request);

/* Returns the oldest that @sender sent by @medium since @since_ns and nobody was
 * woken by, if it may be for @client (NULL: anybody) as message_may_be_for() says,
 * borrowed, or NULL.
 */
struct message *requests_unheard_of(const struct party *sender,
				    enum message_medium medium,
				    uint64_t since_ns,
				    const struct task *client, bool is_bold);

#endif
