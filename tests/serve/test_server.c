/* SPDX-License-Identifier: MIT */
/* Tests that server_open(), when it fails, closes only descriptors that it has
 * opened itself.
 */
#include "common/error.h"
#include "serve/server.h"
#include "tests/fixtures/log.h"
#include "tests/run_suite.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static char said[LOG_FIXTURE_TEXT];
static const struct log log_said = { log_fixture_keep, said };

/* No descriptor is free, so server_open() fails before it has opened any. All
 * open descriptors, 0 among them, must stay open.
 */
START_TEST(failed_start_closes_nothing_else)
{
	enum { LIMIT = 64 };
	struct server *server = NULL;
	int last = 0;

	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
	ck_assert_int_eq(
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){ LIMIT, LIMIT }), 0);
	for (int fd = last; fd >= 0; fd = dup(STDIN_FILENO))
		last = fd;
	ck_assert_int_eq(server_open(-1, 0, NULL, &log_said, &server),
			 -ERROR_SYSTEM);
	ck_assert_ptr_null(server);
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
	close(last);
}
END_TEST

SUITE("server")
{
	APART();
	TEST(failed_start_closes_nothing_else);
}
