/* SPDX-License-Identifier: MIT */
#include "store/ask/store_requests.h"

#include "common/error.h"
#include "common/log.h"
#include "store/ask/measure_query.h"
#include "store/ask/request_halves.h"
#include "store/ask/request_pairs.h"
#include "store/target/store_target.h"

static const char *const names[] = {
	"joined",	   "fit",
	"client_host",	   "client",
	"client_tid",	   "server_host",
	"server",	   "server_tid",
	"server_address",  "server_port",
	"wall_ns",	   "client_ns",
	"client_wait_ns",  "remote_ns",
	"network_ns",	   "queue_ns",
	"runnable_ns",	   "kernel_ns",
	"user_ns",	   "interrupt_ns",
	"tracer_ns",	   "guest_ns",
	"asleep_ns",	   "downstream_ns",
	"unknown_ns",	   "after_ns",
	"known_within_ns", "client_recording",
	"client_request",  "server_recording",
	"server_request",
};

/* Both sides of all requests, and their pairs. */
struct joined {
	struct request_halves clients;
	struct request_halves servers;
	struct array pairs; /* struct request_pair */
};

static int64_t wall_of(const struct request_pair *pair)
{
	return pair->client->end_ns - pair->client->begin_ns;
}

static int compare_pairs(const void *first, const void *second)
{
	const struct request_pair *a = first;
	const struct request_pair *b = second;

	if (wall_of(a) != wall_of(b))
		return wall_of(a) > wall_of(b) ? -1 : 1;
	if (a->client->recording != b->client->recording)
		return a->client->recording < b->client->recording ? -1 : 1;
	return a->client->row < b->client->row ?
		       -1 :
		       a->client->row > b->client->row;
}

/* Logs the number of pairs of each status. */
static void say(const struct array *pairs, const struct store_target *target)
{
	size_t counts[PAIR_STATUSES] = { 0 };

	for (size_t i = 0; i < pairs->count; i++) {
		const struct request_pair *pair = array_at(pairs, i);

		counts[pair->status]++;
	}
	log_message(target->log, LOG_NOTE, target->name, LOG_NO_OFFSET,
		    "of %zu answered requests to other machines %zu are joined "
		    "with the server's side, %zu are ambiguous, %zu lack a "
		    "synchronised clock, %zu have no other side here",
		    pairs->count, counts[PAIR_JOINED], counts[PAIR_AMBIGUOUS],
		    counts[PAIR_CLOCKLESS], counts[PAIR_ALONE]);
}

/* Adds @count cells of @row, starting at @column; NULLs if @half is NULL. */
static int add_cells(struct answer *answer, const struct request_halves *halves,
		     const struct request_half *half, size_t column,
		     size_t count)
{
	int error = 0;

	for (size_t i = 0; !error && i < count; i++)
		error = half ? answer_add(answer,
					  answer_at(&halves->rows, half->row,
						    column + i)) :
			       answer_add_null(answer);
	return error;
}

static int add_who(struct answer *answer, const struct request_halves *halves,
		   const struct request_half *half)
{
	int error = add_cells(answer, halves, half, HALF_HOST, 1);

	return error ? error : add_cells(answer, halves, half, HALF_COMM, 2);
}

static int64_t cell_number(const struct request_halves *halves,
			   const struct request_half *half, size_t column)
{
	return answer_number(&halves->rows, half->row, column);
}

/* Adds the parts of the client's time. Its remote_ns is split between server
 * and network only with the server's side.
 */
static int add_parts(struct answer *answer, const struct joined *joined,
		     const struct request_pair *pair)
{
	const struct request_half *server = pair->server;
	int64_t remote_ns = cell_number(&joined->clients, pair->client,
					HALF_PARTS + PART_REMOTE);
	int error =
		add_cells(answer, &joined->clients, pair->client, HALF_WALL, 1);

	if (!error)
		error = add_cells(answer, &joined->clients, pair->client,
				  HALF_PARTS, CLIENT_PARTS);
	if (!error)
		error = server ? answer_add_number(
					 answer,
					 remote_ns -
						 cell_number(&joined->servers,
							     server,
							     HALF_WALL)) :
				 answer_add_null(answer);
	return error ? error :
		       add_cells(answer, &joined->servers, server, HALF_PARTS,
				 SERVER_PARTS);
}

/* Adds the delay from the client's start to the server's start, by both clocks.
 */
static int add_clocks(struct answer *answer, const struct request_pair *pair)
{
	const struct request_half *client = pair->client;
	const struct request_half *server = pair->server;
	int error =
		server ? answer_add_number(answer, server->begin_ns -
							   client->begin_ns) :
			 answer_add_null(answer);

	if (error)
		return error;
	return server ? answer_add_number(answer,
					  client->error_ns + server->error_ns) :
			answer_add_null(answer);
}

static int add_row(struct answer *answer, const struct joined *joined,
		   const struct request_pair *pair)
{
	int error = answer_add_text(answer, pair_status_name(pair->status));

	if (!error)
		error = answer_add_number(answer, (int64_t)pair->fits);
	if (!error)
		error = add_who(answer, &joined->clients, pair->client);
	if (!error)
		error = add_who(answer, &joined->servers, pair->server);
	if (!error)
		error = add_cells(answer, &joined->clients, pair->client,
				  HALF_SERVER_ADDRESS, 2);
	if (!error)
		error = add_parts(answer, joined, pair);
	if (!error)
		error = add_clocks(answer, pair);
	if (!error)
		error = add_cells(answer, &joined->clients, pair->client,
				  HALF_RECORDING, 2);
	return error ? error :
		       add_cells(answer, &joined->servers, pair->server,
				 HALF_RECORDING, 2);
}

static int fill(const struct store_requests *requests,
		const struct joined *joined, struct answer *answer)
{
	int error = answer_open(answer);

	for (size_t i = 0; !error && i < sizeof(names) / sizeof(*names); i++)
		error = answer_add_column(answer, names[i]);
	for (size_t i = 0;
	     !error && i < joined->pairs.count && i < requests->top; i++)
		error = add_row(answer, joined, array_at(&joined->pairs, i));
	return error;
}

int store_requests_ask(const struct store_requests *requests,
		       struct store_target *target, struct answer *answer)
{
	struct joined joined = { .pairs = ARRAY_OF(struct request_pair) };
	int error = request_halves_ask(target, true, &requests->recordings,
				       &joined.clients);

	if (!error)
		error = request_halves_ask(target, false, NULL,
					   &joined.servers);
	if (!error)
		error = request_pairs_find(&joined.clients.halves,
					   &joined.servers.halves,
					   &joined.pairs);
	if (!error) {
		array_sort(&joined.pairs, compare_pairs);
		say(&joined.pairs, target);
		error = fill(requests, &joined, answer);
	}
	request_halves_free(&joined.clients);
	request_halves_free(&joined.servers);
	array_free(&joined.pairs);
	return error;
}
