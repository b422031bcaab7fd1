/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CHANNELS_H
#define KT_ATTRIBUTION_CHANNELS_H

#include <stdint.h>

struct message;
struct request;
struct task;

/* The sockets that messages go through, by the address of their struct sock:
 * what waits to be read there, which requests were sent from there, and which
 * socket is at the other end.
 */
struct channels;

/* Returns NULL when out of memory. */
struct channels *channels_new(void);
void channels_free(struct channels *channels);

/* Queues @message for the readers of @socket, referring to it.  Returns 0 or
 * -ERROR_MEMORY.
 */
int channels_queue(struct channels *channels, uint64_t socket,
		   struct message *message);

/* Somebody reads @bytes of @socket: finds the oldest message that some of them
 * are of, and counts them off: *@bytes are left afterwards.
 *
 * Returns it, with a reference that is the caller's; NULL: nothing that is
 * known was there.
 */
struct message *channels_read(struct channels *channels, uint64_t socket,
			      uint64_t *bytes);

/* Takes out a message that went elsewhere. */
void channels_forget(struct channels *channels, uint64_t socket,
		     const struct message *message);

/* @request was sent from @socket.  Returns 0 or -ERROR_MEMORY. */
int channels_ask(struct channels *channels, uint64_t socket,
		 struct request *request);

/* Returns the oldest request that was sent from @socket and not answered yet,
 * borrowed, or NULL.
 */
struct request *channels_asked(struct channels *channels, uint64_t socket);

/* @task has sent from @socket, or read there before anybody sent.  Returns 0 or
 * -ERROR_MEMORY.
 */
int channels_use(struct channels *channels, uint64_t socket,
		 const struct task *task);

/* Returns who that was last, or NULL. */
const struct task *channels_user(const struct channels *channels,
				 uint64_t socket);

/* Remembers that @first and @second are the ends of one connection.  Returns 0
 * or -ERROR_MEMORY.
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

/* Forgets all that is known of @socket and that it is the other end of another:
 * a new connection has begun at the address of one that is closed.
 */
void channels_renew(struct channels *channels, uint64_t socket);

/* Returns the other end, 0 if it is not known. */
uint64_t channels_peer(const struct channels *channels, uint64_t socket);

#endif
