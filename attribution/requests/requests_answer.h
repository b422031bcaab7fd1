/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_ANSWER_H
#define KT_ATTRIBUTION_REQUESTS_ANSWER_H

#include "attribution/requests/message_kinds.h"

#include <stdbool.h>

struct message;
struct party;
struct request;
struct requests;
struct task;

/* Returns the request that @message to @receiver answers, or NULL. */
struct request *requests_find_answered(struct requests *requests,
				       struct message *message,
				       struct party *receiver);

/* @message is the answer to @request. */
void requests_answer(struct requests *requests, struct request *request,
		     struct message *message);

/* Returns whether @client asks @server, by @medium: roles_is_server(). */
bool requests_is_server(const struct requests *requests,
			const struct task *server, const struct task *client,
			enum message_medium medium);

#endif
