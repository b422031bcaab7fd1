/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_CONNECTIONS_INTERNAL_H
#define KT_ATTRIBUTION_REQUESTS_CONNECTIONS_INTERNAL_H

#include "common/files/connection.h"
#include "common/maps.h"

#include <stdbool.h>
#include <stdint.h>

struct event_record;
struct message;
struct request;
struct task;

/* State of the TCP connection of a socket. */
struct connection_state {
	uint64_t socket; /* address of the socket */
	struct connection connection;
	bool is_whole; /* the connection was established during the recording */
	/* bytes sent since the start of the connection or of the recording */
	uint64_t sent_bytes;
	uint64_t taken_bytes; /* bytes read since then */
	/* Arrival of the first bytes since the last read; 0: none. */
	uint64_t ready_ns;
	/* If its other end is not in the recording: the unanswered request that
	 * was sent to that end or arrived from it; or NULL.
	 */
	struct request *request;
};

/* The TCP connections of a recording, by the address of their struct sock.
 * Memory grows with the number of different addresses, which the kernel reuses.
 */
struct connections;

/* Returns a table without connections; NULL when out of memory. */
struct connections *connections_new(void);
void connections_free(struct connections *connections);

/* Adds the connections listed in file @path (connection_write()), which existed
 * before the recording. Ignores invalid lines.
 *
 * Returns 0 or -ERROR_MEMORY; a file that cannot be read counts as empty.
 */
int connections_add_file(struct connections *connections, const char *path);

/* Returns whether @event, an EVENT_SOCKET_STATE, is the start of a TCP connect.
 */
bool connections_asks(const struct event_record *event);

/* Returns whether @event, an EVENT_SOCKET_STATE, establishes a TCP connection.
 * Older state of the same socket address belongs to another connection.
 */
bool connections_begins(const struct event_record *event);

/* Applies an EVENT_SOCKET_STATE that establishes or closes a TCP connection. A
 * request that was open on the address's previous or closed connection ends: it
 * can no longer be answered. Returns 0 or -ERROR_MEMORY.
 */
int connections_consume(struct connections *connections,
			const struct event_record *event);

/* Ends the connection's open request, if any: it will not be answered. */
void connection_forget_request(struct connection_state *state);

/* Returns the state of @socket, or NULL; valid until another one is added. */
struct connection_state *connections_find(const struct connections *connections,
					  uint64_t socket);

/* Like connections_find(), but returns NULL if the other end is a socket of
 * this recording.
 */
struct connection_state *connections_far(const struct connections *connections,
					 uint64_t socket);

/* Returns the socket at the other end of @socket, 0 if unknown. */
uint64_t connections_peer(const struct connections *connections,
			  uint64_t socket);

/* The sockets that carry messages, by the address of their struct sock: the
 * messages queued for reading, the requests sent from the socket, and the
 * socket at the other end. The kernel reuses the address of a closed socket, so
 * channels_reset() must be called when a connection starts.
 */
struct channels;

/* Returns a table without sockets; NULL when out of memory. */
struct channels *channels_new(void);
void channels_free(struct channels *channels);

/* Queues @message for the readers of @socket, adding a reference. Returns 0 or
 * -ERROR_MEMORY.
 */
int channels_queue(struct channels *channels, uint64_t socket,
		   struct message *message);

/* Consumes a read of *@bytes from @socket: finds the oldest message with some
 * of these bytes and subtracts its bytes from *@bytes.
 *
 * Returns the message with a reference, which the caller owns; NULL if no known
 * message was queued.
 */
struct message *channels_read(struct channels *channels, uint64_t socket,
			      uint64_t *bytes);

/* Removes @message from the queue of @socket, where it was queued by mistake.
 */
void channels_forget(struct channels *channels, uint64_t socket,
		     const struct message *message);

/* Records that @request was sent from @socket. Returns 0 or -ERROR_MEMORY. */
int channels_ask(struct channels *channels, uint64_t socket,
		 struct request *request);

/* Returns whether a request was ever sent from @socket, so that a message which
 * arrives there answers one of these.
 */
bool channels_has_asked(const struct channels *channels, uint64_t socket);

/* Returns the oldest unanswered request sent from @socket, borrowed, or NULL.
 */
struct request *channels_asked(struct channels *channels, uint64_t socket);

/* Marks open requests of @socket as inferred, except @answered, if the server
 * had read them before it sent the answer to @answered at @sent_ns: it may
 * answer them in any order. Returns whether there are any; @answered is then
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

/* Records that a thread connects @socket for @request (or NULL), which becomes
 * the parent of the first request sent from @socket. Returns 0 or
 * -ERROR_MEMORY.
 */
int channels_open_for(struct channels *channels, uint64_t socket,
		      struct request *request);

/* Removes the request of @socket (channels_open_for()) and returns it; the
 * caller owns the reference. NULL: none.
 */
struct request *channels_take_opener(struct channels *channels,
				     uint64_t socket);

/* Removes all state of @socket, also as the peer of another socket: a new
 * connection has started at the address of a closed one.
 */
void channels_reset(struct channels *channels, uint64_t socket);

/* Returns the socket at the other end, 0 if unknown. */
uint64_t channels_peer(const struct channels *channels, uint64_t socket);

/* Pairs of client and server processes, known from the answers between them,
 * and the roles of processes, known from the connections that they make and
 * accept. A zeroed struct is empty.
 */
struct roles {
	/* enum role bits of each process, with those of its parents */
	struct number_map by_pid;
	/* pairs of a client and a server that has answered it; value 1: it has
	 * also answered a request by other than a socket
	 */
	struct number_map pairs;
};

void roles_free(struct roles *roles);

/* Record that process @pid makes a connection, or accepts one. Return 0 or
 * -ERROR_MEMORY, as do the next two functions.
 */
int roles_connects(struct roles *roles, int32_t pid);
int roles_accepts(struct roles *roles, int32_t pid);

/* Records that @parent made @child, which inherits the role of its parent. */
int roles_inherit(struct roles *roles, int32_t parent, int32_t child);

/* Records that @server answered a request of @client; @is_socket: by a socket.
 */
int roles_answered(struct roles *roles, int32_t server, int32_t client,
		   bool is_socket);

/* Returns whether @server has ever answered a request of @client by other than
 * a socket.
 */
bool roles_has_answered_without_socket(const struct roles *roles,
				       int32_t server, int32_t client);

/* Returns whether @server serves @client. On a socket the roles in making
 * connections decide first: if @server makes connections and @client accepts
 * them, unless both do both, the result is false. Otherwise, if one has
 * answered the other before, the result is whether only @server has. Otherwise
 * it is whether, on a socket, @client makes connections and @server accepts
 * them, unless both do both.
 */
bool roles_is_server(const struct roles *roles, int32_t server, int32_t client,
		     bool is_socket);

#endif
