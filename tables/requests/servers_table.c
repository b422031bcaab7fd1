/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/table_records.h"
#include "common/array.h"
#include "common/error.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "tables/requests/servers.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <stdio.h>
#include <string.h>

/* report --servers: servers' time by client. */
struct servers_table {
	struct event_handler handler;
	const struct attribution_input *input;
	struct servers *servers;
	struct array rows; /* const struct server_account * */
};

static void close_table(struct event_handler *handler)
{
	struct servers_table *table = (struct servers_table *)handler;

	servers_free(table->servers);
	array_free(&table->rows);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct servers_table *table = (struct servers_table *)handler;

	table->input = input;
	table->rows = ARRAY_OF(const struct server_account *);
	table->servers = servers_new(input, input->argument);
	return table->servers;
}

static bool check(const struct attribution_input *input, char *message,
		  size_t size)
{
	if (!input->argument || !strcmp(input->argument, "through"))
		return true;
	snprintf(message, size, "cannot be '%s'; use through", input->argument);
	return false;
}

static const char *name_of(const struct column_row *row, int32_t pid)
{
	return pid < 0 ? "" : task_names_last(row->input->names, pid);
}

static const char *server_of(const struct column_row *row)
{
	const struct server_account *account = row->fact;

	return name_of(row, account->server_pid);
}

static const char *client_of(const struct column_row *row)
{
	const struct server_account *account = row->fact;

	return name_of(row, account->client_pid);
}

#define OF(member) MEMBER(struct server_account, member)

static const struct column columns[] = {
	INT_COLUMN("server_pid", "process that answered it", OF(server_pid)),
	TEXT_COLUMN("server", "name of the server", NAMED(server_of)),
	INT_COLUMN("client_pid", "process that sent it", OF(client_pid)),
	TEXT_COLUMN("client", "name of the client", NAMED(client_of)),
	INT_COLUMN("requests", "number of requests", OF(requests)),
	KERNEL_COLUMN(OF(kernel_ns)),
	USER_COLUMN(OF(user_ns)),
	TRACER_COLUMN(OF(tracer_ns)),
	RUNNABLE_COLUMN(OF(runnable_ns)),
	ASLEEP_COLUMN(OF(asleep_ns)),
	NS_COLUMN("inferred_ns", "time that is inferred to be for this client",
		  OF(inferred_ns)),
	END_OF_COLUMNS,
};

static int compare_accounts(const void *a, const void *b)
{
	const struct server_account *x =
		*(const struct server_account *const *)a;
	const struct server_account *y =
		*(const struct server_account *const *)b;

	if (x->server_pid != y->server_pid)
		return x->server_pid < y->server_pid ? -1 : 1;
	if (x->kernel_ns != y->kernel_ns)
		return x->kernel_ns > y->kernel_ns ? -1 : 1;
	return x->client_pid < y->client_pid ? -1 :
					       x->client_pid > y->client_pid;
}

static int pick_rows(struct servers_table *table)
{
	const struct server_accounts *accounts =
		servers_accounts(table->servers);
	const struct server_account *account;

	for (size_t i = 0; (account = server_accounts_at(accounts, i)); i++) {
		const struct task task = {
			.pid = account->server_pid,
			.tid = account->server_pid,
		};

		if (!server_accounts_is_server(accounts, account->server_pid) ||
		    !step_filter_task(table->input->filter, &task))
			continue;
		if (array_append(&table->rows, &account) < 0)
			return -ERROR_MEMORY;
	}
	array_sort(&table->rows, compare_accounts);
	return 0;
}

static const struct table_need needs[] = {
	{ .columns = "all", .event = EVENT_SCHED_WAKING, .is_all = true },
};

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct servers_table *table = (struct servers_table *)handler;
	int status = servers_end(table->servers);

	if (!status)
		status = pick_rows(table);
	return status ? status :
			table_rows_show(output,
					&(struct table_rows){
						.table = &servers_table,
						.state = table,
						.input = table->input,
						.facts = &table->rows,
						.are_pointers = true,
						.count = table->rows.count,
					});
}

const struct attribution_table servers_table = {
	.name = "servers",
	.columns = columns,
	TABLE_NEEDS(needs, "No message woke another process"),
	.argument = "[through]",
	.help = "servers' time by client (through: by a chain's first client)",
	.check = check,
	.size = sizeof(struct servers_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &server_records,
	.owner = OWNER_AT(struct servers_table, servers),
};
