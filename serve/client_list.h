/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_CLIENT_LIST_H
#define KT_SERVE_CLIENT_LIST_H

#include "common/array.h"
#include "serve/client.h"

#include <stdbool.h>
#include <sys/types.h>

/* All clients, and how the service is divided among their users. A user is a
 * user id: 50 connections of one user get no more than another user's only one.
 * Invariants; tests/test_client_list.c has a test for each:
 *
 *  1. In each round at most one client of each user acts: between two actions
 *     for one user, each other user with a client that is ready gets one. Of
 *     one user's clients the oldest that is ready acts.
 *  2. A user's silent clients are at most BUDGET_SERVE_WAITING_OF_USER. All
 *     users' are at most BUDGET_SERVE_WAITING: a further one replaces one of
 *     the user who has most of them, if that user has more than its own.
 *  3. A user gets another thread only while it has fewer than are free. The
 *     total is at most BUDGET_SERVED_THREADS. A client that has left counts
 *     until all descriptors that it was given are closed.
 *
 * Whether a client that has left still holds descriptors is only checked when
 * a user would be refused otherwise.
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

/* Takes ownership of @client, which is silent, and drops it or another one if
 * there are too many. Frees clients that are gone.
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
 * Returns whether another one was ready.
 */
bool client_list_round(struct client_list *list,
		       const struct client_actions *actions);

#endif
