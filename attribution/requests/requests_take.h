/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_TAKE_H
#define KT_ATTRIBUTION_REQUESTS_TAKE_H

#include <stdint.h>

struct message;
struct party;
struct request;
struct requests;

/* @party reads @message: it is the answer that @party waits for, or what it
 * works for from now on. All kinds of evidence end here.
 */
void requests_take(struct requests *requests, struct party *party,
		   struct message *message, uint64_t time_ns);

/* @party has taken @request and works for it from now on. */
void requests_serve(struct requests *requests, struct party *party,
		    struct request *request, uint64_t time_ns);

/* @party has the answer to @request, and continues with the work that it sent
 * @request for.
 */
void requests_take_answer(struct requests *requests, struct party *party,
			  struct request *request, uint64_t time_ns);

#endif
