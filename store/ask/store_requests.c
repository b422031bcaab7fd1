/* SPDX-License-Identifier: MIT */
#include "store/ask/store_requests.h"

#include "common/error.h"
#include "common/log.h"
#include "report/text/name_text.h"
#include "store/answer/answer.h"
#include "store/ask/measure_query.h"
#include "store/target/store_target.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum key_kind { KEY_ITEM, KEY_COMM, KEY_RECORDING, KEY_LABEL };

static enum key_kind kind_of(const char *key)
{
	if (!strcmp(key, "item"))
		return KEY_ITEM;
	if (!strcmp(key, "comm"))
		return KEY_COMM;
	return recording_filter_is_column(key) ? KEY_RECORDING : KEY_LABEL;
}

static bool has_kind(const struct store_report *report, enum key_kind kind)
{
	for (size_t i = 0; i < report->key_count; i++)
		if (kind_of(report->keys[i]) == kind)
			return true;
	return false;
}

/* Appends the columns k0, k1… of the keys of kind @kind. */
static void append_keys(const struct store_report *report, enum key_kind kind,
			const struct store_target *target, sqlite3_str *query)
{
	for (size_t i = 0; i < report->key_count; i++) {
		if (kind_of(report->keys[i]) != kind)
			continue;
		if (kind == KEY_RECORDING) {
			sqlite3_str_appendf(query, ", %s AS k%d",
					    report->keys[i], (int)i);
			continue;
		}
		sqlite3_str_appendall(query, ", max(CASE WHEN name = ");
		store_target_quote(target, query, report->keys[i]);
		sqlite3_str_appendf(query, " THEN value ELSE '' END) AS k%d",
				    (int)i);
	}
}

/* Appends a join with the labels. The label table has a row per recording and
 * label; this makes it one row per recording.
 */
static void append_labels(const struct store_report *report,
			  const struct store_target *target, sqlite3_str *query)
{
	sqlite3_str_appendall(query, " JOIN (SELECT recording");
	append_keys(report, KEY_LABEL, target, query);
	sqlite3_str_appendall(query,
			      " FROM (SELECT recording, name, value FROM label "
			      "UNION ALL SELECT recording, '' AS name, '' AS "
			      "value FROM recording) AS said "
			      "GROUP BY recording) AS l USING (recording)");
}

static void append_recordings(const struct store_report *report,
			      const struct store_target *target,
			      sqlite3_str *query)
{
	sqlite3_str_appendall(query, " JOIN (SELECT recording");
	append_keys(report, KEY_RECORDING, target, query);
	for (size_t i = 0; i < report->key_count; i++)
		if (kind_of(report->keys[i]) == KEY_LABEL)
			sqlite3_str_appendf(query, ", k%d", (int)i);
	sqlite3_str_appendall(query, " FROM recording");
	if (has_kind(report, KEY_LABEL))
		append_labels(report, target, query);
	sqlite3_str_appendall(query, ") AS r USING (recording)");
}

/* Appends the name of key @index within the query. */
static void append_key(const struct store_report *report, size_t index,
		       sqlite3_str *query)
{
	switch (kind_of(report->keys[index])) {
	case KEY_ITEM:
		sqlite3_str_appendall(query, "item");
		break;
	case KEY_COMM:
		sqlite3_str_appendall(query, "thread_comm");
		break;
	case KEY_RECORDING:
	case KEY_LABEL:
		sqlite3_str_appendf(query, "k%d", (int)index);
		break;
	}
}

static void append_selected(const struct store_report *report,
			    sqlite3_str *query)
{
	for (size_t i = 0; i < report->key_count; i++) {
		bool is_item = kind_of(report->keys[i]) == KEY_ITEM;

		append_key(report, i, query);
		sqlite3_str_appendf(query, " AS \"%w\", ",
				    is_item ?
					    report->choice.measure->item_name :
					    report->keys[i]);
	}
	sqlite3_str_appendall(query,
			      "count(DISTINCT recording) AS recordings, "
			      "count(*) AS count, sum(value) AS total_ns, "
			      "percentile(50, value) AS p50_ns, "
			      "percentile(90, value) AS p90_ns, "
			      "percentile(99, value) AS p99_ns, "
			      "max(value) AS max_ns FROM ");
}

int store_report_ask(const struct store_report *report,
		     struct store_target *target, struct answer *answer)
{
	sqlite3_str *query = sqlite3_str_new(NULL);
	bool has_comm = has_kind(report, KEY_COMM);

	sqlite3_str_appendall(query, "SELECT ");
	append_selected(report, query);
	measure_query_rows(&report->choice, target,
			   has_comm ? ", comm AS thread_comm" : "", query);
	sqlite3_str_appendall(query, " AS m");
	append_recordings(report, target, query);
	for (size_t i = 0; i < report->key_count; i++) {
		sqlite3_str_appendall(query, i ? ", " : " GROUP BY ");
		append_key(report, i, query);
	}
	sqlite3_str_appendall(query, " ORDER BY total_ns DESC");
	for (size_t i = 0; i < report->key_count; i++) {
		sqlite3_str_appendall(query, ", ");
		append_key(report, i, query);
	}
	if (report->top != UINT64_MAX)
		sqlite3_str_appendf(query, " LIMIT %llu",
				    (unsigned long long)report->top);
	return measure_query_run(target, query, answer);
}

/* The columns of the query. */
enum {
	SLOW_ITEM,
	SLOW_VALUE,
	SLOW_MEDIAN,
	SLOW_COMM,
	SLOW_TID,
	SLOW_BEGIN,
	SLOW_END,
	SLOW_HOST,
	SLOW_KERNEL,
	SLOW_ID,
	SLOW_ADDED_ON,
	SLOW_PATH,
	SLOW_COLUMNS,
};

static char *make_query(const struct store_slow *slow,
			const struct store_target *target)
{
	sqlite3_str *query = sqlite3_str_new(NULL);
	char *columns = sqlite3_mprintf(
		", comm AS thread_comm, tid, begin_ns, %s AS end_ns",
		slow->choice.measure->end);

	sqlite3_str_appendall(
		query, "SELECT item, value, p50, thread_comm, tid, begin_ns, "
		       "end_ns, host, kernel, id, added_on, path FROM "
		       "(SELECT recording, item, value, p50, thread_comm, tid, "
		       "begin_ns, end_ns FROM ");
	if (!columns)
		store_target_fail(query);
	measure_query_rows(&slow->choice, target, columns ? columns : "",
			   query);
	sqlite3_free(columns);
	sqlite3_str_appendall(
		query, " AS m JOIN (SELECT item, percentile(50, value) AS p50 "
		       "FROM ");
	measure_query_rows(&slow->choice, target, "", query);
	sqlite3_str_appendf(query,
			    " AS n GROUP BY item) AS p USING (item) "
			    "WHERE value >= p50 * %llu) AS o JOIN "
			    "(SELECT recording, host, kernel, id, added_on, "
			    "path FROM recording) AS r USING (recording) "
			    "ORDER BY value DESC, item, begin_ns, tid, id",
			    (unsigned long long)slow->times);
	if (slow->top != UINT64_MAX)
		sqlite3_str_appendf(query, " LIMIT %llu",
				    (unsigned long long)slow->top);
	return sqlite3_str_finish(query);
}

static void append_seconds(sqlite3_str *text, const char *option,
			   int64_t time_ns)
{
	sqlite3_str_appendf(text, " --%s @%lld.%09lld", option,
			    (long long)(time_ns / 1000000000),
			    (long long)(time_ns % 1000000000));
}

/* Adds the command that shows the call. Its window ends after the call's end,
 * because a window excludes its end.
 */
static int add_command(struct answer *answer, const struct answer *rows,
		       size_t row)
{
	char *path = name_word(answer_text(rows, row, SLOW_PATH));
	sqlite3_str *text = sqlite3_str_new(NULL);
	char *made;
	int error;

	if (!path)
		return -ERROR_MEMORY;
	sqlite3_str_appendf(text, "ktrace-hw timeline -i %s", path);
	free(path);
	append_seconds(text, "since", answer_number(rows, row, SLOW_BEGIN));
	append_seconds(text, "until", answer_number(rows, row, SLOW_END) + 1);
	made = sqlite3_str_finish(text);
	error = made ? answer_add_text(answer, made) : -ERROR_MEMORY;
	sqlite3_free(made);
	return error;
}

static int add_row(struct answer *answer, const struct answer *rows, size_t row)
{
	int error = 0;

	for (size_t i = 0; !error && i < SLOW_PATH; i++)
		error = answer_add(answer, answer_at(rows, row, i));
	return error ? error : add_command(answer, rows, row);
}

static int fill(const struct store_slow *slow, const struct answer *rows,
		struct answer *answer)
{
	const char *const names[SLOW_COLUMNS] = {
		[SLOW_ITEM] = slow->choice.measure->item_name,
		[SLOW_VALUE] = "took_ns",
		[SLOW_MEDIAN] = "p50_ns",
		[SLOW_COMM] = "comm",
		[SLOW_TID] = "tid",
		[SLOW_BEGIN] = "begin_ns",
		[SLOW_END] = "end_ns",
		[SLOW_HOST] = "host",
		[SLOW_KERNEL] = "kernel",
		[SLOW_ID] = "id",
		[SLOW_ADDED_ON] = "added_on",
		[SLOW_PATH] = "open",
	};
	int error = answer_open(answer);

	/* For some measures the item is the thread's name. */
	for (size_t i = 0; !error && i < SLOW_COLUMNS; i++)
		error = answer_add_column(
			answer,
			i && !strcmp(names[i], names[0]) ? "thread" : names[i]);
	for (size_t i = 0; !error && i < answer_rows(rows); i++)
		error = add_row(answer, rows, i);
	return error;
}

int store_slow_ask(const struct store_slow *slow, struct store_target *target,
		   struct answer *answer)
{
	char *query = make_query(slow, target);
	struct answer rows;
	int error;

	if (!query)
		return -ERROR_MEMORY;
	error = store_target_query(target, query, &rows);
	sqlite3_free(query);
	if (!error)
		error = fill(slow, &rows, answer);
	answer_free(&rows);
	return error;
}

/* The columns of append_query(). */
enum {
	HALF_CLIENT_ADDRESS,
	HALF_CLIENT_PORT,
	HALF_SERVER_ADDRESS,
	HALF_SERVER_PORT,
	HALF_RECORDING,
	HALF_ID,
	HALF_BEGIN,
	HALF_WALL,
	HALF_POSITION,
	HALF_COMM,
	HALF_TID,
	HALF_HOST,
	HALF_CLOCK,
	HALF_BEGIN_OFFSET,
	HALF_BEGIN_ERROR,
	HALF_BEGIN_STATUS,
	HALF_END_OFFSET,
	HALF_END_ERROR,
	HALF_END_STATUS,
	HALF_PARTS, /* the first of the parts that add up to the wall time */
};

/* The columns from HALF_PARTS on, of a client's side and of a server's side. */
enum { PART_CLIENT, PART_CLIENT_WAIT, PART_REMOTE, CLIENT_PARTS };

enum { SERVER_PARTS = 10 };

/* The client sides, or the server sides, of requests between machines. */
struct request_halves {
	struct answer rows;
	struct array halves; /* struct request_half */
};

/* The server sides of one connection: first to last - 1. */
struct range {
	size_t first;
	size_t last;
};

/* Returns the status's name, for example "joined". */
static const char *pair_status_name(enum pair_status status)
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

/* Returns the server sides with @client's connection that start while @client
 * may have waited; @error_ns is the largest uncertainty of a server's clock.
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

/* adjtimex(2): the clock is not synchronised. */
enum { UNSYNCHRONISED = 0x40 };

/* The columns of a side: its thread and the parts of its time. */
static const char client_columns[] =
	"client_comm AS thread_comm, client_tid AS thread_tid";

static const char server_columns[] = "comm AS thread_comm, tid AS thread_tid";

static const char client_parts[] = "client_ns, client_wait_ns, remote_ns";

static const char server_parts[] =
	"queue_ns, runnable_ns, kernel_ns, user_ns, interrupt_ns, tracer_ns, "
	"guest_ns, asleep_ns, downstream_ns, unknown_ns";

static void append_query(bool is_client, sqlite3_str *query)
{
	const char *parts = is_client ? client_parts : server_parts;

	sqlite3_str_appendf(
		query,
		"SELECT client_address, client_port, server_address, "
		"server_port, recording, request_id, begin_ns, wall_ns, "
		"stream_position, thread_comm, thread_tid, host, clock, "
		"clock_begin_offset_ns, begin_error_ns, clock_begin_status, "
		"clock_end_offset_ns, end_error_ns, clock_end_status, %s FROM "
		"(SELECT recording, id AS request_id, client_address, "
		"client_port, server_address, server_port, begin_ns, wall_ns, "
		"stream_position, %s, %s FROM request "
		"WHERE side = '%s' AND is_answered = 1) AS r JOIN "
		"(SELECT recording, host, clock, clock_begin_offset_ns, "
		"clock_begin_bracket_ns + clock_begin_maxerror_ns AS "
		"begin_error_ns, clock_begin_status, clock_end_offset_ns, "
		"clock_end_bracket_ns + clock_end_maxerror_ns AS "
		"end_error_ns, clock_end_status FROM recording WHERE 1 = 1",
		parts, is_client ? client_columns : server_columns, parts,
		is_client ? "client" : "server");
}

/* Sets the times of @half in CLOCK_REALTIME and their uncertainty. The clock
 * was read at the start of the recording and, unless the recording was cut off,
 * at its end: the uncertainty is the larger error of both readings plus the
 * clock's adjustment in between.
 */
static void read_clock(const struct answer *rows, size_t row,
		       struct request_half *half)
{
	int64_t offset_ns = answer_number(rows, row, HALF_BEGIN_OFFSET);
	int64_t end_error_ns = answer_number(rows, row, HALF_END_ERROR);
	int64_t moved_ns =
		answer_at(rows, row, HALF_END_OFFSET)->is_null ?
			0 :
			answer_number(rows, row, HALF_END_OFFSET) - offset_ns;
	int64_t status = answer_number(rows, row, HALF_BEGIN_STATUS) |
			 answer_number(rows, row, HALF_END_STATUS);

	half->has_clock = !answer_at(rows, row, HALF_BEGIN_OFFSET)->is_null &&
			  !(status & UNSYNCHRONISED) &&
			  !strcmp(answer_text(rows, row, HALF_CLOCK), "ns");
	half->error_ns = answer_number(rows, row, HALF_BEGIN_ERROR);
	if (end_error_ns > half->error_ns)
		half->error_ns = end_error_ns;
	half->error_ns += moved_ns < 0 ? -moved_ns : moved_ns;
	half->begin_ns = answer_number(rows, row, HALF_BEGIN) + offset_ns;
	half->end_ns = half->begin_ns + answer_number(rows, row, HALF_WALL);
}

static int read_rows(struct request_halves *halves)
{
	const struct answer *rows = &halves->rows;

	for (size_t i = 0; i < answer_rows(rows); i++) {
		struct request_half *half = array_add(&halves->halves);

		if (!half)
			return -ERROR_MEMORY;
		*half = (struct request_half){
			.client_address =
				answer_text(rows, i, HALF_CLIENT_ADDRESS),
			.server_address =
				answer_text(rows, i, HALF_SERVER_ADDRESS),
			.client_port = answer_number(rows, i, HALF_CLIENT_PORT),
			.server_port = answer_number(rows, i, HALF_SERVER_PORT),
			.recording = answer_number(rows, i, HALF_RECORDING),
			.has_position =
				!answer_at(rows, i, HALF_POSITION)->is_null,
			.position = answer_number(rows, i, HALF_POSITION),
			.row = i,
		};
		read_clock(rows, i, half);
	}
	return 0;
}

/* Reads one side, the clients' or the servers', of the answered requests of the
 * recordings that satisfy @recordings (measure_query.h), or of all recordings
 * if it is NULL.
 *
 * Returns 0 or a negative enum error, logged to the target's log. Call
 * request_halves_free() in both cases.
 */
static int request_halves_ask(struct store_target *target, bool is_client,
			      const struct array *recordings,
			      struct request_halves *halves)
{
	sqlite3_str *query = sqlite3_str_new(NULL);
	int error;

	halves->halves = ARRAY_OF(struct request_half);
	append_query(is_client, query);
	if (recordings)
		recording_filter_append(recordings, target, query);
	sqlite3_str_appendall(query, ") AS o USING (recording) ORDER BY "
				     "recording, request_id");
	error = measure_query_run(target, query, &halves->rows);
	return error ? error : read_rows(halves);
}

static void request_halves_free(struct request_halves *halves)
{
	answer_free(&halves->rows);
	array_free(&halves->halves);
}

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

/* Adds @count cells of the row of @half, starting at @column; NULLs if @half is
 * NULL.
 */
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

/* Adds the parts of the client's time. Its remote_ns can be split between
 * server and network only if the server's side is known.
 */
static int add_parts(struct answer *answer, const struct joined *joined,
		     const struct request_pair *pair)
{
	const struct request_half *server = pair->server;
	int64_t remote_ns = answer_number(&joined->clients.rows,
					  pair->client->row,
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
						 answer_number(
							 &joined->servers.rows,
							 server->row,
							 HALF_WALL)) :
				 answer_add_null(answer);
	return error ? error :
		       add_cells(answer, &joined->servers, server, HALF_PARTS,
				 SERVER_PARTS);
}

/* Adds the delay from the client's start to the server's start, by both clocks,
 * and the uncertainty of that delay.
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

static int add_pair_row(struct answer *answer, const struct joined *joined,
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

static int fill_halves(const struct store_requests *requests,
		       const struct joined *joined, struct answer *answer)
{
	int error = answer_open(answer);

	for (size_t i = 0; !error && i < sizeof(names) / sizeof(*names); i++)
		error = answer_add_column(answer, names[i]);
	for (size_t i = 0;
	     !error && i < joined->pairs.count && i < requests->top; i++)
		error = add_pair_row(answer, joined,
				     array_at(&joined->pairs, i));
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
		error = fill_halves(requests, &joined, answer);
	}
	request_halves_free(&joined.clients);
	request_halves_free(&joined.servers);
	array_free(&joined.pairs);
	return error;
}
