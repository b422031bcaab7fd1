/* SPDX-License-Identifier: MIT */
#include "tables/requests/servers.h"
#include "tests/run_suite.h"

START_TEST(each_pair_has_one_bill)
{
	struct server_accounts accounts = SERVER_ACCOUNTS_NONE;

	server_accounts_add(&accounts, 8, 7)->requests = 1;
	server_accounts_add(&accounts, 7, 8)->requests = 2;
	server_accounts_add(&accounts, 8, -1)->requests = 3;
	ck_assert_uint_eq(server_accounts_add(&accounts, 8, 7)->requests, 1);
	ck_assert_int_eq(server_accounts_at(&accounts, 0)->server_pid, 8);
	ck_assert_int_eq(server_accounts_at(&accounts, 0)->client_pid, 7);
	ck_assert_uint_eq(server_accounts_at(&accounts, 2)->requests, 3);
	ck_assert_ptr_null(server_accounts_at(&accounts, 3));
	ck_assert_ptr_nonnull(server_accounts_add(&accounts, 9, -1));
	ck_assert(server_accounts_is_server(&accounts, 8));
	ck_assert(!server_accounts_is_server(&accounts, 9));
	server_accounts_free(&accounts);
}
END_TEST

SUITE("server_accounts")
{
	TEST(each_pair_has_one_bill);
}
