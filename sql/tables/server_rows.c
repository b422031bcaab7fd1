/* SPDX-License-Identifier: MIT */
#include "attribution/processes/server_bills.h"
#include "attribution/processes/servers.h"
#include "attribution/table.h"
#include "report/text/task_names.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "sql/tables/sum_window.h"

#include <stdlib.h>

/* For which clients servers worked: sums, as in report --servers. */
struct server_rows {
	struct row_source source;
	const struct attribution_input *recording;
	const struct row_choice *choice;
	struct servers *servers;
	struct row_out *out;
};

enum {
	COLUMN_PID,
	COLUMN_COMM,
	COLUMN_CLIENT_PID,
	COLUMN_CLIENT_COMM,
	COLUMN_REQUESTS,
	COLUMN_KERNEL,
	COLUMN_USER,
	COLUMN_TRACER,
	COLUMN_RUNNABLE,
	COLUMN_ASLEEP,
	COLUMN_INFERRED,
	COLUMN_SINCE,
	COLUMN_UNTIL,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
			 "process that was woken by messages: the server" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "", "its last name" },
	[COLUMN_CLIENT_PID] = { "client_pid", SQL_INTEGER, ROLE_NONE, "",
				"process that sent them; NULL: what the "
				"server did for nobody known" },
	[COLUMN_CLIENT_COMM] = { "client_comm", SQL_TEXT, ROLE_NONE, "",
				 "that process's last name" },
	[COLUMN_REQUESTS] = { "requests", SQL_INTEGER, ROLE_NONE, "",
			      "its messages that woke the server" },
	[COLUMN_KERNEL] = { "kernel_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "of the server, in system calls, faults and "
			    "kernel work for these" },
	[COLUMN_USER] = { "user_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "the same in user space" },
	[COLUMN_TRACER] = { "tracer_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "what the tracer took meanwhile" },
	[COLUMN_RUNNABLE] = { "runnable_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "its threads waited for a CPU meanwhile" },
	[COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "they slept for another thing meanwhile" },
	[COLUMN_INFERRED] = { "inferred_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "of kernel_ns and user_ns: for whom it was is "
			      "inferred" },
	SUM_WINDOW_COLUMNS(COLUMN_SINCE, COLUMN_UNTIL),
};

static void fill_times(union sql_cell *cells, const struct server_bill *bill)
{
	cells[COLUMN_KERNEL].number = (int64_t)bill->kernel_ns;
	cells[COLUMN_USER].number = (int64_t)bill->user_ns;
	cells[COLUMN_TRACER].number = (int64_t)bill->tracer_ns;
	cells[COLUMN_RUNNABLE].number = (int64_t)bill->runnable_ns;
	cells[COLUMN_ASLEEP].number = (int64_t)bill->asleep_ns;
	cells[COLUMN_INFERRED].number = (int64_t)bill->inferred_ns;
}

static void add(const struct server_rows *rows, const struct server_bill *bill)
{
	const struct task_names *names = rows->recording->names;
	const struct time_window *sums = &rows->choice->sums;
	union sql_cell *cells = row_out_begin(rows->out);
	bool has_client = bill->client_pid >= 0;

	if (!cells)
		return;
	cells[COLUMN_PID].number = bill->server_pid;
	cells[COLUMN_COMM].text = task_names_last(names, bill->server_pid);
	cells[COLUMN_CLIENT_PID].number = bill->client_pid;
	if (!has_client)
		row_out_null(rows->out, COLUMN_CLIENT_PID);
	cells[COLUMN_CLIENT_COMM].text =
		has_client ? task_names_last(names, bill->client_pid) : NULL;
	cells[COLUMN_REQUESTS].number = (int64_t)bill->requests;
	fill_times(cells, bill);
	cells[COLUMN_SINCE].number = sum_window_bound(sums->since_ns);
	cells[COLUMN_UNTIL].number = sum_window_bound(sums->until_ns);
	row_out_end(rows->out);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct server_rows *rows = (struct server_rows *)source;
	const struct server_bills *bills = servers_bills(rows->servers);
	const struct server_bill *bill;
	int status = servers_end(rows->servers);

	(void)stacks;
	(void)is_early;
	if (status)
		return status;
	for (size_t i = 0; (bill = server_bills_at(bills, i)); i++)
		if (server_bills_is_server(bills, bill->server_pid))
			add(rows, bill);
	return row_out_flush(rows->out);
}

static void close_rows(struct row_source *source)
{
	struct server_rows *rows = (struct server_rows *)source;

	servers_free(rows->servers);
	free(rows);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct server_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.end = end,
		.close = close_rows,
	};
	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->out = input->outs[TABLE_SERVER];
	rows->servers = servers_new(input->recording);
	if (!rows->servers) {
		close_rows(&rows->source);
		return NULL;
	}
	rows->source.forwarder =
		event_forwarder_to(servers_handler(rows->servers));
	return &rows->source;
}

const struct row_source_class server_source = {
	.needs_time = true,
	.open = open_rows,
};

const struct sql_table sql_server_table = {
	.name = "server",
	.meaning = "For which clients' requests servers worked: report "
		   "--servers; empty if wake-ups were not recorded.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 1,
	.source = &server_source,
};
