/* SPDX-License-Identifier: MIT */
#include "tables/requests/servers.h"

#include "attribution/requests/hold.h"
#include "attribution/requests/message_kinds.h"
#include "attribution/requests/request.h"
#include "attribution/requests/requests.h"
#include "attribution/trackers.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "tables/requests/request_sums.h"
#include "tables/requests/server_accounts.h"
#include "tables/table.h"

#include <stdlib.h>

struct servers {
	struct request_callback callback;
	const struct attribution_input *input;
	const struct requests *requests;
	struct server_accounts accounts;
	int status;
};

static struct server_account *account_of(struct servers *servers,
					 int32_t server, int32_t client)
{
	struct server_account *account =
		server_accounts_add(&servers->accounts, server, client);

	if (!account)
		servers->status = -ERROR_MEMORY;
	return account;
}

static void charge(struct server_account *account,
		   const uint64_t parts[REQUEST_PARTS], bool is_inferred)
{
	account->kernel_ns += parts[PART_KERNEL];
	account->user_ns += parts[PART_USER];
	account->tracer_ns += parts[PART_TRACER];
	account->runnable_ns += parts[PART_RUNNABLE];
	account->asleep_ns += parts[PART_ASLEEP];
	if (is_inferred)
		account->inferred_ns += parts[PART_KERNEL] + parts[PART_USER];
}

static void take_request(struct request_callback *callback,
			 const struct request *request)
{
	struct servers *servers = (struct servers *)callback;
	struct hold *const *holds = request->holds.items;
	struct server_account *account;
	uint64_t parts[REQUEST_PARTS];

	/* What is done for another machine is for nobody of this one. */
	if (request->side != SIDE_BOTH)
		return;
	for (size_t i = 0; i < request->holds.count; i++) {
		account = account_of(servers, holds[i]->task->pid,
				     request->client->pid);
		if (!account)
			return;
		hold_parts(holds[i], parts);
		charge(account, parts,
		       request->is_inferred || request->is_polled);
	}
	if (request->kind != MESSAGE_SEND ||
	    !time_window_has(servers->input->window, request->begin->time_ns))
		return;
	account =
		account_of(servers, request->server->pid, request->client->pid);
	if (account)
		account->requests++;
}

/* What a server's threads did and no account has was for nobody known. */
static void charge_nobody(struct servers *servers, const struct task *task,
			  const uint64_t *parts)
{
	struct server_account *nobody = account_of(servers, task->pid, -1);

	if (nobody)
		charge(nobody, parts, false);
}

/* What account @number of a client has is no longer nobody's. */
static void give_back(struct servers *servers, size_t number)
{
	const struct server_account *charged =
		server_accounts_at(&servers->accounts, number);
	struct server_account *nobody =
		account_of(servers, charged->server_pid, -1);

	if (!nobody)
		return;
	/* It may be a new one, and the others have moved. */
	charged = server_accounts_at(&servers->accounts, number);
	nobody->kernel_ns -= charged->kernel_ns;
	nobody->user_ns -= charged->user_ns;
	nobody->tracer_ns -= charged->tracer_ns;
	nobody->runnable_ns -= charged->runnable_ns;
	nobody->asleep_ns -= charged->asleep_ns;
}

struct servers *servers_new(const struct attribution_input *input)
{
	struct servers *servers = calloc(1, sizeof(*servers));

	if (!servers)
		return NULL;
	servers->callback.take = take_request;
	servers->input = input;
	servers->accounts = SERVER_ACCOUNTS_NONE;
	servers->requests = trackers_requests(input->trackers, input->window,
					      &servers->callback);
	if (servers->requests)
		return servers;
	servers_free(servers);
	return NULL;
}

void servers_free(struct servers *servers)
{
	if (!servers)
		return;
	server_accounts_free(&servers->accounts);
	free(servers);
}

int servers_end(struct servers *servers)
{
	const struct server_accounts *accounts = &servers->accounts;
	const struct server_account *account;
	const struct task *task;
	const uint64_t *parts;

	for (size_t i = 0; i < requests_thread_count(servers->requests); i++) {
		task = requests_thread(servers->requests, i, &parts);
		if (task && server_accounts_is_server(accounts, task->pid))
			charge_nobody(servers, task, parts);
	}
	for (size_t i = 0; (account = server_accounts_at(accounts, i)); i++)
		if (account->client_pid >= 0)
			give_back(servers, i);
	return servers->status;
}

const struct server_accounts *servers_accounts(const struct servers *servers)
{
	return &servers->accounts;
}
