/* SPDX-License-Identifier: MIT */
/* Several reports in one command decode the recording once. */
#include "cmd/command.h"
#include "cmd/pipeline/pipeline.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <getopt.h>

static int passes;

/* The linker replaces run_pipeline() by __wrap_run_pipeline(), which calls the
 * original as __real_run_pipeline(): see the Makefile.
 */
int __wrap_run_pipeline(const struct session *session,
			struct step_callback *callback,
			struct task_stacks **stacks);
int __real_run_pipeline(const struct session *session,
			struct step_callback *callback,
			struct task_stacks **stacks);

int __wrap_run_pipeline(const struct session *session,
			struct step_callback *callback,
			struct task_stacks **stacks)
{
	passes++;
	return __real_run_pipeline(session, callback, stacks);
}

enum { MOST_REPORTS = 15 };

static const char *const asked[][MOST_REPORTS] = {
	{ "--threads" },
	{ "--syscalls", "--sleeps" },
	{ "--flat", "--callgraph" },
	{ "--flat", "--threads" },
	{ "--processes", "--threads", "--syscalls", "--sleeps", "--runqueue",
	  "--locks", "--block", "--network", "--guests", "--interrupts",
	  "--servers", "--requests", "--flat", "--calltree", "--user-sites" },
};

START_TEST(one_pass_makes_all)
{
	char program[] = "report";
	char input[] = "-i";
	char output[] = "--output=/dev/null";
	char path[4096] = "";
	char *argv[MOST_REPORTS + 5] = { program, input, path, output };
	int argc = 4;

	if (!shared_has_intel_pt() ||
	    !shared_recording("small", path, sizeof(path)))
		return;
	for (int i = 0; i < MOST_REPORTS && asked[_i][i]; i++)
		argv[argc++] = (char *)(uintptr_t)asked[_i][i];
	passes = 0;
	optind = 0;
	ck_assert_int_eq(report_command.run(argc, argv), EXIT_OK);
	ck_assert_int_eq(passes, 1);
	shared_recording_remove(path);
}
END_TEST

SUITE("table_pass")
{
	LIMIT_S(120);
	TEST_EACH(one_pass_makes_all, asked);
}
