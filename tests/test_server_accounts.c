/* SPDX-License-Identifier: MIT */
#include "attribution/processes/message_kinds.h"
#include "attribution/processes/message_order.h"
#include "attribution/processes/server_accounts.h"
#include "attribution/time/task_paths.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <string.h>

START_TEST(the_first_to_wake_the_other_is_the_client)
{
	struct server_accounts *accounts = server_accounts_new();

	ck_assert(server_accounts_is_client(accounts, 7, 8));
	ck_assert(!server_accounts_is_client(accounts, 8, 7));
	ck_assert(server_accounts_is_client(accounts, 7, 8));
	ck_assert(server_accounts_is_client(accounts, 8, 9));
	ck_assert(!server_accounts_is_client(accounts, 9, 8));
	server_accounts_free(accounts);
}
END_TEST

/* This is what two threads do, one after the other, the first in capitals: w
 * waits for a message, s sleeps, t takes one, m sends one, and W, S, T, M;
 * last, the first wakes the second.
 */
static const struct {
	const char *story;
	bool answers;
} orders[] = {
	{ "M", false },	   /* a client's first request */
	{ "mwWTM", true }, /* it was there before it was read */
	{ "mwsWTM", true },
	{ "mwWSTM", false }, /* the server slept: it was woken */
	{ "mtwWTM", false }, /* the client has its answer already */
	{ "WTM", false },    /* it read another's */
	{ "mw", false },
};

START_TEST(who_answers_is_no_client)
{
	struct message_order both[2] = { { 0 }, { 0 } };

	for (const char *at = orders[_i].story; *at; at++) {
		struct message_order *order = &both[*at >= 'a'];

		if (*at == 'W' || *at == 'w')
			message_order_wait(order);
		else if (*at == 'S' || *at == 's')
			message_order_sleep(order);
		else if (*at == 'T' || *at == 't')
			message_order_take(order);
		else
			message_order_send(order);
	}
	ck_assert(message_order_answers(&both[0], &both[1]) ==
		  orders[_i].answers);
	message_order_wake(&both[1]);
	ck_assert(!message_order_answers(&both[0], &both[1]));
}
END_TEST

START_TEST(each_pair_has_one_bill)
{
	struct server_accounts *accounts = server_accounts_new();
	size_t first = server_accounts_add(accounts, 8, 7);

	ck_assert_uint_ne(server_accounts_add(accounts, 7, 8), first);
	ck_assert_uint_ne(server_accounts_add(accounts, 8, -1), first);
	ck_assert_uint_eq(server_accounts_add(accounts, 8, 7), first);
	ck_assert_int_eq(server_accounts_at(accounts, first)->server_pid, 8);
	ck_assert_int_eq(server_accounts_at(accounts, first)->client_pid, 7);
	ck_assert_ptr_null(server_accounts_at(accounts, 3));
	ck_assert_uint_ne(server_accounts_add(accounts, 9, -1), first);
	ck_assert(server_accounts_is_server(accounts, 8));
	ck_assert(!server_accounts_is_server(accounts, 9));
	server_accounts_free(accounts);
}
END_TEST

/* Paths by letters: d do_syscall_64, w pipe_write, r pipe_read, e ep_poll,
 * t tcp_sendmsg, s __schedule.
 */
static const char *const names[] = { "do_syscall_64", "pipe_write",
				     "pipe_read",     "ep_poll",
				     "tcp_sendmsg",   "__schedule" };

static const struct {
	const char *path;
	enum message_kind kind;
} paths[] = {
	{ "", MESSAGE_NONE },	      { "ds", MESSAGE_NONE },
	{ "dw", MESSAGE_SEND },	      { "drs", MESSAGE_WAIT },
	{ "des", MESSAGE_WAIT_MANY }, { "dts", MESSAGE_SEND_NETWORK },
	{ "wr", MESSAGE_WAIT },
};

START_TEST(the_innermost_function_decides)
{
	struct function_table *functions = function_table_new();
	const char *module = function_table_module(functions, "", 0);
	const char *letters = "dwrets";
	struct path_frame frames[4] = { 0 };
	struct message_kinds *kinds;
	uint32_t numbers[6];
	size_t count = strlen(paths[_i].path);

	for (size_t i = 0; i < 6; i++)
		numbers[i] = function_table_add(functions, names[i],
						strlen(names[i]), module, 'k');
	function_table_add(functions, "pipe_read", 9, module, 'u');
	kinds = message_kinds_new(functions);
	for (size_t i = 0; i < count; i++)
		frames[i].function =
			numbers[strchr(letters, paths[_i].path[i]) - letters];
	ck_assert_int_eq(message_kind_of_path(kinds, frames, count),
			 paths[_i].kind);
	ck_assert_int_eq(message_kind_of(kinds, 7), MESSAGE_NONE);
	message_kinds_free(kinds);
	function_table_free(functions);
}
END_TEST

static Suite *server_accounts_suite(void)
{
	Suite *suite = suite_create("server_accounts");
	TCase *tcase = tcase_create("bills");

	tcase_add_test(tcase, the_first_to_wake_the_other_is_the_client);
	tcase_add_test(tcase, each_pair_has_one_bill);
	tcase_add_loop_test(tcase, who_answers_is_no_client, 0,
			    sizeof(orders) / sizeof(*orders));
	tcase_add_loop_test(tcase, the_innermost_function_decides, 0,
			    sizeof(paths) / sizeof(*paths));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(server_accounts_suite());
}
