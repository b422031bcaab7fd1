/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_ANSWER_H
#define KT_ATTRIBUTION_REQUESTS_ANSWER_H

struct message;
struct party;
struct request;
struct requests;

/* Returns the request that @message to @receiver answers, or NULL. */
struct request *requests_find_answered(struct requests *requests,
				       struct message *message,
				       struct party *receiver);

/* Records that @message is the answer to @request. */
void requests_answer(struct requests *requests, struct request *request,
		     struct message *message);

#endif
