/* SPDX-License-Identifier: MIT */
#include "attribution/requests/connections.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/request.h"
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "common/regular_file.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct connections {
	struct keyed_array all;	   /* struct connection_state */
	struct number_map by_ends; /* index + 1 by hash_of() */
};

struct connections *connections_new(void)
{
	struct connections *connections = calloc(1, sizeof(*connections));

	if (connections)
		connections->all =
			KEYED_ARRAY_OF(struct connection_state, socket);
	return connections;
}

static struct connection_state *state_at(const struct connections *connections,
					 size_t index)
{
	return array_at(&connections->all.items, index);
}

void connection_forget_request(struct connection_state *state)
{
	if (!state->request)
		return;
	state->request->is_ended = true;
	request_drop(state->request);
	state->request = NULL;
}

void connections_free(struct connections *connections)
{
	if (!connections)
		return;
	for (size_t i = 0; i < connections->all.items.count; i++)
		connection_forget_request(state_at(connections, i));
	keyed_array_free(&connections->all);
	number_map_free(&connections->by_ends);
	free(connections);
}

/* FNV-1a of both ends, in the given order. */
static uint64_t hash_of(const struct endpoint *first,
			const struct endpoint *second)
{
	const struct endpoint *ends[] = { first, second };
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < sizeof(first->address); k++)
			hash = (hash ^ ends[i]->address[k]) * 0x100000001b3;
		hash = (hash ^ ends[i]->port) * 0x100000001b3;
	}
	return hash;
}

static bool has_ends(const struct connection *connection,
		     const struct endpoint *local,
		     const struct endpoint *remote)
{
	return endpoint_is_equal(&connection->local, local) &&
	       endpoint_is_equal(&connection->remote, remote);
}

/* Returns the index + 1 of the connection with these ends, or 0. Of two
 * connections with one hash, which is unlikely, one only hides the other.
 */
static uint64_t find_ends(const struct connections *connections,
			  const struct endpoint *local,
			  const struct endpoint *remote)
{
	const uint64_t *number =
		number_map_find(&connections->by_ends, hash_of(local, remote));

	return number && has_ends(
				 &state_at(connections, *number - 1)->connection,
				 local, remote) ?
		       *number :
		       0;
}

static void leave_ends(struct connections *connections, uint64_t number)
{
	const struct connection *connection =
		&state_at(connections, number - 1)->connection;

	if (find_ends(connections, &connection->local, &connection->remote) ==
	    number)
		number_map_remove(&connections->by_ends,
				  hash_of(&connection->local,
					  &connection->remote));
}

/* Returns the number of @socket, from 1, adding it if it is new; 0 when out of
 * memory.
 */
static uint64_t number_of(struct connections *connections, uint64_t socket)
{
	const struct connection_state *state =
		keyed_array_add(&connections->all,
				&(struct connection_state){ .socket = socket });
	uint64_t number;

	if (!state)
		return 0;
	number = (uint64_t)(state - state_at(connections, 0)) + 1;
	leave_ends(connections, number);
	return number;
}

/* Adds a connection of @socket, replacing the previous one. */
static int add(struct connections *connections, uint64_t socket,
	       const struct connection *connection, bool is_whole)
{
	uint64_t number = number_of(connections, socket);
	struct connection_state *state;
	uint64_t *place;

	if (!number)
		return -ERROR_MEMORY;
	state = state_at(connections, number - 1);
	connection_forget_request(state);
	*state = (struct connection_state){ .socket = socket,
					    .connection = *connection,
					    .is_whole = is_whole };
	place = number_map_add(&connections->by_ends,
			       hash_of(&connection->local,
				       &connection->remote));
	if (!place)
		return -ERROR_MEMORY;
	*place = number;
	return 0;
}

static int add_lines(struct connections *connections, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	int error = 0;

	while (!error && getline(&line, &room, file) > 0) {
		struct connection connection;
		uint64_t socket;

		if (connection_read(line, &socket, &connection))
			error = add(connections, socket, &connection, false);
	}
	free(line);
	return error;
}

int connections_add_file(struct connections *connections, const char *path)
{
	int fd = regular_file_open(path);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	int error;

	if (!file && fd >= 0)
		close(fd);
	if (!file)
		return 0;
	error = add_lines(connections, file);
	fclose(file);
	return error;
}

static void read_end(struct endpoint *end, const int64_t *address, int64_t port)
{
	memcpy(end->address, address, sizeof(end->address));
	end->port = (uint16_t)port;
}

/* A socket that listens or is connecting does not have both ports. */
static int begin(struct connections *connections, const int64_t *values)
{
	struct connection connection = {
		.is_server = values[SOCKET_OLD_STATE] == TCP_SYN_RECV,
	};

	read_end(&connection.local, &values[SOCKET_LOCAL],
		 values[SOCKET_LOCAL_PORT]);
	read_end(&connection.remote, &values[SOCKET_REMOTE],
		 values[SOCKET_REMOTE_PORT]);
	return add(connections, (uint64_t)values[SOCKET_ADDRESS], &connection,
		   true);
}

bool connections_asks(const struct event_record *event)
{
	return event->event == EVENT_SOCKET_STATE &&
	       event->values[SOCKET_PROTOCOL] == IPPROTO_TCP &&
	       event->values[SOCKET_NEW_STATE] == TCP_SYN_SENT;
}

bool connections_begins(const struct event_record *event)
{
	return event->event == EVENT_SOCKET_STATE &&
	       event->values[SOCKET_PROTOCOL] == IPPROTO_TCP &&
	       event->values[SOCKET_NEW_STATE] == TCP_ESTABLISHED;
}

int connections_take(struct connections *connections,
		     const struct event_record *event)
{
	const int64_t *values = event->values;
	struct connection_state *state;

	if (values[SOCKET_PROTOCOL] != IPPROTO_TCP)
		return 0;
	if (connections_begins(event))
		return begin(connections, values);
	state = connections_find(connections, (uint64_t)values[SOCKET_ADDRESS]);
	if (state && values[SOCKET_NEW_STATE] == TCP_CLOSE)
		connection_forget_request(state);
	return 0;
}

struct connection_state *connections_find(const struct connections *connections,
					  uint64_t socket)
{
	return keyed_array_find(&connections->all, &socket);
}

/* Returns the number of the other end of @state's connection, or 0. */
static uint64_t find_other(const struct connections *connections,
			   const struct connection_state *state)
{
	return find_ends(connections, &state->connection.remote,
			 &state->connection.local);
}

struct connection_state *connections_far(const struct connections *connections,
					 uint64_t socket)
{
	struct connection_state *state = connections_find(connections, socket);

	return state && !find_other(connections, state) ? state : NULL;
}

uint64_t connections_peer(const struct connections *connections,
			  uint64_t socket)
{
	const struct connection_state *state =
		connections_find(connections, socket);
	uint64_t number = state ? find_other(connections, state) : 0;

	return number ? state_at(connections, number - 1)->socket : 0;
}
