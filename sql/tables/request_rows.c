/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/requests/request_sleeps.h"
#include "tables/requests/request_sums.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stddef.h>
#include <stdlib.h>

enum {
	REQUEST_COLUMN_ID,
	REQUEST_COLUMN_PARENT,
	REQUEST_COLUMN_BEGIN,
	REQUEST_COLUMN_BY,
	REQUEST_COLUMN_CLIENT_PID,
	REQUEST_COLUMN_CLIENT_TID,
	REQUEST_COLUMN_CLIENT_COMM,
	REQUEST_COLUMN_PID,
	REQUEST_COLUMN_TID,
	REQUEST_COLUMN_COMM,
	REQUEST_COLUMN_ANSWERED,
	REQUEST_COLUMN_INFERRED,
	REQUEST_COLUMN_SIDE,
	REQUEST_COLUMN_CLIENT_ADDRESS,
	REQUEST_COLUMN_CLIENT_PORT,
	REQUEST_COLUMN_SERVER_ADDRESS,
	REQUEST_COLUMN_SERVER_PORT,
	REQUEST_COLUMN_POSITION,
	REQUEST_COLUMN_WALL,
	REQUEST_COLUMN_CLIENT,
	REQUEST_COLUMN_CLIENT_WAIT,
	REQUEST_COLUMN_REMOTE,
	REQUEST_COLUMN_QUEUE,
	REQUEST_COLUMN_RUNNABLE,
	REQUEST_COLUMN_KERNEL,
	REQUEST_COLUMN_USER,
	REQUEST_COLUMN_INTERRUPT,
	REQUEST_COLUMN_TRACER,
	REQUEST_COLUMN_GUEST,
	REQUEST_COLUMN_ASLEEP,
	REQUEST_COLUMN_DOWNSTREAM,
	REQUEST_COLUMN_UNKNOWN,
	REQUEST_COLUMN_BESIDE_RUNNABLE,
	REQUEST_COLUMN_BESIDE_KERNEL,
	REQUEST_COLUMN_BESIDE_USER,
	REQUEST_COLUMN_BESIDE_INTERRUPT,
	REQUEST_COLUMN_BESIDE_TRACER,
	REQUEST_COLUMN_BESIDE_GUEST,
	REQUEST_COLUMN_BESIDE_ASLEEP,
	REQUEST_COLUMNS,
};

static const struct sql_column request_columns[REQUEST_COLUMNS] = {
	[REQUEST_COLUMN_ID] = { "id", SQL_INTEGER, ROLE_NONE, "",
				"its number" },
	[REQUEST_COLUMN_PARENT] = { "parent_id", SQL_INTEGER, ROLE_NONE, "",
				    "the request for which the client sent this one; "
				    "NULL if unknown or none" },
	[REQUEST_COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_NONE, "ns",
				   "time at which the client started to send it" },
	[REQUEST_COLUMN_BY] = { "by", SQL_TEXT, ROLE_NONE, "",
				"pipe, tty, unix, tcp, udp, eventfd, queue, futex, or "
				"connect" },
	[REQUEST_COLUMN_CLIENT_PID] = { "client_pid", SQL_INTEGER, ROLE_NONE,
					"",
					"process that sent it; NULL, like the next two "
					"columns, if on another machine" },
	[REQUEST_COLUMN_CLIENT_TID] = { "client_tid", SQL_INTEGER, ROLE_NONE,
					"", "its thread" },
	[REQUEST_COLUMN_CLIENT_COMM] = { "client_comm", SQL_TEXT, ROLE_NONE, "",
					 "last name of that thread" },
	[REQUEST_COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
				 "process that answered it, otherwise the last one "
				 "that received it; NULL, like the next two columns, "
				 "if on another machine" },
	[REQUEST_COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "",
				 "its thread" },
	[REQUEST_COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
				  "last name of that thread" },
	[REQUEST_COLUMN_ANSWERED] = { "is_answered", SQL_INTEGER, ROLE_NONE, "",
				      "1: an answer was sent" },
	[REQUEST_COLUMN_INFERRED] = { "is_inferred", SQL_INTEGER, ROLE_NONE, "",
				      "1: the client or the server is inferred" },
	[REQUEST_COLUMN_SIDE] = { "side", SQL_TEXT, ROLE_NONE, "",
				  "which side is in this recording: client, server or "
				  "both" },
	[REQUEST_COLUMN_CLIENT_ADDRESS] = { "client_address", SQL_TEXT,
					    ROLE_NONE, "",
					    "address of the client of a TCP "
					    "connection; NULL, like the next three "
					    "columns, if not recorded" },
	[REQUEST_COLUMN_CLIENT_PORT] = { "client_port", SQL_INTEGER, ROLE_NONE,
					 "", "its port" },
	[REQUEST_COLUMN_SERVER_ADDRESS] = { "server_address", SQL_TEXT,
					    ROLE_NONE, "",
					    "the server's address" },
	[REQUEST_COLUMN_SERVER_PORT] = { "server_port", SQL_INTEGER, ROLE_NONE,
					 "", "its port" },
	[REQUEST_COLUMN_POSITION] = { "stream_position", SQL_INTEGER, ROLE_NONE,
				      "bytes",
				      "bytes that the client had sent on the "
				      "connection before the request; NULL if side is "
				      "both or the connection is older than the "
				      "recording" },
	[REQUEST_COLUMN_WALL] = { "wall_ns", SQL_INTEGER, ROLE_NONE, "ns",
				  "time until the client had the answer, otherwise "
				  "until the work on the request ended: the sum of the "
				  "next columns, up to unknown_ns" },
	[REQUEST_COLUMN_CLIENT] = { "client_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "the client is on a CPU to send the request or to "
				    "receive the answer" },
	[REQUEST_COLUMN_CLIENT_WAIT] = { "client_wait_ns", SQL_INTEGER,
					 ROLE_NONE, "ns",
					 "the client waits for a CPU in these phases, "
					 "or the answer waits for the client" },
	[REQUEST_COLUMN_REMOTE] = { "remote_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "the request is on another machine, or on the way "
				    "there or back" },
	[REQUEST_COLUMN_QUEUE] = { "queue_ns", SQL_INTEGER, ROLE_NONE, "ns",
				   "the request is queued: no thread has it" },
	[REQUEST_COLUMN_RUNNABLE] = { "runnable_ns", SQL_INTEGER, ROLE_NONE,
				      "ns",
				      "the server's thread that has the request waits "
				      "for a CPU" },
	[REQUEST_COLUMN_KERNEL] = { "kernel_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "that thread is in system calls, faults and other "
				    "kernel work" },
	[REQUEST_COLUMN_USER] = { "user_ns", SQL_INTEGER, ROLE_NONE, "ns",
				  "in user space" },
	[REQUEST_COLUMN_INTERRUPT] = { "interrupt_ns", SQL_INTEGER, ROLE_NONE,
				       "ns", "in interrupt work" },
	[REQUEST_COLUMN_TRACER] = { "tracer_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "in the tracer" },
	[REQUEST_COLUMN_GUEST] = { "guest_ns", SQL_INTEGER, ROLE_NONE, "ns",
				   "in a virtual machine, as one of its CPUs" },
	[REQUEST_COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "asleep" },
	[REQUEST_COLUMN_DOWNSTREAM] = { "downstream_ns", SQL_INTEGER, ROLE_NONE,
					"ns",
					"asleep until messages arrive, mostly from "
					"servers to which it had sent requests" },
	[REQUEST_COLUMN_UNKNOWN] = { "unknown_ns", SQL_INTEGER, ROLE_NONE, "ns",
				     "the recording has no data" },
	[REQUEST_COLUMN_BESIDE_RUNNABLE] = { "beside_runnable_ns", SQL_INTEGER,
					     ROLE_NONE, "ns",
					     "beside_: threads of servers that work "
					     "for the request after the answer, or "
					     "while another thread has it; here "
					     "waiting for a CPU" },
	[REQUEST_COLUMN_BESIDE_KERNEL] = { "beside_kernel_ns", SQL_INTEGER,
					   ROLE_NONE, "ns", "in the kernel" },
	[REQUEST_COLUMN_BESIDE_USER] = { "beside_user_ns", SQL_INTEGER,
					 ROLE_NONE, "ns", "in user space" },
	[REQUEST_COLUMN_BESIDE_INTERRUPT] = { "beside_interrupt_ns",
					      SQL_INTEGER, ROLE_NONE, "ns",
					      "in interrupt work" },
	[REQUEST_COLUMN_BESIDE_TRACER] = { "beside_tracer_ns", SQL_INTEGER,
					   ROLE_NONE, "ns", "in the tracer" },
	[REQUEST_COLUMN_BESIDE_GUEST] = { "beside_guest_ns", SQL_INTEGER,
					  ROLE_NONE, "ns",
					  "in a virtual machine" },
	[REQUEST_COLUMN_BESIDE_ASLEEP] = { "beside_asleep_ns", SQL_INTEGER,
					   ROLE_NONE, "ns", "asleep" },
};

/* Fills cells from @first on, in the order of the columns. */
static void fill_parts(union sql_cell *first,
		       const uint64_t parts[REQUEST_PARTS])
{
	static const enum request_part order[] = {
		PART_RUNNABLE, PART_KERNEL, PART_USER,	 PART_INTERRUPT,
		PART_TRACER,   PART_GUEST,  PART_ASLEEP,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		first[i].number = (int64_t)parts[order[i]];
}

static void fill_times(union sql_cell *cells, const struct request_sums *sums)
{
	cells[REQUEST_COLUMN_BEGIN].number = (int64_t)sums->begin_ns;
	cells[REQUEST_COLUMN_WALL].number = (int64_t)sums->wall_ns;
	cells[REQUEST_COLUMN_CLIENT].number = (int64_t)sums->client_ns;
	cells[REQUEST_COLUMN_CLIENT_WAIT].number =
		(int64_t)sums->client_wait_ns;
	cells[REQUEST_COLUMN_REMOTE].number = (int64_t)sums->remote_ns;
	cells[REQUEST_COLUMN_QUEUE].number = (int64_t)sums->queue_ns;
	fill_parts(&cells[REQUEST_COLUMN_RUNNABLE], sums->way_ns);
	cells[REQUEST_COLUMN_DOWNSTREAM].number =
		(int64_t)sums->way_ns[PART_IDLE];
	cells[REQUEST_COLUMN_UNKNOWN].number =
		(int64_t)sums->way_ns[PART_UNKNOWN];
	fill_parts(&cells[REQUEST_COLUMN_BESIDE_RUNNABLE], sums->beside_ns);
}

static void null_from(struct row_out *out, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		row_out_null(out, first + i);
}

/* Fills the columns of a thread: process, thread and name; NULL if the thread
 * is on another machine.
 */
static void fill_task(const struct task_names *names, struct row_out *out,
		      uint32_t first, int32_t pid, int32_t tid)
{
	union sql_cell *cells = row_out_cells(out);

	cells[first].number = pid;
	cells[first + 1].number = tid;
	cells[first + 2].text =
		pid < 0 ? NULL : task_names_last(names, tid < 0 ? pid : tid);
	if (pid < 0)
		null_from(out, first, 3);
	else if (tid < 0)
		row_out_null(out, first + 1);
}

static void fill_end(struct row_out *out, uint32_t first,
		     const struct endpoint *endpoint)
{
	union sql_cell *cells = row_out_cells(out);
	char text[ENDPOINT_ADDRESS_SIZE];

	cells[first].text = row_out_text(out, endpoint_address(endpoint, text));
	cells[first + 1].number = endpoint->port;
}

static void fill_connection(struct row_out *out, const struct request_row *row)
{
	union sql_cell *cells = row_out_cells(out);

	cells[REQUEST_COLUMN_SIDE].text = request_row_side(row);
	cells[REQUEST_COLUMN_POSITION].number = (int64_t)row->position;
	if (!row->has_position)
		row_out_null(out, REQUEST_COLUMN_POSITION);
	if (row->has_connection) {
		fill_end(out, REQUEST_COLUMN_CLIENT_ADDRESS,
			 connection_client(&row->connection));
		fill_end(out, REQUEST_COLUMN_SERVER_ADDRESS,
			 connection_server(&row->connection));
	} else {
		null_from(out, REQUEST_COLUMN_CLIENT_ADDRESS, 4);
	}
}

static void fill_who(const struct task_names *names, struct row_out *out,
		     union sql_cell *cells, const struct request_row *row)
{
	cells[REQUEST_COLUMN_ID].number = (int64_t)row->number;
	cells[REQUEST_COLUMN_PARENT].number = (int64_t)row->parent;
	if (!row->parent)
		row_out_null(out, REQUEST_COLUMN_PARENT);
	cells[REQUEST_COLUMN_BY].text = request_row_by(row);
	fill_task(names, out, REQUEST_COLUMN_CLIENT_PID, row->client_pid,
		  row->client_tid);
	fill_task(names, out, REQUEST_COLUMN_PID, row->server_pid,
		  row->server_tid);
	cells[REQUEST_COLUMN_ANSWERED].number = row->is_answered;
	cells[REQUEST_COLUMN_INFERRED].number = row->is_inferred;
}

/* Adds a row of the table "request" to @out. */
static void request_columns_add(const struct task_names *names,
				struct row_out *out,
				const struct request_row *row)
{
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	fill_who(names, out, cells, row);
	fill_connection(out, row);
	fill_times(cells, &row->sums);
	row_out_end(out);
}

#define SERVER \
	(SQL_COLUMN(REQUEST_COLUMN_PID) | SQL_COLUMN(REQUEST_COLUMN_TID) | \
	 SQL_COLUMN(REQUEST_COLUMN_COMM))
#define CONNECTION \
	(SQL_COLUMN(REQUEST_COLUMN_CLIENT_ADDRESS) | \
	 SQL_COLUMN(REQUEST_COLUMN_CLIENT_PORT) | \
	 SQL_COLUMN(REQUEST_COLUMN_SERVER_ADDRESS) | \
	 SQL_COLUMN(REQUEST_COLUMN_SERVER_PORT))

static const struct sql_need request_needs[] = {
	{ .event = EVENT_SCHED_WAKING },
	{ SERVER, "messages of sockets", EVENT_SOCKET_TAKEN, 0 },
	{ CONNECTION, "new connections", EVENT_SOCKET_STATE, 0 },
};

const struct sql_table sql_request_table = {
	.id = TABLE_REQUEST,
	.name = "request",
	.meaning = "All requests (messages that another process worked on), in "
		   "the order of their completion, as in report --requests.",
	.columns = request_columns,
	.column_count = REQUEST_COLUMNS,
	.rows_per_mb = 20,
	.is_kept = true,
	.source = &request_source,
	.needs = request_needs,
	.need_count = sizeof(request_needs) / sizeof(*request_needs),
};

/* Adds the sleeps of one request to a table. */
struct sleep_adder {
	struct request_sleep_callback callback; /* must be the first member */
	const struct attribution_input *input;
	const struct request_sleeps *sleeps;
	uint64_t number;
	struct row_out *out;
};

enum {
	REQUEST_SLEEP_COLUMN_REQUEST,
	REQUEST_SLEEP_COLUMN_BEGIN,
	REQUEST_SLEEP_COLUMN_ASLEEP,
	REQUEST_SLEEP_COLUMN_PID,
	REQUEST_SLEEP_COLUMN_TID,
	REQUEST_SLEEP_COLUMN_COMM,
	REQUEST_SLEEP_COLUMN_FUNCTION,
	REQUEST_SLEEP_COLUMN_FD,
	REQUEST_SLEEP_COLUMN_DOWNSTREAM,
	REQUEST_SLEEP_COLUMN_WAKERS,
	REQUEST_SLEEP_COLUMNS,
};

static const struct sql_column request_sleep_columns[REQUEST_SLEEP_COLUMNS] = {
	[REQUEST_SLEEP_COLUMN_REQUEST] = { "request_id", SQL_INTEGER, ROLE_NONE,
					   "", "id of the request" },
	[REQUEST_SLEEP_COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_NONE,
					 "ns",
					 "time at which the thread left its CPU; with tid, "
					 "the key of the table sleep" },
	[REQUEST_SLEEP_COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE,
					  "ns",
					  "time until the thread was woken, counted only "
					  "while the thread had the request: at most "
					  "asleep_ns of the table sleep" },
	[REQUEST_SLEEP_COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
				       "process of the thread that slept" },
	[REQUEST_SLEEP_COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "",
				       "its thread" },
	[REQUEST_SLEEP_COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
					"name of the thread at that time" },
	[REQUEST_SLEEP_COLUMN_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION,
					    "",
					    "wait channel: the function that decided to "
					    "wait; NULL if not in the trace" },
	[REQUEST_SLEEP_COLUMN_FD] = { "fd", SQL_INTEGER, ROLE_NONE, "",
				      "file descriptor that its system call operates on; "
				      "NULL: none, or arguments were not recorded" },
	[REQUEST_SLEEP_COLUMN_DOWNSTREAM] = { "is_downstream", SQL_INTEGER,
					      ROLE_NONE, "",
					      "1: the thread waited for a message, mostly "
					      "from a server to which it had sent a request; "
					      "counted in downstream_ns of the request" },
	[REQUEST_SLEEP_COLUMN_WAKERS] = { "wakers", SQL_TEXT, ROLE_NONE, "",
					  "the waker, then the waker's own waker (after an "
					  "interrupt that delivered a message, its sender), "
					  "and so on; empty if unknown" },
};

static const struct sql_need request_sleep_needs[] = {
	{ .event = EVENT_SCHED_WAKING },
	{ SQL_COLUMN(REQUEST_SLEEP_COLUMN_FD), NULL, EVENT_SYS_ENTER, 0 },
};

const struct sql_table sql_request_sleep_table = {
	.id = TABLE_REQUEST_SLEEP,
	.name = "request_sleep",
	.meaning = "The sleeps of threads while they had a request: sleeps in "
		   "report --requests.",
	.columns = request_sleep_columns,
	.column_count = REQUEST_SLEEP_COLUMNS,
	.rows_per_mb = 20,
	.is_kept = true,
	.source = &request_source,
	.needs = request_sleep_needs,
	.need_count =
		sizeof(request_sleep_needs) / sizeof(*request_sleep_needs),
};

/* Writes a row's wakers as text. */
struct waker_text {
	const struct sleep_adder *adder;
	const struct request_sleep *sleep;
};

static void write_wakers(FILE *file, const void *ctx)
{
	const struct waker_text *text = ctx;

	if (text->sleep->waker != WAKER_NONE)
		request_sleep_write_wakers(text->adder->sleeps, text->sleep,
					   text->adder->input, file);
}

static void fill_sleeper(const struct sleep_adder *adder, union sql_cell *cells,
			 const struct request_sleep *sleep)
{
	const struct task_names *names = adder->input->names;

	cells[REQUEST_SLEEP_COLUMN_PID].number =
		task_process(names, sleep->task);
	cells[REQUEST_SLEEP_COLUMN_TID].number = sleep->task->tid;
	cells[REQUEST_SLEEP_COLUMN_COMM].text =
		task_names_comm(names, sleep->task->tid, sleep->begin_ns);
}

static int take(struct request_sleep_callback *callback,
		const struct request_sleep *sleep)
{
	const struct sleep_adder *adder = (struct sleep_adder *)callback;
	const struct waker_text text = { adder, sleep };
	union sql_cell *cells = row_out_begin(adder->out);

	if (!cells)
		return adder->out->status;
	cells[REQUEST_SLEEP_COLUMN_REQUEST].number = (int64_t)adder->number;
	cells[REQUEST_SLEEP_COLUMN_BEGIN].number = (int64_t)sleep->begin_ns;
	cells[REQUEST_SLEEP_COLUMN_ASLEEP].number = (int64_t)sleep->asleep_ns;
	fill_sleeper(adder, cells, sleep);
	cells[REQUEST_SLEEP_COLUMN_FUNCTION].text =
		sleep->label == FUNCTION_UNKNOWN ?
			NULL :
			function_at(symbols_functions(adder->input->symbols),
				    sleep->label)
				->name;
	cells[REQUEST_SLEEP_COLUMN_FD].number = sleep->fd;
	if (sleep->fd < 0)
		row_out_null(adder->out, REQUEST_SLEEP_COLUMN_FD);
	cells[REQUEST_SLEEP_COLUMN_DOWNSTREAM].number = sleep->is_idle;
	cells[REQUEST_SLEEP_COLUMN_WAKERS].text =
		written_text(adder->out, write_wakers, &text);
	row_out_end(adder->out);
	return 0;
}

/* Adds to @out the sleeps of each request of @numbers (uint64_t). Must be
 * called after request_sleeps_end(). Returns 0 or -ERROR_MEMORY.
 */
static int request_sleep_rows_add(const struct attribution_input *input,
				  const struct request_sleeps *sleeps,
				  const struct array *numbers,
				  struct row_out *out)
{
	struct sleep_adder adder = {
		.callback.take = take,
		.input = input,
		.sleeps = sleeps,
		.out = out,
	};
	const uint64_t *items = numbers->items;
	int status = 0;

	for (size_t i = 0; !status && i < numbers->count; i++) {
		adder.number = items[i];
		status =
			request_sleeps_visit(sleeps, items[i], &adder.callback);
	}
	return status ? status : row_out_flush(out);
}

/* Each message that a server processed, as in report --requests. */
struct request_source {
	struct row_source source;
	struct request_callback callback;
	const struct attribution_input *recording;
	struct request_sleeps *sleeps; /* or NULL */
	struct array numbers;	       /* uint64_t: requests with sleeps */
	struct row_out *out;	       /* or NULL */
	struct row_out *sleeps_out;    /* or NULL */
	int status;
};

static void add_row(struct request_source *source,
		    const struct request *request)
{
	struct request_row row;

	if (request_row_of(request, &row) < 0)
		source->status = -ERROR_MEMORY;
	else
		request_columns_add(source->recording->names, source->out,
				    &row);
}

static void add_sleeps(struct request_source *source,
		       const struct request *request)
{
	uint64_t *number = array_add(&source->numbers);

	if (number && request_sleeps_add(source->sleeps, request) == 0)
		*number = request->number;
	else
		source->status = -ERROR_MEMORY;
}

static void take_request(struct request_callback *callback,
			 const struct request *request)
{
	struct request_source *source =
		container_of(callback, struct request_source, callback);

	if (source->out)
		add_row(source, request);
	if (source->sleeps)
		add_sleeps(source, request);
}

static int end_sleeps(struct request_source *source)
{
	request_sleeps_end(source->sleeps);
	return request_sleep_rows_add(source->recording, source->sleeps,
				      &source->numbers, source->sleeps_out);
}

static int end(struct row_source *rows, const struct task_stacks *stacks,
	       bool is_early)
{
	struct request_source *source = (struct request_source *)rows;
	int status = source->status;

	(void)stacks;
	(void)is_early;
	if (!status && source->out)
		status = row_out_flush(source->out);
	if (!status && source->sleeps)
		status = end_sleeps(source);
	return status;
}

static void close_rows(struct row_source *rows)
{
	struct request_source *source = (struct request_source *)rows;

	request_sleeps_free(source->sleeps);
	array_free(&source->numbers);
	free(source);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct request_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->source = (struct row_source){ .end = end, .close = close_rows };
	source->callback.take = take_request;
	source->recording = input->recording;
	source->out = input->outs[TABLE_REQUEST];
	source->sleeps_out = input->outs[TABLE_REQUEST_SLEEP];
	source->numbers = ARRAY_OF(uint64_t);
	if (source->sleeps_out)
		source->sleeps = request_sleeps_new(input->recording);
	if ((source->sleeps || !source->sleeps_out) &&
	    trackers_requests(input->recording->trackers, &source->callback))
		return &source->source;
	close_rows(&source->source);
	return NULL;
}

const struct row_source_class request_source = {
	.needs_time = true,
	.open = open_rows,
};
