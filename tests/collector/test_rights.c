/* SPDX-License-Identifier: MIT */
#include "collector/events/rights.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>

#define CAP(number) (UINT64_C(1) << (number))

/* A refusal, and the words of the advice: the missing right, the command. */
static const struct {
	struct rights_facts facts;
	enum right right;
	int cause;
	const char *missing, *command;
} refusals[] = {
	{ { .paranoid = 2 },
	  RIGHT_EVENTS,
	  EACCES,
	  "CAP_PERFMON is missing (kernel.perf_event_paranoid is 2)",
	  "setcap cap_perfmon," },
	{ { .paranoid = 3 },
	  RIGHT_EVENTS,
	  EACCES,
	  "CAP_PERFMON is missing (kernel.perf_event_paranoid is 3)",
	  "sysctl kernel.perf_event_paranoid=2; setcap cap_perfmon," },
	{ { .paranoid = 3, .capabilities = CAP(38) },
	  RIGHT_EVENTS,
	  EACCES,
	  "kernel.perf_event_paranoid is 3",
	  "sysctl kernel.perf_event_paranoid=2" },
	{ { .paranoid = 2, .in_container = true },
	  RIGHT_EVENTS,
	  EACCES,
	  "CAP_PERFMON is missing",
	  "--cap-add=PERFMON," },
	{ { .capabilities = CAP(CAP_SYS_RAWIO), .in_container = true },
	  RIGHT_CODE,
	  EACCES,
	  "CAP_DAC_READ_SEARCH is missing",
	  "--cap-add=PERFMON," },
	{ { .capabilities = CAP(38), .in_container = true },
	  RIGHT_EVENTS,
	  EPERM,
	  "seccomp",
	  "seccomp=unconfined" },
	{ { .capabilities = CAP(CAP_SYS_ADMIN) },
	  RIGHT_EVENTS,
	  EPERM,
	  "seccomp",
	  "outside" },
	{ { .mlock_kb = 516, .buffer_kb = 8192 },
	  RIGHT_BUFFERS,
	  EPERM,
	  "perf_event_mlock_kb (516 for each CPU), and CAP_IPC_LOCK",
	  "sysctl kernel.perf_event_mlock_kb=16384" },
	{ { .capabilities = CAP(CAP_SYS_RAWIO) },
	  RIGHT_CODE,
	  EACCES,
	  "CAP_DAC_READ_SEARCH is missing",
	  "cap_dac_read_search" },
	{ { .capabilities = CAP(CAP_DAC_READ_SEARCH) },
	  RIGHT_CODE,
	  EPERM,
	  "CAP_SYS_RAWIO is missing",
	  "cap_sys_rawio" },
	{ { .is_locked_down = true },
	  RIGHT_CODE,
	  EPERM,
	  "locked down",
	  "lockdown=integrity" },
	{ { .kcore_is_hidden = true },
	  RIGHT_CODE,
	  EACCES,
	  "hides /proc/kcore",
	  "systempaths=unconfined" },
	{ { .kptr_restrict = 2, .capabilities = UINT64_MAX },
	  RIGHT_SYMBOLS,
	  0,
	  "kernel.kptr_restrict is 2",
	  "sysctl kernel.kptr_restrict=1" },
	{ { .kptr_restrict = 1 },
	  RIGHT_SYMBOLS,
	  0,
	  "CAP_SYSLOG is missing",
	  "cap_syslog" },
	{ { .in_user_namespace = true, .capabilities = UINT64_MAX },
	  RIGHT_EVENTS,
	  EACCES,
	  "user namespace",
	  "--userns=host" },
};

START_TEST(refusal_names_the_missing_right_and_its_remedy)
{
	struct rights_advice advice;

	rights_explain(&refusals[_i].facts, refusals[_i].right,
		       refusals[_i].cause, &advice);
	ck_assert_msg(strstr(advice.missing, refusals[_i].missing), "%s",
		      advice.missing);
	ck_assert_msg(strstr(advice.command, refusals[_i].command), "%s",
		      advice.command);
	ck_assert_uint_lt(strlen(advice.missing), sizeof(advice.missing) - 1);
	ck_assert_uint_lt(strlen(advice.command), sizeof(advice.command) - 1);
}
END_TEST

/* perf_mmap() in kernel/events/core.c. */
static const struct {
	struct rights_facts facts;
	bool are_allowed;
} buffers[] = {
	{ { .paranoid = 2, .mlock_kb = 516 }, false },
	{ { .paranoid = -1, .mlock_kb = 516 }, true },
	{ { .paranoid = 2, .capabilities = CAP(CAP_IPC_LOCK) }, true },
	{ { .paranoid = 2, .mlock_kb = 16384 }, true },
	{ { .paranoid = 2, .mlock_kb = 16383 }, false },
	{ { .paranoid = 2, .mlock_kb = 16383, .limit_kb = 4 }, true },
	{ { .paranoid = 2, .limit_kb = UINT64_MAX >> 10 }, true },
};

START_TEST(buffers_are_within_the_limits)
{
	struct rights_facts facts = buffers[_i].facts;

	facts.buffer_kb = 8192;
	facts.cpus = 4;
	ck_assert_int_eq(rights_allow_buffers(&facts), buffers[_i].are_allowed);
}
END_TEST

SUITE("rights")
{
	TEST_EACH(refusal_names_the_missing_right_and_its_remedy, refusals);
	TEST_EACH(buffers_are_within_the_limits, buffers);
}
