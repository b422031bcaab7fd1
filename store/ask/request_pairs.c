/* SPDX-License-Identifier: MIT */
#include "store/ask/request_pairs.h"

#include "common/error.h"

#include <stdlib.h>
#include <string.h>

/* The server sides of one connection: first to last - 1. */
struct range {
	size_t first;
	size_t last;
};

const char *pair_status_name(enum pair_status status)
{
	static const char *const names[PAIR_STATUSES] = {
		[PAIR_JOINED] = "joined",
		[PAIR_AMBIGUOUS] = "ambiguous",
		[PAIR_CLOCKLESS] = "clockless",
		[PAIR_ALONE] = "alone",
	};

	return names[status];
}

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_connections(const struct request_half *a,
			       const struct request_half *b)
{
	int order = strcmp(a->client_address, b->client_address);

	if (!order)
		order = compare_numbers(a->client_port, b->client_port);
	if (!order)
		order = strcmp(a->server_address, b->server_address);
	return order ? order : compare_numbers(a->server_port, b->server_port);
}

static int compare_halves(const void *first, const void *second)
{
	const struct request_half *a = first;
	const struct request_half *b = second;
	int order = compare_connections(a, b);

	if (!order)
		order = compare_numbers(a->begin_ns, b->begin_ns);
	if (!order)
		order = compare_numbers(a->recording, b->recording);
	return order ? order :
		       compare_numbers((int64_t)a->row, (int64_t)b->row);
}

static bool is_of_earlier(const void *half, const void *other)
{
	return compare_connections(half, other) < 0;
}

static bool is_not_of_later(const void *half, const void *other)
{
	return compare_connections(half, other) <= 0;
}

static bool is_before(const void *first, const void *second)
{
	const struct request_half *half = first;
	const struct request_half *other = second;
	int order = compare_connections(half, other);

	return order ? order < 0 : half->begin_ns < other->begin_ns;
}

/* Returns the server sides with @client's connection. */
static struct range range_of(const struct array *servers,
			     const struct request_half *client)
{
	return (struct range){
		array_partition_point(servers, client, is_of_earlier),
		array_partition_point(servers, client, is_not_of_later),
	};
}

/* Returns those of them that start while @client may have waited, if no clock
 * is off by more than @error_ns.
 */
static struct range range_within(const struct array *servers,
				 const struct request_half *client,
				 int64_t error_ns)
{
	struct request_half first = *client;
	struct request_half behind = *client;

	first.begin_ns = client->begin_ns - client->error_ns - error_ns;
	behind.begin_ns = client->end_ns + client->error_ns + error_ns + 1;
	return (struct range){
		array_partition_point(servers, &first, is_before),
		array_partition_point(servers, &behind, is_before),
	};
}

static int64_t largest_error(const struct array *servers)
{
	int64_t error_ns = 0;

	for (size_t i = 0; i < servers->count; i++) {
		const struct request_half *server = array_at(servers, i);

		if (server->has_clock && server->error_ns > error_ns)
			error_ns = server->error_ns;
	}
	return error_ns;
}

/* Returns whether the clocks and the stream positions allow the two sides to be
 * one request.
 */
static bool fits(const struct request_half *client,
		 const struct request_half *server)
{
	int64_t error_ns = client->error_ns + server->error_ns;

	if (!client->has_clock || !server->has_clock ||
	    client->recording == server->recording)
		return false;
	if (client->has_position && server->has_position &&
	    client->position != server->position)
		return false;
	return server->begin_ns >= client->begin_ns - error_ns &&
	       server->end_ns <= client->end_ns + error_ns;
}

/* Returns whether a side of this connection could match if its clock were
 * known.
 */
static bool lacks_clock(const struct array *servers,
			const struct request_half *client)
{
	struct range range = range_of(servers, client);

	for (size_t i = range.first; i < range.last; i++) {
		const struct request_half *server = array_at(servers, i);

		if (server->recording != client->recording &&
		    (!server->has_clock || !client->has_clock))
			return true;
	}
	return false;
}

/* Counts the server sides that match @pair's client, and in @fitted, for each
 * server side, the clients that it matches.
 */
static void find_servers(const struct array *servers, struct request_pair *pair,
			 int64_t error_ns, size_t *fitted)
{
	struct range range = range_within(servers, pair->client, error_ns);

	for (size_t i = range.first; i < range.last; i++) {
		const struct request_half *server = array_at(servers, i);

		if (!fits(pair->client, server))
			continue;
		pair->fits++;
		pair->server = server;
		fitted[i]++;
	}
	if (!pair->fits)
		pair->status = lacks_clock(servers, pair->client) ?
				       PAIR_CLOCKLESS :
				       PAIR_ALONE;
}

static void decide(const struct array *servers, struct request_pair *pair,
		   const size_t *fitted)
{
	const struct request_half *first = servers->items;

	if (!pair->fits)
		return;
	pair->status = pair->fits == 1 && fitted[pair->server - first] == 1 ?
			       PAIR_JOINED :
			       PAIR_AMBIGUOUS;
	if (pair->status != PAIR_JOINED)
		pair->server = NULL;
}

int request_pairs_find(struct array *clients, struct array *servers,
		       struct array *pairs)
{
	struct request_pair *all;
	size_t *fitted = calloc(servers->count + 1, sizeof(*fitted));
	int64_t error_ns = largest_error(servers);

	if (!fitted ||
	    (clients->count && !array_reach(pairs, clients->count - 1))) {
		free(fitted);
		return -ERROR_MEMORY;
	}
	array_sort(clients, compare_halves);
	array_sort(servers, compare_halves);
	all = pairs->items;
	for (size_t i = 0; i < clients->count; i++) {
		all[i] =
			(struct request_pair){ .client = array_at(clients, i) };
		find_servers(servers, &all[i], error_ns, fitted);
	}
	for (size_t i = 0; i < clients->count; i++)
		decide(servers, &all[i], fitted);
	free(fitted);
	return 0;
}
