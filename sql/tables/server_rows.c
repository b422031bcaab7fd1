/* SPDX-License-Identifier: MIT */
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

#define OF_ACCOUNT(member) MEMBER(struct server_account, member)

static const struct column columns[] = {
	INT_COLUMN("pid", "the server: process that requests were sent to",
		   .role = ROLE_PID, OF_ACCOUNT(server_pid)),
	TEXT_COLUMN("comm", "its last name"),
	INT_COLUMN("client_pid",
		   "process that sent the requests; NULL: work of the "
		   "server without a known client",
		   ID_MEMBER(struct server_account, client_pid)),
	TEXT_COLUMN("client_comm", "that process's last name"),
	INT_COLUMN("requests", "number of requests", OF_ACCOUNT(requests)),
	NS_COLUMN("kernel_ns",
		  "time of the server in system calls, faults and kernel "
		  "work for these requests",
		  OF_ACCOUNT(kernel_ns)),
	NS_COLUMN("user_ns",
		  "time of the server in user space for these requests",
		  OF_ACCOUNT(user_ns)),
	NS_COLUMN("tracer_ns", "time of the tracer meanwhile",
		  OF_ACCOUNT(tracer_ns)),
	NS_COLUMN("runnable_ns",
		  "time that its threads waited for a CPU meanwhile",
		  OF_ACCOUNT(runnable_ns)),
	NS_COLUMN("asleep_ns",
		  "time that its threads slept meanwhile, except for "
		  "messages",
		  OF_ACCOUNT(asleep_ns)),
	NS_COLUMN("inferred_ns",
		  "part of kernel_ns and user_ns with an inferred client",
		  OF_ACCOUNT(inferred_ns)),
	SUM_WINDOW_COLUMNS,
};

static void add(const struct server_rows *rows,
		const struct server_account *account)
{
	const struct task_names *names = rows->recording->names;
	struct row_out *out = rows->out;

	if (!row_out_start(out, account))
		return;
	row_put_text(out, task_names_last(names, account->server_pid));
	row_put_text(out, account->client_pid >= 0 ?
				  task_names_last(names, account->client_pid) :
				  NULL);
	sum_window_put(out, &rows->choice->sums);
	row_out_end(out);
}

static int end(struct row_source *source, const struct row_end *pass)
{
	struct server_rows *rows = (struct server_rows *)source;
	const struct server_accounts *accounts =
		servers_accounts(rows->servers);
	const struct server_account *account;
	int status = servers_end(rows->servers);

	(void)pass;
	if (status)
		return status;
	for (size_t i = 0; (account = server_accounts_at(accounts, i)); i++)
		if (server_accounts_is_server(accounts, account->server_pid))
			add(rows, account);
	return 0;
}

static void close_rows(struct row_source *source)
{
	struct server_rows *rows = (struct server_rows *)source;

	servers_free(rows->servers);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	struct server_rows *rows = (struct server_rows *)source;

	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->out = input->outs[TABLE_SERVER];
	rows->servers = servers_new(input->recording, false);
	return rows->servers;
}

const struct row_source_class server_source = {
	.needs_time = true,
	.size = sizeof(struct server_rows),
	.open = open_rows,
	.end = end,
	.close = close_rows,
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
	COLUMN_LIST(columns),
	.rows_per_mb = 1,
	.source = &server_source,
	SQL_NEEDS(needs),
};
