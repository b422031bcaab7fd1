/* SPDX-License-Identifier: MIT */
#include "serve/client_list.h"
#include "common/budget.h"

#include <assert.h>

enum { MOST_CLIENTS = BUDGET_SERVED_THREADS + BUDGET_SERVE_WAITING };

struct client *client_list_at(const struct client_list *list, size_t index)
{
	return *(struct client **)array_at(&list->clients, index);
}

void client_list_free(struct client_list *list)
{
	for (size_t i = 0; i < list->clients.count; i++)
		client_free(client_list_at(list, i));
	array_free(&list->clients);
}

/* Counts the silent clients, or those with a thread; only those of @uid, unless
 * it is NULL.
 */
static size_t count_clients(const struct client_list *list, bool are_silent,
			    const uid_t *uid)
{
	size_t count = 0;

	for (size_t i = 0; i < list->clients.count; i++) {
		const struct client *client = client_list_at(list, i);

		count += client->phase != CLIENT_GONE &&
			 (client->phase == CLIENT_SILENT) == are_silent &&
			 (!uid || client->peer.uid == *uid);
	}
	return count;
}

size_t client_list_silent(const struct client_list *list)
{
	return count_clients(list, true, NULL);
}

static void free_gone(struct client_list *list)
{
	struct client **clients = list->clients.items;
	size_t kept = 0;

	for (size_t i = 0; i < list->clients.count; i++) {
		if (clients[i]->phase == CLIENT_GONE)
			client_free(clients[i]);
		else
			clients[kept++] = clients[i];
	}
	list->clients.count = kept;
}

/* Returns the newest silent client of the user who has most of them, if those
 * are more than @most; otherwise NULL.
 */
static struct client *of_largest(const struct client_list *list, size_t most)
{
	struct client *found = NULL;

	for (size_t i = 0; i < list->clients.count; i++) {
		struct client *client = client_list_at(list, i);
		size_t count = count_clients(list, true, &client->peer.uid);

		if (client->phase != CLIENT_SILENT || count < most ||
		    (count == most && !found))
			continue;
		found = client;
		most = count;
	}
	return found;
}

bool client_list_has_room(const struct client_list *list, uid_t uid)
{
	return count_clients(list, true, &uid) < BUDGET_SERVE_WAITING_OF_USER &&
	       client_list_silent(list) < BUDGET_SERVE_WAITING;
}

/* Returns whether there is room for another silent client of @uid, if need be
 * after dropping another user's.
 */
static bool make_room(const struct client_list *list, uid_t uid)
{
	size_t count = count_clients(list, true, &uid);
	struct client *other = NULL;

	if (client_list_has_room(list, uid))
		return true;
	if (count < BUDGET_SERVE_WAITING_OF_USER)
		other = of_largest(list, count);
	if (other)
		client_leave(other);
	return other;
}

void client_list_add(struct client_list *list, struct client *client)
{
	bool has_room = make_room(list, client->peer.uid);

	free_gone(list);
	if (!has_room || array_append(&list->clients, &client))
		client_free(client);
}

static const char *refusal_of(const struct client_list *list, uid_t uid)
{
	size_t all = count_clients(list, false, NULL);

	if (all >= BUDGET_SERVED_THREADS)
		return "the service has as many threads as it can have";
	if (count_clients(list, false, &uid) >= BUDGET_SERVED_THREADS - all)
		return "the service has as many threads of this user as it "
		       "can have";
	return NULL;
}

const char *client_list_refusal(const struct client_list *list, uid_t uid)
{
	if (!refusal_of(list, uid))
		return NULL;
	for (size_t i = 0; i < list->clients.count; i++)
		client_check_held(client_list_at(list, i));
	return refusal_of(list, uid);
}

/* Returns whether a client of the user of client @index has acted in this
 * round; @have_acted has an entry for each earlier client.
 */
static bool has_had_turn(const struct client_list *list, size_t index,
			 const bool *have_acted)
{
	uid_t uid = client_list_at(list, index)->peer.uid;

	for (size_t i = 0; i < index; i++)
		if (have_acted[i] && client_list_at(list, i)->peer.uid == uid)
			return true;
	return false;
}

bool client_list_round(struct client_list *list,
		       const struct client_actions *actions)
{
	bool have_acted[MOST_CLIENTS] = { 0 };
	bool is_other_ready = false;

	assert(list->clients.count <= MOST_CLIENTS); /* invariants 2, 3 */
	for (size_t i = 0; i < list->clients.count; i++) {
		struct client *client = client_list_at(list, i);

		if (!actions->is_ready(actions->context, client))
			continue;
		if (has_had_turn(list, i, have_acted)) {
			is_other_ready = true;
			continue;
		}
		have_acted[i] = true;
		actions->act(actions->context, client);
	}
	free_gone(list);
	return is_other_ready;
}
