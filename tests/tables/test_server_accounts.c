/* SPDX-License-Identifier: MIT */
#include "tables/requests/servers.h"
#include "tables/table.h"
#include "tests/fixtures/request_story.h"
#include "tests/fixtures/table_scene.h"
#include "tests/run_suite.h"

static const char kernel[] = "ffffffff81000000 T entry_SYSCALL_64\n"
			     "ffffffff81000100 T __schedule\n"
			     "ffffffff81000200 T pipe_read\n"
			     "ffffffff81000300 T pipe_write\n";

enum { BACKEND = 27 };

/* CLIENT and OTHER send a request each to SERVER, which sends one to the server
 * BACKEND it while it works for CLIENT, but none for OTHER. Each has a CPU.
 */
static void chain(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, BACKEND);
	sleeps(f, 110, 1, SERVER, "pipe_read");
	sleeps(f, 120, 3, BACKEND, "pipe_read");
	writes_to(f, 200, 0, SERVER);
	sleeps(f, 215, 0, CLIENT, "pipe_read");
	rises(f, 220, 1, SERVER);
	writes_to(f, 260, 1, BACKEND);
	sleeps(f, 275, 1, SERVER, "pipe_read");
	rises(f, 280, 3, BACKEND);
	writes_to(f, 350, 3, SERVER);
	sleeps(f, 365, 3, BACKEND, "pipe_read");
	rises(f, 370, 1, SERVER);
	writes_to(f, 400, 1, CLIENT);
	sleeps(f, 415, 1, SERVER, "pipe_read");
	rises(f, 420, 0, CLIENT);
	writes_to(f, 500, 2, SERVER);
	sleeps(f, 515, 2, OTHER, "pipe_read");
	rises(f, 520, 1, SERVER);
	writes_to(f, 540, 1, OTHER);
	sleeps(f, 555, 1, SERVER, "pipe_read");
	rises(f, 560, 2, OTHER);
	at(f, 600);
}

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

static void check(const char *argument, const char *rows)
{
	struct table_scene scene;

	table_scene_begin(&scene, &servers_table, argument, kernel,
			  sizeof(kernel) - 1);
	chain(scene.f);
	table_scene_finish(&scene, rows);
}

START_TEST(a_server_is_charged_for_its_backend)
{
	check(NULL, "8,?,7,?,1,104,0,0,30,0,0\n"
		    "8,?,17,?,1,37,0,0,15,0,0\n"
		    "8,?,-1,,0,12,0,0,0,0,0\n"
		    "27,?,8,?,1,87,0,0,15,0,0\n"
		    "27,?,-1,,0,22,0,0,0,0,0\n");
}
END_TEST

START_TEST(with_through_the_client_is_charged)
{
	check("through", "8,?,7,?,1,104,0,0,30,0,0\n"
			 "8,?,17,?,1,37,0,0,15,0,0\n"
			 "8,?,-1,,0,12,0,0,0,0,0\n"
			 "27,?,7,?,1,87,0,0,15,0,0\n"
			 "27,?,-1,,0,22,0,0,0,0,0\n");
}
END_TEST

SUITE("server_accounts")
{
	TEST(each_pair_has_one_bill);
	TEST(a_server_is_charged_for_its_backend);
	TEST(with_through_the_client_is_charged);
}
