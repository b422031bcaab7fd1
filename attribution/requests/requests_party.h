/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_PARTY_H
#define KT_ATTRIBUTION_REQUESTS_PARTY_H

#include "attribution/requests/party.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct requests;
struct sideband_record;
struct task;

/* Returns what is known of @task, from @time_ns on if it is new; NULL when out
 * of memory.
 */
struct party *requests_party(struct requests *requests, const struct task *task,
			     uint64_t time_ns);

/* Returns what is known of @task, or NULL: that is NULL, or nothing is. */
struct party *requests_known_party(const struct requests *requests,
				   const struct task *task);

/* Returns a party and moves *@index, 0 at first, behind it; NULL after the last. */
struct party *requests_next_party(const struct requests *requests,
				  size_t *index);

/* Ends what @party holds at @time_ns; what it holds next is nobody's.
 *
 * Returns what ended, with a reference that is the caller's; NULL when out of
 * memory.
 */
struct hold *requests_cut(struct requests *requests, struct party *party,
			  uint64_t time_ns);

/* The same at @mark, a reference that it takes; NULL when out of memory. */
struct hold *requests_cut_at(struct requests *requests, struct party *party,
			     struct clock_mark *mark);

/* hold_give(), and @request's way goes on there. */
void requests_give(struct requests *requests, struct hold *hold,
		   struct request *request, struct hold *parent);

/* The same, but its way does not: it may lead through there. */
void requests_give_beside(struct requests *requests, struct hold *hold,
			  struct request *request, struct hold *parent);

/* What carried @message was for @request, behind @before (or NULL).  Returns what
 * is before its receiver then: that, or @before.
 */
struct hold *requests_give_carrier(struct requests *requests,
				   const struct message *message,
				   struct request *request,
				   struct hold *before);

/* What @party holds is what it held before its newest wait. */
void requests_resume(struct requests *requests, struct party *party);

/* The same, until a message that it waits for now tells better. */
void requests_wait(struct requests *requests, struct party *party);

/* A thread ends, or executes another program: that is not what its requests
 * were for.  A new one goes on for whom its parent works.
 */
void requests_leave(struct requests *requests, struct party *party,
		    uint64_t time_ns);
void requests_fork(struct requests *requests, struct party *parent,
		   const struct sideband_record *record);

/* Returns whether @client asks @server, by @medium: roles_is_server(). */
bool requests_is_server(const struct requests *requests,
			const struct task *server, const struct task *client,
			enum message_medium medium);

#endif
