/* SPDX-License-Identifier: MIT */
#include "common/files/cache_file.h"
#include "decoder/flow/flow.h"
#include "report/text/task_names.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/requests/servers.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stdlib.h>

/* The sums of servers' work by client, as in report --servers. */
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
			 "the server: process that requests were sent to" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "", "its last name" },
	[COLUMN_CLIENT_PID] = { "client_pid", SQL_INTEGER, ROLE_NONE, "",
				"process that sent the requests; NULL: work of "
				"the server without a known client" },
	[COLUMN_CLIENT_COMM] = { "client_comm", SQL_TEXT, ROLE_NONE, "",
				 "that process's last name" },
	[COLUMN_REQUESTS] = { "requests", SQL_INTEGER, ROLE_NONE, "",
			      "number of requests" },
	[COLUMN_KERNEL] = { "kernel_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "time of the server in system calls, faults and "
			    "kernel work for these requests" },
	[COLUMN_USER] = { "user_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "time of the server in user space for these "
			  "requests" },
	[COLUMN_TRACER] = { "tracer_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "time of the tracer meanwhile" },
	[COLUMN_RUNNABLE] = { "runnable_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "time that its threads waited for a CPU "
			      "meanwhile" },
	[COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "time that its threads slept meanwhile, except for "
			    "messages" },
	[COLUMN_INFERRED] = { "inferred_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "part of kernel_ns and user_ns with an inferred "
			      "client" },
	SUM_WINDOW_COLUMNS(COLUMN_SINCE, COLUMN_UNTIL),
};

static void fill_times(union sql_cell *cells,
		       const struct server_account *account)
{
	cells[COLUMN_KERNEL].number = (int64_t)account->kernel_ns;
	cells[COLUMN_USER].number = (int64_t)account->user_ns;
	cells[COLUMN_TRACER].number = (int64_t)account->tracer_ns;
	cells[COLUMN_RUNNABLE].number = (int64_t)account->runnable_ns;
	cells[COLUMN_ASLEEP].number = (int64_t)account->asleep_ns;
	cells[COLUMN_INFERRED].number = (int64_t)account->inferred_ns;
}

static void add(const struct server_rows *rows,
		const struct server_account *account)
{
	const struct task_names *names = rows->recording->names;
	const struct time_window *sums = &rows->choice->sums;
	union sql_cell *cells = row_out_begin(rows->out);
	bool has_client = account->client_pid >= 0;

	if (!cells)
		return;
	cells[COLUMN_PID].number = account->server_pid;
	cells[COLUMN_COMM].text = task_names_last(names, account->server_pid);
	cells[COLUMN_CLIENT_PID].number = account->client_pid;
	if (!has_client)
		row_out_null(rows->out, COLUMN_CLIENT_PID);
	cells[COLUMN_CLIENT_COMM].text =
		has_client ? task_names_last(names, account->client_pid) : NULL;
	cells[COLUMN_REQUESTS].number = (int64_t)account->requests;
	fill_times(cells, account);
	cells[COLUMN_SINCE].number = sum_window_bound(sums->since_ns);
	cells[COLUMN_UNTIL].number = sum_window_bound(sums->until_ns);
	row_out_end(rows->out);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct server_rows *rows = (struct server_rows *)source;
	const struct server_accounts *accounts =
		servers_accounts(rows->servers);
	const struct server_account *account;
	int status = servers_end(rows->servers);

	(void)stacks;
	(void)is_early;
	if (status)
		return status;
	for (size_t i = 0; (account = server_accounts_at(accounts, i)); i++)
		if (server_accounts_is_server(accounts, account->server_pid))
			add(rows, account);
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
	return &rows->source;
}

const struct row_source_class server_source = {
	.needs_time = true,
	.open = open_rows,
};

static const struct sql_need needs[] = {
	{ .event = EVENT_SCHED_WAKING },
};

const struct sql_table sql_server_table = {
	.id = TABLE_SERVER,
	.name = "server",
	.meaning =
		"The time of servers by client, as in report --servers; empty "
		"if wake-ups were not recorded.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 1,
	.source = &server_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};
