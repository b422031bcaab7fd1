/* SPDX-License-Identifier: MIT */
#include "tables/requests/request_rows.h"

#include "attribution/requests/request.h"
#include "report/steps/call_step.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"

static int32_t pid_of(const struct task *task)
{
	return task ? task->pid : -1;
}

static int32_t tid_of(const struct task *task)
{
	return task ? task->tid : -1;
}

int request_row_of(const struct request *request, struct request_row *row)
{
	*row = (struct request_row){
		.number = request->number,
		.parent = request->parent ? request->parent->number : 0,
		.client_pid = pid_of(request->client),
		.client_tid = tid_of(request->client),
		.server_pid = pid_of(request->server),
		.server_tid = request->is_swapped ? -1 :
						    tid_of(request->server),
		.side = request->side,
		.kind = request->kind,
		.medium = request->medium,
		.is_answered = request->is_answered,
		.is_inferred = request->is_inferred || request->is_polled,
		.has_connection = request->has_connection,
		.has_position = request->has_position,
		.connection = request->connection,
		.position = request->position,
	};
	return request_sums_of(request, &row->sums);
}

const char *request_row_by(const struct request_row *row)
{
	return row->kind == MESSAGE_CONNECT ? "connect" :
					      message_medium_name(row->medium);
}

const char *request_row_side(const struct request_row *row)
{
	static const char *const names[REQUEST_SIDES] = {
		[SIDE_BOTH] = "both",
		[SIDE_CLIENT] = "client",
		[SIDE_SERVER] = "server",
	};

	return names[row->side];
}

const char *request_row_client(const struct request_row *row,
			       const struct task_names *names,
			       char text[REQUEST_NAME_SIZE])
{
	if (row->side != SIDE_SERVER)
		return task_names_last(names, row->client_tid);
	return endpoint_address(connection_client(&row->connection), text);
}

const char *request_row_server(const struct request_row *row,
			       const struct task_names *names,
			       char text[REQUEST_NAME_SIZE])
{
	if (row->side != SIDE_CLIENT)
		return task_names_last(names, row->server_tid >= 0 ?
						      row->server_tid :
						      row->server_pid);
	return endpoint_text(connection_server(&row->connection), text);
}

int request_row_compare(const void *a, const void *b)
{
	const struct request_row *x = a;
	const struct request_row *y = b;

	if (x->sums.begin_ns != y->sums.begin_ns)
		return x->sums.begin_ns < y->sums.begin_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void write_id(struct record_writer *writer, const char *name, int32_t id)
{
	if (id >= 0)
		record_signed(writer, name, id);
	else
		record_absent(writer, name);
}

void request_row_write_who(struct record_writer *writer,
			   const struct request_row *row,
			   const struct task_names *names)
{
	char client[REQUEST_NAME_SIZE];
	char server[REQUEST_NAME_SIZE];

	record_number(writer, "request", row->number);
	if (row->parent)
		record_number(writer, "parent", row->parent);
	else
		record_absent(writer, "parent");
	record_real(writer, "begin_s", (double)row->sums.begin_ns / 1e9, 9);
	record_text(writer, "by", request_row_by(row));
	write_id(writer, "client_pid", row->client_pid);
	write_id(writer, "client_tid", row->client_tid);
	record_text(writer, "client", request_row_client(row, names, client));
	write_id(writer, "server_pid", row->server_pid);
	write_id(writer, "server_tid", row->server_tid);
	record_text(writer, "server", request_row_server(row, names, server));
	record_number(writer, "answered", row->is_answered);
	record_number(writer, "inferred", row->is_inferred);
}

void request_row_write_way(struct record_writer *writer,
			   const struct request_sums *sums)
{
	record_number(writer, "wall_ns", sums->wall_ns);
	record_number(writer, "client_ns", sums->client_ns);
	record_number(writer, "client_wait_ns", sums->client_wait_ns);
	record_number(writer, "remote_ns", sums->remote_ns);
	record_number(writer, "queue_ns", sums->queue_ns);
	record_number(writer, "runnable_ns", sums->way_ns[PART_RUNNABLE]);
	record_number(writer, "kernel_ns", sums->way_ns[PART_KERNEL]);
	record_number(writer, "user_ns", sums->way_ns[PART_USER]);
	record_number(writer, "interrupt_ns", sums->way_ns[PART_INTERRUPT]);
	record_number(writer, "tracer_ns", sums->way_ns[PART_TRACER]);
	record_number(writer, "guest_ns", sums->way_ns[PART_GUEST]);
	record_number(writer, "asleep_ns", sums->way_ns[PART_ASLEEP]);
	record_number(writer, "downstream_ns", sums->way_ns[PART_IDLE]);
	record_number(writer, "unknown_ns", sums->way_ns[PART_UNKNOWN]);
}

static void write_end(struct record_writer *writer, const char *address_name,
		      const char *port_name, const struct endpoint *endpoint)
{
	char text[ENDPOINT_ADDRESS_SIZE];

	if (!endpoint) {
		record_absent(writer, address_name);
		record_absent(writer, port_name);
		return;
	}
	record_text(writer, address_name, endpoint_address(endpoint, text));
	record_number(writer, port_name, endpoint->port);
}

static void write_connection(struct record_writer *writer,
			     const struct request_row *row)
{
	const struct connection *connection =
		row->has_connection ? &row->connection : NULL;

	record_text(writer, "side", request_row_side(row));
	write_end(writer, "client_address", "client_port",
		  connection ? connection_client(connection) : NULL);
	write_end(writer, "server_address", "server_port",
		  connection ? connection_server(connection) : NULL);
	if (row->has_position)
		record_number(writer, "stream_position", row->position);
	else
		record_absent(writer, "stream_position");
}

void request_row_write(struct record_writer *writer,
		       const struct request_row *row,
		       const struct task_names *names)
{
	const uint64_t *beside = row->sums.beside_ns;

	request_row_write_who(writer, row, names);
	write_connection(writer, row);
	request_row_write_way(writer, &row->sums);
	record_number(writer, "beside_runnable_ns", beside[PART_RUNNABLE]);
	record_number(writer, "beside_kernel_ns", beside[PART_KERNEL]);
	record_number(writer, "beside_user_ns", beside[PART_USER]);
	record_number(writer, "beside_interrupt_ns", beside[PART_INTERRUPT]);
	record_number(writer, "beside_tracer_ns", beside[PART_TRACER]);
	record_number(writer, "beside_guest_ns", beside[PART_GUEST]);
	record_number(writer, "beside_asleep_ns", beside[PART_ASLEEP]);
}
