/* SPDX-License-Identifier: MIT */
#include "attribution/processes/server_bills.h"

#include "common/array.h"
#include "common/number_map.h"

#include <stdlib.h>

struct server_bills {
	struct array bills;	    /* struct server_bill */
	struct number_map *by_pair; /* number of the bill, plus 1 */
	struct number_map *clients; /* pid of a pair's client, plus 1 */
};

struct server_bills *server_bills_new(void)
{
	struct server_bills *bills = calloc(1, sizeof(*bills));

	if (!bills)
		return NULL;
	bills->bills = ARRAY_OF(struct server_bill);
	bills->by_pair = number_map_new();
	bills->clients = number_map_new();
	if (!bills->by_pair || !bills->clients) {
		server_bills_free(bills);
		return NULL;
	}
	return bills;
}

void server_bills_free(struct server_bills *bills)
{
	if (!bills)
		return;
	array_free(&bills->bills);
	number_map_free(bills->by_pair);
	number_map_free(bills->clients);
	free(bills);
}

static uint64_t pair_of(int32_t first, int32_t second)
{
	return (uint64_t)(uint32_t)first << 32 | (uint32_t)second;
}

size_t server_bills_add(struct server_bills *bills, int32_t server,
			int32_t client)
{
	uint64_t *number =
		number_map_add(bills->by_pair, pair_of(server, client));
	struct server_bill *bill;

	if (!number)
		return SERVER_BILL_NONE;
	if (*number)
		return *number - 1;
	bill = array_add(&bills->bills);
	if (!bill)
		return SERVER_BILL_NONE;
	bill->server_pid = server;
	bill->client_pid = client;
	*number = bills->bills.count;
	return *number - 1;
}

bool server_bills_is_client(struct server_bills *bills, int32_t client,
			    int32_t server)
{
	uint64_t pair = client < server ? pair_of(client, server) :
					  pair_of(server, client);
	uint64_t *known = number_map_add(bills->clients, pair);

	if (!known)
		return false;
	if (!*known)
		*known = (uint64_t)client + 1;
	return *known == (uint64_t)client + 1;
}

struct server_bill *server_bills_at(const struct server_bills *bills,
				    size_t number)
{
	return number < bills->bills.count ? array_at(&bills->bills, number) :
					     NULL;
}

bool server_bills_is_server(const struct server_bills *bills, int32_t server)
{
	const struct server_bill *bill;

	for (size_t i = 0; (bill = server_bills_at(bills, i)); i++)
		if (bill->server_pid == server && bill->client_pid >= 0)
			return true;
	return false;
}
