/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CHANNELS_H
#define KT_ATTRIBUTION_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

struct message;
struct request;
struct task;

/* The sockets that carry messages, by the address of their struct sock: the
 * messages queued for reading, the requests sent from the socket, and the
 * socket at the other end.
 */
struct channels;

/* Returns NULL when out of memory. */
struct channels *channels_new(void);
void channels_free(struct channels *channels);

/* Queues @message for the readers of @socket, adding a reference. Returns 0 or
 * -ERROR_MEMORY.
 */
int channels_queue(struct channels *channels, uint64_t socket,
		   struct message *message);

/* A thread reads @bytes from @socket. Finds the oldest message with some of
 * these bytes and subtracts them; *@bytes is set to the rest.
 *
 * Returns the message with a reference, which the caller owns; NULL if no known
 * message was queued.
 */
struct message *channels_read(struct channels *channels, uint64_t socket,
			      uint64_t *bytes);

/* Removes a message that turned out to have gone elsewhere. */
void channels_forget(struct channels *channels, uint64_t socket,
		     const struct message *message);

/* Records that @request was sent from @socket. Returns 0 or -ERROR_MEMORY. */
int channels_ask(struct channels *channels, uint64_t socket,
		 struct request *request);

/* Returns the oldest unanswered request sent from @socket, borrowed, or NULL.
 */
struct request *channels_asked(struct channels *channels, uint64_t socket);

/* Marks the open requests of @socket as inferred that its server had read before
 * it sent the answer to @answered at @sent_ns, except @answered: the server may
 * answer them in any order. Returns whether there are any, and so @answered is
 * inferred, too.
 */
bool channels_infer_order(const struct channels *channels, uint64_t socket,
			  const struct request *answered, uint64_t sent_ns);

/* Records that @task sent from @socket, or read from it before any task sent.
 * Returns 0 or -ERROR_MEMORY.
 */
int channels_use(struct channels *channels, uint64_t socket,
		 const struct task *task);

/* Returns the last task recorded by channels_use(), or NULL. */
const struct task *channels_user(const struct channels *channels,
				 uint64_t socket);

/* Records that @first and @second are the ends of one connection. Returns 0 or
 * -ERROR_MEMORY.
 */
int channels_pair(struct channels *channels, uint64_t first, uint64_t second);

/* Records that a thread connects @socket for @request (or NULL), which is then the
 * parent of the first request by @socket.  Returns 0 or -ERROR_MEMORY.
 */
int channels_open_for(struct channels *channels, uint64_t socket,
		      struct request *request);

/* Removes and returns the request of channels_open_for(); the caller owns the
 * reference.  NULL: none.
 */
struct request *channels_take_opener(struct channels *channels,
				     uint64_t socket);

/* Removes all state of @socket, also as the peer of another socket: a new
 * connection has started at the address of a closed one.
 */
void channels_renew(struct channels *channels, uint64_t socket);

/* Returns the socket at the other end, 0 if unknown. */
uint64_t channels_peer(const struct channels *channels, uint64_t socket);

#endif
