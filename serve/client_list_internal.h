/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_CLIENT_LIST_INTERNAL_H
#define KT_SERVE_CLIENT_LIST_INTERNAL_H

#include "collector/thread_events/thread_events.h"
#include "common/array.h"
#include "serve/service_socket.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kernel_files;
struct log;

/* Shows whether descriptors that were passed to another process are still open
 * anywhere, after this process has closed its own.
 *
 * The other process may duplicate a descriptor, map it, or pass it to others.
 * So a descriptor may still be in use after that process has closed its
 * connection or has ended. An epoll instance shows whether it is: it refers to
 * the open file description without keeping it open, and the kernel removes its
 * entry when the last descriptor, mapping and message in a socket that refer to
 * the description are gone (epoll(7), "Will closing a file descriptor cause it
 * to be removed from all epoll interest lists?"). /proc/self/fdinfo lists the
 * entries that are left (proc_pid_fdinfo(5)).
 *
 * Only descriptors that can be polled can be watched: perf's events, pipes,
 * sockets, but no regular files.
 */
struct held_descriptors {
	int epoll; /* -1: not open */
};

#define HELD_DESCRIPTORS_NONE ((struct held_descriptors){ -1 })

/* Opens @held without any descriptors. Returns 0 or -ERROR_SYSTEM with errno
 * set, as does held_descriptors_add(). The caller must close @held either way.
 */
int held_descriptors_open(struct held_descriptors *held);

void held_descriptors_close(struct held_descriptors *held);

/* Watches @fd. Must be called before @fd is passed to another process. */
int held_descriptors_add(const struct held_descriptors *held, int fd);

/* Returns whether any process, this one included, holds one of the watched
 * descriptors; true also if that cannot be found out.
 */
bool held_descriptors_any(const struct held_descriptors *held);

/* Progress of a client; it never goes back:
 *
 *	                 client_request()           client_answer()
 *	 CLIENT_SILENT ──────────────────► WAITING ─────────────────► SERVED
 *	       │                              │                          │
 *	       └──────────── client_leave() ──┴──────────► LEFT ◄────────┘
 *	                                                    │
 *	                        client_check_held()         ▼
 *	                                                   GONE
 */
enum client_phase {
	CLIENT_SILENT, /* its request has not been read */
	/* its thread's events are open; waits for a copy of the kernel */
	CLIENT_WAITING,
	CLIENT_SERVED, /* has received everything */
	/* has no connection; some process holds descriptors passed to it */
	CLIENT_LEFT,
	/* no process holds descriptors passed to it; can be freed */
	CLIENT_GONE,
};

/* A connection to the service, and the descriptors passed over it. */
struct client {
	enum client_phase phase;
	int socket; /* non-blocking; -1: closed */
	struct peer peer;
	uint64_t since_ms; /* when it connected, by monotonic_ms() */
	/* its socket has a message or was closed, by the last poll(2) */
	bool has_input;
	bool has_ended; /* its process has ended */
	/* The events of its thread, which stay open here until client_leave().
	 * The events of roles for which serve_role_stays() are not passed to
	 * the client.
	 */
	struct thread_events events;
	/* kernel_files.started when @events were opened */
	uint64_t events_since;
	struct held_descriptors held; /* the descriptors passed to it */
};

/* Takes ownership of the connection @socket and identifies its peer. Returns
 * the client, or NULL if the kernel does not identify the peer (its process has
 * ended, or no descriptor is free) or when out of memory; @socket is closed
 * then.
 */
struct client *client_new(int socket, uint64_t now_ms);

/* The conditions for serving a client. */
struct client_rules {
	gid_t group;	     /* required group of clients other than root */
	const char *refusal; /* why no more clients are served now; or NULL */
	const char *sums;    /* path of the file of sums; NULL: none are made */
};

/* Reads the request of a silent client, and opens the events of its thread, or
 * sends it the sums.
 *
 * Returns 0; 1 if the client got sums, and is done; or -ERROR_SYSTEM, with the
 * reason reported to the client and to @log. Unless it is 0, the caller must
 * call client_leave().
 */
int client_request(struct client *client, const struct client_rules *rules,
		   const struct kernel_files *files, const struct log *log);

/* Sends a waiting client its files and events, or starts the copy that it
 * needs. Returns 0 if the client is served now, or still has to wait; or
 * -ERROR_SYSTEM like client_request().
 */
int client_answer(struct client *client, struct kernel_files *files,
		  const struct log *log);

/* Closes the connection and all descriptors that this process has for the
 * client. The client is then CLIENT_LEFT, or CLIENT_GONE if no other process
 * holds them.
 */
void client_leave(struct client *client);

/* All clients, and how the service is divided among their users (uids): 50
 * connections of one user get no more than another user's only one. Invariants;
 * tests/serve/test_client_list.c has a test for each:
 *
 *  1. In each round at most one client of each user acts: between two actions
 *     for one user, each other user with a client that is ready gets one. Of
 *     one user's clients the oldest that is ready acts.
 *  2. A user's silent clients are at most BUDGET_SERVE_WAITING_OF_USER. All
 *     users' silent clients are at most BUDGET_SERVE_WAITING. If there are as
 *     many already, a new silent client replaces one of the user with the most
 *     silent clients, provided that this user has more of them than the new
 *     client's user.
 *  3. A user gets another thread only while that user has fewer threads than
 *     are free. The total is at most BUDGET_SERVED_THREADS. A client that has
 *     left counts until all descriptors that it was given are closed.
 *
 * A client that has left is checked for open descriptors only when it leaves,
 * and when a user would otherwise be refused.
 */
struct client_list {
	struct array clients; /* struct client *, the oldest first */
};

#define CLIENT_LIST_NONE \
	((struct client_list){ .clients = ARRAY_OF(struct client *) })

void client_list_free(struct client_list *list);

struct client *client_list_at(const struct client_list *list, size_t index);

/* Returns the number of silent clients. */
size_t client_list_silent(const struct client_list *list);

/* Returns whether client_list_add() would add a client of @uid without dropping
 * another one.
 */
bool client_list_has_room(const struct client_list *list, uid_t uid);

/* Takes ownership of @client, which is silent. If there are too many silent
 * clients, drops another one, or @client itself (invariant 2). Frees clients
 * that are gone.
 */
void client_list_add(struct client_list *list, struct client *client);

/* Returns why the user @uid gets no further thread now, or NULL. */
const char *client_list_refusal(const struct client_list *list, uid_t uid);

/* The callbacks of a round; both get @context. */
struct client_actions {
	void *context;
	bool (*is_ready)(void *context, const struct client *client);
	/* May call client_leave(), but must not change the list. */
	void (*act)(void *context, struct client *client);
};

/* Lets one ready client of each user act, then frees clients that are gone.
 * Returns whether another client was ready but had no turn.
 */
bool client_list_round(struct client_list *list,
		       const struct client_actions *actions);

#endif
