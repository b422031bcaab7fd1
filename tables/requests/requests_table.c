/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/table_records.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/memory.h"
#include "report/text/record_writer.h"
#include "tables/requests/request_records.h"
#include "tables/requests/request_sleeps.h"
#include "tables/requests/request_sums.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <string.h>

/* Number of slowest requests shown without --top. */
enum { SLOWEST = 10 };

/* A request with its group key. */
struct grouped {
	const struct request_row *row;
	const char *client; /* owned by the summary's texts, or by names */
	const char *server;
};

/* Requests with the same key: those of @grouped from @first on, by rising wall
 * time.
 */
struct group {
	size_t first;
	size_t count;
};

/* Mean times of some requests of a group. */
struct typical {
	const struct grouped *like;
	const char *which;
	uint64_t count;
	struct request_sums sums;
};

/* The endpoint that a column shows, as the column's offset. */
enum { OF_CLIENT, OF_SERVER };

struct summary {
	const struct attribution_input *input;
	const struct request_sleeps *sleeps;
	struct arena *texts;  /* owns names that are addresses */
	struct array grouped; /* struct grouped */
	struct array groups;  /* struct group */
	struct array means;   /* struct typical */
	struct array slowest; /* const struct request_row * */
};

static int compare_groups(const struct grouped *x, const struct grouped *y)
{
	int order = strcmp(x->server, y->server);

	if (!order)
		order = strcmp(x->client, y->client);
	if (!order)
		order = (int)x->row->kind - (int)y->row->kind;
	if (!order)
		order = (int)x->row->medium - (int)y->row->medium;
	return order ? order :
		       (int)y->row->is_answered - (int)x->row->is_answered;
}

static int compare_grouped(const void *a, const void *b)
{
	const struct grouped *x = a;
	const struct grouped *y = b;
	int order = compare_groups(x, y);

	if (order || x->row->sums.wall_ns == y->row->sums.wall_ns)
		return order ? order : request_row_compare(x->row, y->row);
	return x->row->sums.wall_ns < y->row->sums.wall_ns ? -1 : 1;
}

static int compare_slowest(const void *a, const void *b)
{
	const struct request_row *x = *(const struct request_row *const *)a;
	const struct request_row *y = *(const struct request_row *const *)b;

	if (x->sums.wall_ns != y->sums.wall_ns)
		return x->sums.wall_ns > y->sums.wall_ns ? -1 : 1;
	return request_row_compare(x, y);
}

static const struct grouped *grouped_at(const struct summary *summary,
					size_t index)
{
	return array_at(&summary->grouped, index);
}

/* Returns @name, or a copy if it is in the buffer @text, which is reused; NULL
 * when out of memory.
 */
static const char *keep(struct summary *summary, const char *name,
			const char *text)
{
	return name == text ? arena_text(summary->texts, text, strlen(text)) :
			      name;
}

static int group_rows(struct summary *summary, const struct array *rows)
{
	const struct task_names *names = summary->input->names;
	struct group *group = NULL;
	char text[REQUEST_NAME_SIZE];

	for (size_t i = 0; i < rows->count; i++) {
		const struct request_row *row = array_at(rows, i);
		struct grouped *grouped = array_add(&summary->grouped);
		const struct request_row **slot = array_add(&summary->slowest);

		if (!grouped || !slot)
			return -ERROR_MEMORY;
		*slot = row;
		*grouped = (struct grouped){
			row,
			keep(summary, request_row_client(row, names, text),
			     text),
			keep(summary, request_row_server(row, names, text),
			     text),
		};
		if (!grouped->client || !grouped->server)
			return -ERROR_MEMORY;
	}
	array_sort(&summary->grouped, compare_grouped);
	array_sort(&summary->slowest, compare_slowest);
	for (size_t i = 0; i < summary->grouped.count; i++) {
		if (!group || compare_groups(grouped_at(summary, i - 1),
					     grouped_at(summary, i)))
			group = array_add(&summary->groups);
		if (!group)
			return -ERROR_MEMORY;
		if (!group->count)
			group->first = i;
		group->count++;
	}
	return 0;
}

static void add_sums(struct request_sums *to, const struct request_sums *sums)
{
	to->wall_ns += sums->wall_ns;
	to->client_ns += sums->client_ns;
	to->client_wait_ns += sums->client_wait_ns;
	to->remote_ns += sums->remote_ns;
	to->queue_ns += sums->queue_ns;
	for (int i = 0; i < REQUEST_PARTS; i++)
		to->way_ns[i] += sums->way_ns[i];
}

/* Adds the mean of @count requests of the group, from @first on. */
static int add_mean(struct summary *summary, const char *which, size_t first,
		    size_t count)
{
	struct typical *mean = array_add(&summary->means);
	struct request_sums *sums;

	if (!mean)
		return -ERROR_MEMORY;
	*mean = (struct typical){ .like = grouped_at(summary, first),
				  .which = which,
				  .count = count };
	sums = &mean->sums;
	for (size_t i = 0; i < count; i++)
		add_sums(sums, &grouped_at(summary, first + i)->row->sums);
	sums->wall_ns /= count;
	sums->client_ns /= count;
	sums->client_wait_ns /= count;
	sums->remote_ns /= count;
	sums->queue_ns /= count;
	for (int i = 0; i < REQUEST_PARTS; i++)
		sums->way_ns[i] /= count;
	return 0;
}

/* Adds the means of each group's typical requests, those between the quartiles,
 * and of its slow ones, the slowest hundredth.
 */
static int add_means(struct summary *summary)
{
	int status = 0;

	for (size_t i = 0; !status && i < summary->groups.count; i++) {
		const struct group *group = array_at(&summary->groups, i);
		size_t quarter = group->count / 4;
		size_t slow = (group->count + 99) / 100;

		status = add_mean(summary, "typical", group->first + quarter,
				  group->count - 2 * quarter);
		if (!status)
			status = add_mean(summary, "slowest",
					  group->first + group->count - slow,
					  slow);
	}
	return status;
}

static void write_begin(struct record_writer *writer,
			const struct column *column,
			const struct column_row *row)
{
	const struct request_row *request = row->fact;
	uint64_t origin_ns = row->is_text ? row->input->origin_ns : 0;

	record_real(writer, column->name,
		    (double)(int64_t)(request->sums.begin_ns - origin_ns) / 1e9,
		    9);
}

static void write_positive(struct record_writer *writer,
			   const struct column *column,
			   const struct column_row *row)
{
	const uint64_t *number =
		(const void *)((const char *)row->fact + column->offset);

	if (*number)
		record_number(writer, column->name, *number);
	else
		record_absent(writer, column->name);
}

static const char *medium_of(const struct column_row *row)
{
	return request_row_by(row->fact);
}

static const char *side_of(const struct column_row *row)
{
	return request_row_side(row->fact);
}

static void write_client(struct record_writer *writer,
			 const struct column *column,
			 const struct column_row *row)
{
	char text[REQUEST_NAME_SIZE];

	record_text(writer, column->name,
		    request_row_client(row->fact, row->input->names, text));
}

static void write_server(struct record_writer *writer,
			 const struct column *column,
			 const struct column_row *row)
{
	char text[REQUEST_NAME_SIZE];

	record_text(writer, column->name,
		    request_row_server(row->fact, row->input->names, text));
}

/* Returns an endpoint of a request, by the offset of its column; or NULL. */
static const struct endpoint *endpoint_of(const struct column *column,
					  const struct column_row *row)
{
	const struct request_row *request = row->fact;

	if (!request->has_connection)
		return NULL;
	return column->offset == OF_CLIENT ?
		       connection_client(&request->connection) :
		       connection_server(&request->connection);
}

static void write_address(struct record_writer *writer,
			  const struct column *column,
			  const struct column_row *row)
{
	const struct endpoint *endpoint = endpoint_of(column, row);
	char text[ENDPOINT_ADDRESS_SIZE];

	if (endpoint)
		record_text(writer, column->name,
			    endpoint_address(endpoint, text));
	else
		record_absent(writer, column->name);
}

static void write_port(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	const struct endpoint *endpoint = endpoint_of(column, row);

	if (endpoint)
		record_number(writer, column->name, endpoint->port);
	else
		record_absent(writer, column->name);
}

static void write_position(struct record_writer *writer,
			   const struct column *column,
			   const struct column_row *row)
{
	const struct request_row *request = row->fact;

	if (request->has_position)
		record_number(writer, column->name, request->position);
	else
		record_absent(writer, column->name);
}

/* row->state is the sleeps of all requests. */
static bool print_sleeps(FILE *out, const void *row_)
{
	const struct column_row *row = row_;
	const struct request_row *request = row->fact;

	return request_sleeps_write(row->state, request->number, row, out);
}

#define OF(member) MEMBER(struct request_row, member)
#define OF_ID(member) ID_MEMBER(struct request_row, member)

/* The identity of a request. */
#define WHO_COLUMNS \
	INT_COLUMN("request", "number of the request", OF(number)), \
		INT_COLUMN("parent", \
			   "number of the request in which it was made", \
			   WRITTEN_OF(write_positive, struct request_row, \
				      parent)), \
		REAL_COLUMN("begin_s", "time of its start", \
			    WRITTEN(write_begin)), \
		TEXT_COLUMN("by", \
			    "how client and server are joined: connection, " \
			    "pipe, futex", \
			    NAMED(medium_of)), \
		INT_COLUMN("client_pid", "process that sent it", \
			   OF_ID(client_pid)), \
		INT_COLUMN("client_tid", "thread that sent it", \
			   OF_ID(client_tid)), \
		TEXT_COLUMN("client", "name of the client", \
			    WRITTEN(write_client)), \
		INT_COLUMN("server_pid", "process that answered it", \
			   OF_ID(server_pid)), \
		INT_COLUMN("server_tid", "thread that answered it", \
			   OF_ID(server_tid)), \
		TEXT_COLUMN("server", "name of the server", \
			    WRITTEN(write_server)), \
		INT_COLUMN("answered", \
			   "whether it was answered in the recording", \
			   OF(is_answered)), \
		INT_COLUMN("inferred", "whether it is inferred", \
			   OF(is_inferred))

#define CONNECTION_COLUMNS \
	TEXT_COLUMN("side", \
		    "client or server, if the other one is on another " \
		    "machine", \
		    NAMED(side_of)), \
		TEXT_COLUMN("client_address", "address of the client", \
			    WRITTEN(write_address), .offset = OF_CLIENT), \
		INT_COLUMN("client_port", "port of the client", \
			   WRITTEN(write_port), .offset = OF_CLIENT), \
		TEXT_COLUMN("server_address", "address of the server", \
			    WRITTEN(write_address), .offset = OF_SERVER), \
		INT_COLUMN("server_port", "port of the server", \
			   WRITTEN(write_port), .offset = OF_SERVER), \
		INT_COLUMN("stream_position", \
			   "position in the bytes of the connection", \
			   WRITTEN(write_position))

#define SLEEPS_COLUMN \
	TEXT_COLUMN("sleeps", "where it slept longest, and who ended that", \
		    PRINTED(print_sleeps))

static const struct column columns[] = {
	WHO_COLUMNS,
	CONNECTION_COLUMNS,
	REQUEST_TIME_COLUMNS(struct request_row),
	REQUEST_BESIDE_COLUMNS(struct request_row),
	SLEEPS_COLUMN,
	END_OF_COLUMNS,
};

/* The columns of the text format. */
static const struct column slowest_columns[] = {
	WHO_COLUMNS,
	REQUEST_TIME_COLUMNS(struct request_row),
	SLEEPS_COLUMN,
	END_OF_COLUMNS,
};

static const struct column mean_columns[] = {
	REQUEST_TIME_COLUMNS(struct typical),
	END_OF_COLUMNS,
};

static void write_like(struct record_writer *writer,
		       const struct grouped *grouped)
{
	const struct request_row *row = grouped->row;

	record_text(writer, "client", grouped->client);
	record_text(writer, "server", grouped->server);
	record_text(writer, "by", request_row_by(row));
	record_text(writer, "answered", row->is_answered ? "yes" : "no");
}

/* Returns a percentile of wall_ns by nearest rank, like histogram_quantile().
 */
static uint64_t quantile(const struct summary *summary,
			 const struct group *group, unsigned int percent)
{
	size_t rank = (group->count * percent + 99) / 100;

	return grouped_at(summary, group->first + (rank ? rank - 1 : 0))
		->row->sums.wall_ns;
}

static void write_group(struct record_writer *writer, const void *ctx,
			uint64_t index)
{
	const struct summary *summary = ctx;
	const struct group *group = array_at(&summary->groups, index);
	uint64_t inferred = 0;

	for (size_t i = 0; i < group->count; i++)
		inferred +=
			grouped_at(summary, group->first + i)->row->is_inferred;
	write_like(writer, grouped_at(summary, group->first));
	record_number(writer, "requests", group->count);
	record_number(writer, "inferred", inferred);
	record_number(writer, "median_ns", quantile(summary, group, 50));
	record_number(writer, "p90_ns", quantile(summary, group, 90));
	record_number(writer, "p99_ns", quantile(summary, group, 99));
	record_number(writer, "max_ns", quantile(summary, group, 100));
}

static void write_mean(struct record_writer *writer, const void *ctx,
		       uint64_t index)
{
	const struct summary *summary = ctx;
	const struct typical *mean = array_at(&summary->means, index);

	write_like(writer, mean->like);
	record_text(writer, "which", mean->which);
	record_number(writer, "requests", mean->count);
	columns_write(writer, mean_columns,
		      &(struct column_row){ .fact = mean });
}

static int write_tables(const struct summary *summary,
			const struct attribution_output *output)
{
	struct attribution_output plain = *output;
	int status;

	plain.sort = NULL;
	plain.shown = NULL;
	plain.top = UINT64_MAX;
	fputs("Requests, by client and server:\n", output->out);
	status = table_rows_render(&plain, write_group, summary,
				   summary->groups.count);
	if (status)
		return status;
	fputs("\nWhere their time went, on average:\n", output->out);
	plain.shown = output->shown ? requests_table.brief : NULL;
	plain.is_brief = false;
	status = table_rows_render(&plain, write_mean, summary,
				   summary->means.count);
	if (status)
		return status;
	plain = *output;
	if (plain.top > summary->slowest.count)
		plain.top = SLOWEST;
	fputs(output->sort ? "\nRequests:\n" : "\nThe slowest:\n", output->out);
	return table_rows_show(&plain, &(struct table_rows){
					       .table = &requests_table,
					       .columns = slowest_columns,
					       .state = summary->sleeps,
					       .input = summary->input,
					       .facts = &summary->slowest,
					       .are_pointers = true,
					       .count = summary->slowest.count,
				       });
}

/* Writes @rows (struct request_row) as text: for each client and server the
 * number of requests and their durations, with the times of typical requests
 * and of the slowest; then the slowest requests, a row each.
 *
 * Returns 0, -ERROR_MEMORY, or -ERROR_NOT_FOUND if no column is called
 * output->sort.
 */
static int request_summary_write(const struct array *rows,
				 const struct attribution_input *input,
				 const struct request_sleeps *sleeps,
				 const struct attribution_output *output)
{
	struct summary summary = {
		.input = input,
		.sleeps = sleeps,
		.texts = arena_new(),
		.grouped = ARRAY_OF(struct grouped),
		.groups = ARRAY_OF(struct group),
		.means = ARRAY_OF(struct typical),
		.slowest = ARRAY_OF(const struct request_row *),
	};
	int status = summary.texts ? group_rows(&summary, rows) : -ERROR_MEMORY;

	if (!status)
		status = add_means(&summary);
	if (!status)
		status = write_tables(&summary, output);
	array_free(&summary.grouped);
	array_free(&summary.groups);
	array_free(&summary.means);
	array_free(&summary.slowest);
	arena_free(summary.texts);
	return status;
}

/* report --requests: each message that a thread worked for, and its time by
 * state.
 */
struct requests_table {
	struct event_handler handler;
	struct request_rows requests;
	struct array rows; /* struct request_row */
};

/* Adds a row for the request if the filter selects it. Returns whether it does.
 */
static bool count_request(struct request_rows *requests,
			  const struct cached_request *request)
{
	struct requests_table *table =
		container_of(requests, struct requests_table, requests);
	struct request_row *row;

	if (!table_wants(&requests->input, request->task,
			 request->row.sums.begin_ns))
		return false;
	row = array_add(&table->rows);
	if (row)
		*row = request->row;
	else
		requests->status = -ERROR_MEMORY;
	return true;
}

static void close_table(struct event_handler *handler)
{
	struct requests_table *table = (struct requests_table *)handler;

	request_rows_close(&table->requests);
	array_free(&table->rows);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct requests_table *table = (struct requests_table *)handler;

	table->rows = ARRAY_OF(struct request_row);
	return request_rows_open(&table->requests, input, count_request);
}

static const struct table_need needs[] = {
	{ .columns = "all", .event = EVENT_SCHED_WAKING, .is_all = true },
	{ .columns = "senders and receivers of socket messages",
	  .event = EVENT_SOCKET_TAKEN },
};

static int write_text(const struct requests_table *table,
		      const struct attribution_output *output)
{
	recorded_table(&table->requests.input, needs,
		       sizeof(needs) / sizeof(*needs), table->rows.count,
		       "No request was received in a message (shared memory "
		       "is not followed)",
		       output->out);
	return table->rows.count ?
		       request_summary_write(&table->rows,
					     &table->requests.input,
					     table->requests.sleeps, output) :
		       0;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct requests_table *table = (struct requests_table *)handler;

	if (table->requests.status)
		return table->requests.status;
	request_sleeps_end(table->requests.sleeps);
	array_sort(&table->rows, request_row_compare);
	if (output->format == RECORD_TABLE)
		return write_text(table, output);
	return table_rows_show(output, &(struct table_rows){
					       .table = &requests_table,
					       .state = table->requests.sleeps,
					       .input = &table->requests.input,
					       .facts = &table->rows,
					       .count = table->rows.count,
				       });
}

const struct attribution_table requests_table = {
	.name = "requests",
	.columns = columns,
	.brief = "request,begin_s,client,server,which,requests,wall_ns,"
		 "queue_ns,runnable_ns,kernel_ns,user_ns,asleep_ns,"
		 "downstream_ns",
	.help = "each request to a server: where its time went",
	.size = sizeof(struct requests_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &request_row_records,
	.owner = OWNER_IS(struct requests_table, requests),
};
