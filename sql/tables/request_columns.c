/* SPDX-License-Identifier: MIT */
#include "sql/tables/request_columns.h"

#include "report/text/task_names.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/requests/request_sums.h"
#include "tables/text/recorded.h"

#include <stddef.h>

enum {
	COLUMN_ID,
	COLUMN_PARENT,
	COLUMN_BEGIN,
	COLUMN_BY,
	COLUMN_CLIENT_PID,
	COLUMN_CLIENT_TID,
	COLUMN_CLIENT_COMM,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_ANSWERED,
	COLUMN_INFERRED,
	COLUMN_SIDE,
	COLUMN_CLIENT_ADDRESS,
	COLUMN_CLIENT_PORT,
	COLUMN_SERVER_ADDRESS,
	COLUMN_SERVER_PORT,
	COLUMN_POSITION,
	COLUMN_WALL,
	COLUMN_CLIENT,
	COLUMN_CLIENT_WAIT,
	COLUMN_REMOTE,
	COLUMN_QUEUE,
	COLUMN_RUNNABLE,
	COLUMN_KERNEL,
	COLUMN_USER,
	COLUMN_INTERRUPT,
	COLUMN_TRACER,
	COLUMN_GUEST,
	COLUMN_ASLEEP,
	COLUMN_DOWNSTREAM,
	COLUMN_UNKNOWN,
	COLUMN_BESIDE_RUNNABLE,
	COLUMN_BESIDE_KERNEL,
	COLUMN_BESIDE_USER,
	COLUMN_BESIDE_INTERRUPT,
	COLUMN_BESIDE_TRACER,
	COLUMN_BESIDE_GUEST,
	COLUMN_BESIDE_ASLEEP,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_ID] = { "id", SQL_INTEGER, ROLE_NONE, "", "its number" },
	[COLUMN_PARENT] = { "parent_id", SQL_INTEGER, ROLE_NONE, "",
			    "the request for which the client sent this one; "
			    "NULL if unknown or none" },
	[COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "time at which the client started to send it" },
	[COLUMN_BY] = { "by", SQL_TEXT, ROLE_NONE, "",
			"pipe, tty, unix, tcp, udp, eventfd, queue, futex, or "
			"connect" },
	[COLUMN_CLIENT_PID] = { "client_pid", SQL_INTEGER, ROLE_NONE, "",
				"process that sent it; NULL, like the next two "
				"columns, if on another machine" },
	[COLUMN_CLIENT_TID] = { "client_tid", SQL_INTEGER, ROLE_NONE, "",
				"its thread" },
	[COLUMN_CLIENT_COMM] = { "client_comm", SQL_TEXT, ROLE_NONE, "",
				 "last name of that thread" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
			 "process that answered it, otherwise the last one "
			 "that received it; NULL, like the next two columns, "
			 "if on another machine" },
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "its thread" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			  "last name of that thread" },
	[COLUMN_ANSWERED] = { "is_answered", SQL_INTEGER, ROLE_NONE, "",
			      "1: an answer was sent" },
	[COLUMN_INFERRED] = { "is_inferred", SQL_INTEGER, ROLE_NONE, "",
			      "1: the client or the server is inferred" },
	[COLUMN_SIDE] = { "side", SQL_TEXT, ROLE_NONE, "",
			  "which side is in this recording: client, server or "
			  "both" },
	[COLUMN_CLIENT_ADDRESS] = { "client_address", SQL_TEXT, ROLE_NONE, "",
				    "address of the client of a TCP "
				    "connection; NULL, like the next three "
				    "columns, if not recorded" },
	[COLUMN_CLIENT_PORT] = { "client_port", SQL_INTEGER, ROLE_NONE, "",
				 "its port" },
	[COLUMN_SERVER_ADDRESS] = { "server_address", SQL_TEXT, ROLE_NONE, "",
				    "the server's address" },
	[COLUMN_SERVER_PORT] = { "server_port", SQL_INTEGER, ROLE_NONE, "",
				 "its port" },
	[COLUMN_POSITION] = { "stream_position", SQL_INTEGER, ROLE_NONE,
			      "bytes",
			      "bytes that the client had sent on the "
			      "connection before the request; NULL if side is "
			      "both or the connection is older than the "
			      "recording" },
	[COLUMN_WALL] = { "wall_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "time until the client had the answer, otherwise "
			  "until the work on the request ended: the sum of the "
			  "next columns, up to unknown_ns" },
	[COLUMN_CLIENT] = { "client_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "the client is on a CPU to send the request or to "
			    "receive the answer" },
	[COLUMN_CLIENT_WAIT] = { "client_wait_ns", SQL_INTEGER, ROLE_NONE, "ns",
				 "the client waits for a CPU in these phases, "
				 "or the answer waits for the client" },
	[COLUMN_REMOTE] = { "remote_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "the request is on another machine, or on the way "
			    "there or back" },
	[COLUMN_QUEUE] = { "queue_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "the request is queued: no thread has it" },
	[COLUMN_RUNNABLE] = { "runnable_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "the server's thread that has the request waits "
			      "for a CPU" },
	[COLUMN_KERNEL] = { "kernel_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "that thread is in system calls, faults and other "
			    "kernel work" },
	[COLUMN_USER] = { "user_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "in user space" },
	[COLUMN_INTERRUPT] = { "interrupt_ns", SQL_INTEGER, ROLE_NONE, "ns",
			       "in interrupt work" },
	[COLUMN_TRACER] = { "tracer_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "in the tracer" },
	[COLUMN_GUEST] = { "guest_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "in a virtual machine, as one of its CPUs" },
	[COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "asleep" },
	[COLUMN_DOWNSTREAM] = { "downstream_ns", SQL_INTEGER, ROLE_NONE, "ns",
				"asleep until messages arrive, mostly from "
				"servers to which it had sent requests" },
	[COLUMN_UNKNOWN] = { "unknown_ns", SQL_INTEGER, ROLE_NONE, "ns",
			     "the recording has no data" },
	[COLUMN_BESIDE_RUNNABLE] = { "beside_runnable_ns", SQL_INTEGER,
				     ROLE_NONE, "ns",
				     "beside_: threads of servers that work "
				     "for the request after the answer, or "
				     "while another thread has it; here "
				     "waiting for a CPU" },
	[COLUMN_BESIDE_KERNEL] = { "beside_kernel_ns", SQL_INTEGER, ROLE_NONE,
				   "ns", "in the kernel" },
	[COLUMN_BESIDE_USER] = { "beside_user_ns", SQL_INTEGER, ROLE_NONE, "ns",
				 "in user space" },
	[COLUMN_BESIDE_INTERRUPT] = { "beside_interrupt_ns", SQL_INTEGER,
				      ROLE_NONE, "ns", "in interrupt work" },
	[COLUMN_BESIDE_TRACER] = { "beside_tracer_ns", SQL_INTEGER, ROLE_NONE,
				   "ns", "in the tracer" },
	[COLUMN_BESIDE_GUEST] = { "beside_guest_ns", SQL_INTEGER, ROLE_NONE,
				  "ns", "in a virtual machine" },
	[COLUMN_BESIDE_ASLEEP] = { "beside_asleep_ns", SQL_INTEGER, ROLE_NONE,
				   "ns", "asleep" },
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
	cells[COLUMN_BEGIN].number = (int64_t)sums->begin_ns;
	cells[COLUMN_WALL].number = (int64_t)sums->wall_ns;
	cells[COLUMN_CLIENT].number = (int64_t)sums->client_ns;
	cells[COLUMN_CLIENT_WAIT].number = (int64_t)sums->client_wait_ns;
	cells[COLUMN_REMOTE].number = (int64_t)sums->remote_ns;
	cells[COLUMN_QUEUE].number = (int64_t)sums->queue_ns;
	fill_parts(&cells[COLUMN_RUNNABLE], sums->way_ns);
	cells[COLUMN_DOWNSTREAM].number = (int64_t)sums->way_ns[PART_IDLE];
	cells[COLUMN_UNKNOWN].number = (int64_t)sums->way_ns[PART_UNKNOWN];
	fill_parts(&cells[COLUMN_BESIDE_RUNNABLE], sums->beside_ns);
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

	cells[COLUMN_SIDE].text = request_row_side(row);
	cells[COLUMN_POSITION].number = (int64_t)row->position;
	if (!row->has_position)
		row_out_null(out, COLUMN_POSITION);
	if (row->has_connection) {
		fill_end(out, COLUMN_CLIENT_ADDRESS,
			 connection_client(&row->connection));
		fill_end(out, COLUMN_SERVER_ADDRESS,
			 connection_server(&row->connection));
	} else {
		null_from(out, COLUMN_CLIENT_ADDRESS, 4);
	}
}

static void fill_who(const struct task_names *names, struct row_out *out,
		     union sql_cell *cells, const struct request_row *row)
{
	cells[COLUMN_ID].number = (int64_t)row->number;
	cells[COLUMN_PARENT].number = (int64_t)row->parent;
	if (!row->parent)
		row_out_null(out, COLUMN_PARENT);
	cells[COLUMN_BY].text = request_row_by(row);
	fill_task(names, out, COLUMN_CLIENT_PID, row->client_pid,
		  row->client_tid);
	fill_task(names, out, COLUMN_PID, row->server_pid, row->server_tid);
	cells[COLUMN_ANSWERED].number = row->is_answered;
	cells[COLUMN_INFERRED].number = row->is_inferred;
}

void request_columns_add(const struct task_names *names, struct row_out *out,
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
	(SQL_COLUMN(COLUMN_PID) | SQL_COLUMN(COLUMN_TID) | \
	 SQL_COLUMN(COLUMN_COMM))

#define CONNECTION \
	(SQL_COLUMN(COLUMN_CLIENT_ADDRESS) | SQL_COLUMN(COLUMN_CLIENT_PORT) | \
	 SQL_COLUMN(COLUMN_SERVER_ADDRESS) | SQL_COLUMN(COLUMN_SERVER_PORT))

static const struct sql_need needs[] = {
	{ .event = EVENT_SCHED_WAKING },
	{ SERVER, "messages of sockets", EVENT_SOCKET_TAKEN, 0 },
	{ CONNECTION, "new connections", EVENT_SOCKET_STATE, 0 },
};

const struct sql_table sql_request_table = {
	.id = TABLE_REQUEST,
	.name = "request",
	.meaning = "All requests (messages that another process worked on), in "
		   "the order of their completion, as in report --requests.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 20,
	.is_kept = true,
	.source = &request_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};
