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

/* Returns the endpoint of @task, creating it at @time_ns if it is new; NULL
 * when out of memory.
 */
struct party *requests_party(struct requests *requests, const struct task *task,
			     uint64_t time_ns);

/* Returns the endpoint of @task, or NULL if @task is NULL or has none. */
struct party *requests_known_party(const struct requests *requests,
				   const struct task *task);

/* Returns the endpoint at *@index, initially 0, and advances *@index; NULL
 * after the last.
 */
struct party *requests_next_party(const struct requests *requests,
				  size_t *index);

/* Ends the open segment of @party at @time_ns; the next one has no request.
 *
 * Returns the ended segment with a reference, which the caller owns; NULL when
 * out of memory.
 */
struct hold *requests_cut(struct requests *requests, struct party *party,
			  uint64_t time_ns);

/* Like requests_cut(), but at @mark, whose reference it consumes; NULL when out
 * of memory.
 */
struct hold *requests_cut_at(struct requests *requests, struct party *party,
			     struct clock_mark *mark);

/* Calls hold_give(), and makes @hold the newest segment on the path of
 * @request.
 */
void requests_give(struct requests *requests, struct hold *hold,
		   struct request *request, struct hold *parent);

/* Like requests_give(), but does not move the path of @request, which may still
 * lead through @hold later.
 */
void requests_give_beside(struct requests *requests, struct hold *hold,
			  struct request *request, struct hold *parent);

/* Assigns the segment of the kworker that carried @message to @request, after
 * @before (or NULL). Returns the parent for the receiver's segment: the
 * carrier's segment, or @before.
 */
struct hold *requests_give_carrier(struct requests *requests,
				   const struct message *message,
				   struct request *request,
				   struct hold *before);

/* Continues in the open segment of @party with the request from before its
 * newest wait.
 */
void requests_resume(struct requests *requests, struct party *party);

/* Like requests_resume(), until a message that @party waits for now shows
 * otherwise.
 */
void requests_wait(struct requests *requests, struct party *party);

/* A thread ends or executes another program: the rest is not for its requests.
 * A request whose answer may have been sent stays open for its client.
 * A new thread works for the same request as its parent.
 */
void requests_leave(struct requests *requests, struct party *party,
		    uint64_t time_ns);
void requests_fork(struct requests *requests, struct party *parent,
		   const struct sideband_record *record);

/* Returns whether @client is a client of @server, by @medium:
 * roles_is_server().
 */
bool requests_is_server(const struct requests *requests,
			const struct task *server, const struct task *client,
			enum message_medium medium);

#endif
