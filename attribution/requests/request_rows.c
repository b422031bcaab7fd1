/* SPDX-License-Identifier: MIT */
#include "attribution/requests/request_rows.h"

#include "report/steps/call_step.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"

int request_row_of(const struct request *request, struct request_row *row)
{
	*row = (struct request_row){
		.number = request->number,
		.parent = request->parent ? request->parent->number : 0,
		.client_pid = request->client->pid,
		.client_tid = request->client->tid,
		.server_pid = request->server->pid,
		.server_tid = request->server->tid,
		.kind = request->kind,
		.medium = request->medium,
		.is_answered = request->is_answered,
		.is_inferred = request->is_inferred || request->is_polled,
	};
	return request_sums_of(request, &row->sums);
}

const char *request_row_by(const struct request_row *row)
{
	return row->kind == MESSAGE_CONNECT ? "connect" :
					      message_medium_name(row->medium);
}

int request_row_compare(const void *a, const void *b)
{
	const struct request_row *x = a;
	const struct request_row *y = b;

	if (x->sums.begin_ns != y->sums.begin_ns)
		return x->sums.begin_ns < y->sums.begin_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void request_row_write_who(struct record_writer *writer,
			   const struct request_row *row,
			   const struct task_names *names)
{
	record_number(writer, "request", row->number);
	if (row->parent)
		record_number(writer, "parent", row->parent);
	else
		record_absent(writer, "parent");
	record_real(writer, "begin_s", (double)row->sums.begin_ns / 1e9, 9);
	record_text(writer, "by", request_row_by(row));
	record_signed(writer, "client_pid", row->client_pid);
	record_signed(writer, "client_tid", row->client_tid);
	record_text(writer, "client", task_names_last(names, row->client_tid));
	record_signed(writer, "server_pid", row->server_pid);
	record_signed(writer, "server_tid", row->server_tid);
	record_text(writer, "server", task_names_last(names, row->server_tid));
	record_number(writer, "answered", row->is_answered);
	record_number(writer, "inferred", row->is_inferred);
}

void request_row_write_way(struct record_writer *writer,
			   const struct request_sums *sums)
{
	record_number(writer, "wall_ns", sums->wall_ns);
	record_number(writer, "client_ns", sums->client_ns);
	record_number(writer, "client_wait_ns", sums->client_wait_ns);
	record_number(writer, "queue_ns", sums->queue_ns);
	record_number(writer, "runnable_ns", sums->way_ns[PART_RUNNABLE]);
	record_number(writer, "kernel_ns", sums->way_ns[PART_KERNEL]);
	record_number(writer, "user_ns", sums->way_ns[PART_USER]);
	record_number(writer, "interrupt_ns", sums->way_ns[PART_INTERRUPT]);
	record_number(writer, "tracer_ns", sums->way_ns[PART_TRACER]);
	record_number(writer, "asleep_ns", sums->way_ns[PART_ASLEEP]);
	record_number(writer, "downstream_ns", sums->way_ns[PART_IDLE]);
	record_number(writer, "unknown_ns", sums->way_ns[PART_UNKNOWN]);
}

void request_row_write(struct record_writer *writer,
		       const struct request_row *row,
		       const struct task_names *names)
{
	const uint64_t *beside = row->sums.beside_ns;

	request_row_write_who(writer, row, names);
	request_row_write_way(writer, &row->sums);
	record_number(writer, "beside_runnable_ns", beside[PART_RUNNABLE]);
	record_number(writer, "beside_kernel_ns", beside[PART_KERNEL]);
	record_number(writer, "beside_user_ns", beside[PART_USER]);
	record_number(writer, "beside_interrupt_ns", beside[PART_INTERRUPT]);
	record_number(writer, "beside_tracer_ns", beside[PART_TRACER]);
	record_number(writer, "beside_asleep_ns", beside[PART_ASLEEP]);
}
