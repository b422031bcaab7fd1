/* SPDX-License-Identifier: MIT */
#include "attribution/requests/connections_internal.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/request.h"
#include "common/array.h"
#include "common/error.h"
#include "common/files/regular_file.h"
#include "common/maps.h"

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

/* Returns the FNV-1a hash of both ends, in the given order. */
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

/* Returns the index + 1 of the connection with these ends, or 0. If two
 * connections have the same hash, which is unlikely, one hides the other.
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

/* Adds the connection of an event. A socket that listens or is connecting does
 * not have both ports, and is not added.
 */
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

int connections_consume(struct connections *connections,
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

/* Limits unread messages and unanswered requests: older ones are no evidence.
 */
enum { MOST_QUEUED = 256 };

struct channel {
	uint64_t socket;
	struct array queue; /* struct message *, oldest first */
	struct array asked; /* struct request *, oldest first */
	bool has_asked;	    /* a request was sent from it */
	uint64_t peer;
	const struct task *user; /* see channels_use() */
	struct request *opener;	 /* see channels_open_for(); or NULL */
};

struct channels {
	struct keyed_array all; /* struct channel by socket */
};

struct channels *channels_new(void)
{
	struct channels *channels = calloc(1, sizeof(*channels));

	if (channels)
		channels->all = KEYED_ARRAY_OF(struct channel, socket);
	return channels;
}

void channels_free(struct channels *channels)
{
	if (!channels)
		return;
	for (size_t i = 0; i < channels->all.items.count; i++) {
		struct channel *channel = array_at(&channels->all.items, i);

		message_list_free(&channel->queue);
		request_list_free(&channel->asked);
		request_drop(channel->opener);
	}
	keyed_array_free(&channels->all);
	free(channels);
}

static struct channel *find(const struct channels *channels, uint64_t socket)
{
	return keyed_array_find(&channels->all, &socket);
}

static struct channel *channels_add(struct channels *channels, uint64_t socket)
{
	return keyed_array_add(&channels->all,
			       &(struct channel){
				       .socket = socket,
				       .queue = ARRAY_OF(struct message *),
				       .asked = ARRAY_OF(struct request *),
			       });
}

int channels_queue(struct channels *channels, uint64_t socket,
		   struct message *message)
{
	struct channel *channel = channels_add(channels, socket);

	return channel ?
		       message_list_add(&channel->queue, message, MOST_QUEUED) :
		       -ERROR_MEMORY;
}

struct message *channels_read(struct channels *channels, uint64_t socket,
			      uint64_t *bytes)
{
	struct channel *channel = find(channels, socket);
	struct message *message;
	uint64_t left;

	if (!channel || !channel->queue.count || !*bytes)
		return NULL;
	message = message_refer(message_in(&channel->queue, 0));
	left = message->bytes - message->taken_bytes;
	/* A message whose sender has not returned yet has no size: the reader
	 * is assumed to read all of it.
	 */
	if (!message->bytes || left > *bytes)
		left = *bytes;
	message->taken_bytes += left;
	*bytes -= left;
	/* One read consumes a whole datagram; bytes that did not fit are lost.
	 */
	if (message->medium == MEDIUM_UDP)
		*bytes = 0;
	if (message->taken_bytes >= message->bytes ||
	    message->medium == MEDIUM_UDP)
		message_drop(message_list_take(&channel->queue, 0));
	return message;
}

void channels_forget(struct channels *channels, uint64_t socket,
		     const struct message *message)
{
	struct channel *channel = find(channels, socket);

	if (channel)
		message_list_forget(&channel->queue, message);
}

int channels_ask(struct channels *channels, uint64_t socket,
		 struct request *request)
{
	struct channel *channel = channels_add(channels, socket);

	if (!channel || array_append(&channel->asked, &request) < 0)
		return -ERROR_MEMORY;
	request_refer(request);
	channel->has_asked = true;
	if (channel->asked.count > MOST_QUEUED)
		request_drop(request_list_take(&channel->asked, 0));
	return 0;
}

bool channels_has_asked(const struct channels *channels, uint64_t socket)
{
	const struct channel *channel = find(channels, socket);

	return channel && channel->has_asked;
}

struct request *channels_asked(struct channels *channels, uint64_t socket)
{
	struct channel *channel = find(channels, socket);

	while (channel && channel->asked.count) {
		struct request *request = request_in(&channel->asked, 0);

		if (request_is_open(request))
			return request;
		request_drop(request_list_take(&channel->asked, 0));
	}
	return NULL;
}

bool channels_infer_order(const struct channels *channels, uint64_t socket,
			  const struct request *answered, uint64_t sent_ns)
{
	const struct channel *channel = find(channels, socket);
	bool has_others = false;

	for (size_t i = 0; channel && i < channel->asked.count; i++) {
		struct request *other = request_in(&channel->asked, i);

		if (other == answered || !request_is_open(other) ||
		    !other->taken_ns || other->taken_ns > sent_ns)
			continue;
		other->is_inferred = true;
		has_others = true;
	}
	return has_others;
}

int channels_use(struct channels *channels, uint64_t socket,
		 const struct task *task)
{
	struct channel *channel = channels_add(channels, socket);

	if (!channel)
		return -ERROR_MEMORY;
	channel->user = task;
	return 0;
}

const struct task *channels_user(const struct channels *channels,
				 uint64_t socket)
{
	const struct channel *channel = find(channels, socket);

	return channel ? channel->user : NULL;
}

int channels_pair(struct channels *channels, uint64_t first, uint64_t second)
{
	struct channel *one = channels_add(channels, first);
	struct channel *other;

	if (!one)
		return -ERROR_MEMORY;
	one->peer = second;
	other = channels_add(channels, second);
	if (!other)
		return -ERROR_MEMORY;
	other->peer = first;
	return 0;
}

int channels_open_for(struct channels *channels, uint64_t socket,
		      struct request *request)
{
	struct channel *channel = channels_add(channels, socket);

	if (!channel)
		return -ERROR_MEMORY;
	request_drop(channel->opener);
	channel->opener = request ? request_refer(request) : NULL;
	return 0;
}

struct request *channels_take_opener(struct channels *channels, uint64_t socket)
{
	struct channel *channel = find(channels, socket);
	struct request *opener = channel ? channel->opener : NULL;

	if (channel)
		channel->opener = NULL;
	return opener;
}

void channels_reset(struct channels *channels, uint64_t socket)
{
	struct channel *channel = find(channels, socket);
	struct channel *other =
		channel && channel->peer ? find(channels, channel->peer) : NULL;

	if (other && other->peer == socket)
		other->peer = 0;
	if (!channel)
		return;
	message_list_free(&channel->queue);
	request_list_free(&channel->asked);
	request_drop(channel->opener);
	*channel = (struct channel){
		.socket = socket,
		.queue = ARRAY_OF(struct message *),
		.asked = ARRAY_OF(struct request *),
	};
}

uint64_t channels_peer(const struct channels *channels, uint64_t socket)
{
	const struct channel *channel = find(channels, socket);

	return channel ? channel->peer : 0;
}

/* Bits: how a process, or one that made it, uses sockets. */
enum role {
	ROLE_CONNECTS = 1,
	ROLE_ACCEPTS = 2,
};

void roles_free(struct roles *roles)
{
	number_map_free(&roles->by_pid);
	number_map_free(&roles->pairs);
}

static int roles_add(struct roles *roles, int32_t pid, uint64_t bits)
{
	uint64_t *slot = number_map_add(&roles->by_pid, (uint64_t)pid);

	if (!slot)
		return -ERROR_MEMORY;
	*slot |= bits;
	return 0;
}

static uint64_t bits_of(const struct roles *roles, int32_t pid)
{
	const uint64_t *slot = number_map_find(&roles->by_pid, (uint64_t)pid);

	return slot ? *slot : 0;
}

int roles_connects(struct roles *roles, int32_t pid)
{
	return roles_add(roles, pid, ROLE_CONNECTS);
}

int roles_accepts(struct roles *roles, int32_t pid)
{
	return roles_add(roles, pid, ROLE_ACCEPTS);
}

int roles_inherit(struct roles *roles, int32_t parent, int32_t child)
{
	uint64_t bits = bits_of(roles, parent);

	return bits && child != parent ? roles_add(roles, child, bits) : 0;
}

static uint64_t pair_of(int32_t client, int32_t server)
{
	return (uint64_t)(uint32_t)client << 32 | (uint32_t)server;
}

int roles_answered(struct roles *roles, int32_t server, int32_t client,
		   bool is_socket)
{
	uint64_t *has_other =
		number_map_add(&roles->pairs, pair_of(client, server));

	if (!has_other)
		return -ERROR_MEMORY;
	*has_other |= !is_socket;
	return 0;
}

static bool roles_has_answered(const struct roles *roles, int32_t server,
			       int32_t client)
{
	return number_map_find(&roles->pairs, pair_of(client, server));
}

bool roles_has_answered_without_socket(const struct roles *roles,
				       int32_t server, int32_t client)
{
	const uint64_t *has_other =
		number_map_find(&roles->pairs, pair_of(client, server));

	return has_other && *has_other;
}

/* Returns whether @client makes connections and @server accepts them, unless
 * both processes do both.
 */
static bool connect_as(const struct roles *roles, int32_t client,
		       int32_t server)
{
	uint64_t asks = bits_of(roles, client);
	uint64_t answers = bits_of(roles, server);

	return (asks & ROLE_CONNECTS) && (answers & ROLE_ACCEPTS) &&
	       (!(asks & ROLE_ACCEPTS) || !(answers & ROLE_CONNECTS));
}

bool roles_is_server(const struct roles *roles, int32_t server, int32_t client,
		     bool is_socket)
{
	bool has_asked = roles_has_answered(roles, server, client);
	bool has_answered = roles_has_answered(roles, client, server);

	if (is_socket && connect_as(roles, server, client))
		return false;
	if (has_asked || has_answered)
		return has_asked && !has_answered;
	return is_socket && connect_as(roles, client, server);
}
