/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"
#include "tables/calls/call_argument.h"
#include "tests/run_suite.h"

#include <stdlib.h>

#define AT_HERE (uint32_t) - 100

/* As strace writes them. */
/* clang-format off */
static const struct {
	const char *name;
	uint64_t arguments[SYSTEM_CALL_ARGUMENTS];
	int64_t result;
	const char *text;
	bool is_arm;
} cases[] = {
	{ "getpid", { 1, 2, 3, 4, 5, 6 }, 123, "getpid() = 123", false },
	{ "close", { UINT32_MAX, 7 }, -9,
	  "close(-1) = -1 EBADF (Bad file descriptor)", false },
	{ "read", { 3, 0x7f00, 4096 }, -512, "read(3, 0x7f00, 4096) = ? (made again)",
	  false },
	{ "openat", { AT_HERE, 0x7f00, 02000000, 0644 }, 3,
	  "openat(AT_FDCWD, 0x7f00, O_RDONLY|O_CLOEXEC) = 3", false },
	{ "openat", { 5, 0x7f00, 01101, 0644 }, 3,
	  "openat(5, 0x7f00, O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3", false },
	{ "open", { 0x7f00, 0 }, 3, "open(0x7f00, O_RDONLY) = 3", false },
	{ "open", { 0x7f00, 020200002, 0600 }, 3,
	  "open(0x7f00, O_RDWR|O_TMPFILE, 0600) = 3", false },
	{ "open", { 0x7f00, 0200000 }, 3,
	  "open(0x7f00, O_RDONLY|O_DIRECTORY) = 3", false },
	{ "open", { 0x7f00, 0200000 }, 3,
	  "open(0x7f00, O_RDONLY|O_DIRECT) = 3", true },
	{ "creat", { 0x7f00, 0 }, 3, "creat(0x7f00, 000) = 3", false },
	{ "mmap", { 0, 8192, 3, 0x22, UINT32_MAX, 0 }, 0x7f0000,
	  "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, "
	  "-1, 0) = 0x7f0000", false },
	{ "mprotect", { 0x1000, 4096, 0 }, 0,
	  "mprotect(0x1000, 4096, PROT_NONE) = 0", false },
	{ "kill", { 12, 9 }, 0, "kill(12, SIGKILL) = 0", false },
	{ "kill", { 12, 0 }, 0, "kill(12, 0) = 0", false },
	{ "lseek", { 3, (uint64_t)-10, 2 }, 90, "lseek(3, -10, SEEK_END) = 90",
	  false },
	{ "access", { 0x7f00, 6 }, 0, "access(0x7f00, R_OK|W_OK) = 0", false },
	{ "access", { 0x7f00, 0 }, 0, "access(0x7f00, F_OK) = 0", false },
	{ "futex", { 0x7f00, 0x80, 2, 0, 0, 0 }, -110,
	  "futex(0x7f00, FUTEX_WAIT|FUTEX_PRIVATE_FLAG, 2, NULL, NULL, 0) = -1 "
	  "ETIMEDOUT (Connection timed out)", false },
	{ "socket", { 1, 02000001, 0 }, 4,
	  "socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 4", false },
	{ "clone", { 0x01200011, 0, 0, 0x7f10, 0 }, 77,
	  "clone(CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, NULL, NULL, "
	  "0x7f10, NULL) = 77", false },
	{ "fcntl", { 3, 4, 04000 }, 0, "fcntl(3, F_SETFL, 0x800) = 0", false },
	{ "newfstatat", { 3, 0x7f00, 0x7f08, 0x1000 }, 0,
	  "newfstatat(3, 0x7f00, 0x7f08, AT_EMPTY_PATH) = 0", false },
	{ "clock_nanosleep", { 1, 0, 0x7f00, 0 }, 0,
	  "clock_nanosleep(CLOCK_MONOTONIC, 0, 0x7f00, NULL) = 0", false },
	{ "epoll_ctl", { 4, 1, 5, 0x7f00 }, 0,
	  "epoll_ctl(4, EPOLL_CTL_ADD, 5, 0x7f00) = 0", false },
	{ "never_heard_of", { 1, 0, 0x30 }, -38,
	  "never_heard_of(0x1, 0, 0x30, 0, 0, 0) = -1 ENOSYS "
	  "(Function not implemented)", false },
};
/* clang-format on */

static char *write_call(const struct system_call *call, const char *name,
			bool is_arm)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fputs(name, out);
	call_arguments_write(call, name, is_arm, out);
	call_result_write(call, name, out);
	fclose(out);
	return text;
}

START_TEST(calls_are_written_as_strace_does)
{
	struct system_call call = {
		.has_enter = true,
		.has_exit = true,
		.result = cases[_i].result,
	};
	char *text;

	for (int i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		call.arguments[i] = cases[_i].arguments[i];
	text = write_call(&call, cases[_i].name, cases[_i].is_arm);
	ck_assert_str_eq(text, cases[_i].text);
	free(text);
}
END_TEST

START_TEST(what_was_not_recorded_is_not_made_up)
{
	const struct system_call call = { .result = 0 };
	char *text = write_call(&call, "read", false);

	ck_assert_str_eq(text, "read(...) = ?");
	free(text);
}
END_TEST

START_TEST(the_first_and_the_last_name_are_found)
{
	ck_assert_str_eq(call_signature("accept"), "ddpp");
	ck_assert_str_eq(call_signature("writev"), "ldpu");
	ck_assert_ptr_null(call_signature("zzz"));
	ck_assert_ptr_null(call_signature("?"));
}
END_TEST

static Suite *call_argument_suite(void)
{
	Suite *suite = suite_create("call_argument");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, calls_are_written_as_strace_does, 0,
			    sizeof(cases) / sizeof(*cases));
	tcase_add_test(tcase, what_was_not_recorded_is_not_made_up);
	tcase_add_test(tcase, the_first_and_the_last_name_are_found);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(call_argument_suite());
}
