/* SPDX-License-Identifier: MIT */
#include "tables/requests/server_accounts.h"

void server_accounts_free(struct server_accounts *accounts)
{
	keyed_array_free(&accounts->all);
}

struct server_account *server_accounts_add(struct server_accounts *accounts,
					   int32_t server, int32_t client)
{
	const struct server_account like = {
		.server_pid = server,
		.client_pid = client,
	};

	return keyed_array_add(&accounts->all, &like);
}

struct server_account *
server_accounts_at(const struct server_accounts *accounts, size_t number)
{
	return number < accounts->all.items.count ?
		       array_at(&accounts->all.items, number) :
		       NULL;
}

bool server_accounts_is_server(const struct server_accounts *accounts,
			       int32_t server)
{
	const struct server_account *account;

	for (size_t i = 0; (account = server_accounts_at(accounts, i)); i++)
		if (account->server_pid == server && account->client_pid >= 0)
			return true;
	return false;
}
