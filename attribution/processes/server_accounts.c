/* SPDX-License-Identifier: MIT */
#include "attribution/processes/server_accounts.h"

#include "common/array.h"
#include "common/number_map.h"

#include <stdlib.h>

struct server_accounts {
	struct array accounts;	    /* struct server_account */
	struct number_map *by_pair; /* number of the account, plus 1 */
};

struct server_accounts *server_accounts_new(void)
{
	struct server_accounts *accounts = calloc(1, sizeof(*accounts));

	if (!accounts)
		return NULL;
	accounts->accounts = ARRAY_OF(struct server_account);
	accounts->by_pair = number_map_new();
	if (!accounts->by_pair) {
		server_accounts_free(accounts);
		return NULL;
	}
	return accounts;
}

void server_accounts_free(struct server_accounts *accounts)
{
	if (!accounts)
		return;
	array_free(&accounts->accounts);
	number_map_free(accounts->by_pair);
	free(accounts);
}

static uint64_t pair_of(int32_t first, int32_t second)
{
	return (uint64_t)(uint32_t)first << 32 | (uint32_t)second;
}

size_t server_accounts_add(struct server_accounts *accounts, int32_t server,
			   int32_t client)
{
	uint64_t *number =
		number_map_add(accounts->by_pair, pair_of(server, client));
	struct server_account *account;

	if (!number)
		return SERVER_ACCOUNT_NONE;
	if (*number)
		return *number - 1;
	account = array_add(&accounts->accounts);
	if (!account)
		return SERVER_ACCOUNT_NONE;
	account->server_pid = server;
	account->client_pid = client;
	*number = accounts->accounts.count;
	return *number - 1;
}

struct server_account *
server_accounts_at(const struct server_accounts *accounts, size_t number)
{
	return number < accounts->accounts.count ?
		       array_at(&accounts->accounts, number) :
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
