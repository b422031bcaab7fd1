/* SPDX-License-Identifier: MIT */
#include "collector/trigger/trigger_spec.h"
#include "tests/run_suite.h"

#include <signal.h>
#include <string.h>

static const struct {
	const char *text;
	enum trigger_kind kind;
	const char *name;
	const char *path;
	const char *filter;
	uint64_t limit_ns;
} specs[] = {
	{ "read>10ms", TRIGGER_CALL, "read", "", "", 10000000 },
	{ "vfs_fsync_range>1.5s", TRIGGER_CALL, "vfs_fsync_range", "", "",
	  1500000000 },
	{ "schedule.isra.0>7ns", TRIGGER_CALL, "schedule.isra.0", "", "", 7 },
	{ "show@0x12aF>1ms", TRIGGER_CALL, "show@0x12aF", "", "", 1000000 },
	{ "sleep@show@0x12>1ms", TRIGGER_SLEEP, "show@0x12", "", "", 1000000 },
	{ "sleep@futex>100us", TRIGGER_SLEEP, "futex", "", "", 100000 },
	{ "runnable>5ms", TRIGGER_RUNNABLE, "runnable", "", "", 5000000 },
	{ "sched:sched_process_exit", TRIGGER_TRACEPOINT,
	  "sched:sched_process_exit", "", "", 0 },
	{ "sched:sched_switch if prev_prio > 3 && prev_comm ~ \"a:b\"",
	  TRIGGER_TRACEPOINT, "sched:sched_switch", "",
	  "prev_prio > 3 && prev_comm ~ \"a:b\"", 0 },
	{ "uprobe:/usr/bin/a:work", TRIGGER_USER, "work", "/usr/bin/a", "", 0 },
	{ "uprobe:/a:b/c:work>2us", TRIGGER_USER, "work", "/a:b/c", "", 2000 },
	{ "exit!=0", TRIGGER_EXIT, "", "", "", 0 },
	{ "line:a pipe", TRIGGER_LINE, "", "a pipe", "", 0 },
	{ "signal:signal_generate if sig == 9", TRIGGER_TRACEPOINT,
	  "signal:signal_generate", "", "sig == 9", 0 },
};

START_TEST(forms_are_read)
{
	struct trigger_spec spec;

	ck_assert_ptr_null(trigger_spec_parse(specs[_i].text, &spec));
	ck_assert_int_eq(spec.kind, specs[_i].kind);
	ck_assert_str_eq(spec.text, specs[_i].text);
	ck_assert_str_eq(spec.name, specs[_i].name);
	ck_assert_str_eq(spec.path, specs[_i].path);
	ck_assert_str_eq(spec.filter, specs[_i].filter);
	ck_assert_uint_eq(spec.limit_ns, specs[_i].limit_ns);
	ck_assert_uint_eq(spec.signals, 0);
}
END_TEST

#define BIT(number) (UINT64_C(1) << (number))

static const struct {
	const char *text;
	uint64_t signals;
} signals[] = {
	{ "signal:SEGV", BIT(SIGSEGV) },
	{ "signal:SIGSEGV,KILL,USR1",
	  BIT(SIGSEGV) | BIT(SIGKILL) | BIT(SIGUSR1) },
	{ "crash", BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) |
			   BIT(SIGABRT) | BIT(SIGTRAP) | BIT(SIGSYS) },
};

START_TEST(signals_are_read)
{
	struct trigger_spec spec;

	ck_assert_ptr_null(trigger_spec_parse(signals[_i].text, &spec));
	ck_assert_int_eq(spec.kind, TRIGGER_SIGNAL);
	ck_assert_uint_eq(spec.signals, signals[_i].signals);
}
END_TEST

static const char *const bad_specs[] = {
	"",
	"read",
	"read>",
	">10ms",
	"read>10",
	"read>ms",
	"read>-1ms",
	"read>0ms",
	"read>0.5ns",
	"read>0x10ms",
	"read>nanms",
	"read> 1ms",
	"read>1day",
	"read>86400s",
	"read>18446744074s",
	"read>99999999999999999999s",
	"re ad>1ms",
	"show@>1ms",
	"show@0x>1ms",
	"show@12>1ms",
	"show@0xg>1ms",
	"@0x12>1ms",
	"show@0x12@0x12>1ms",
	"show@0x12345678901234567>1ms",
	"sleep@>1ms",
	"sleep@futex",
	"runnable>",
	"crashes",
	"exit!=1",
	"signal:",
	"signal:SEGV,",
	"signal:SEGF",
	"uprobe:",
	"uprobe:/bin/true",
	"uprobe::work",
	"uprobe:/bin/true:",
	"uprobe:/bin/true:work>soon",
	"line:",
	"sched:",
	":sched_switch",
	"sched:sched_switch if ",
	"sched:sched_switch when a",
	"sched:sched/switch",
};

START_TEST(a_refusal_names_the_expected_form)
{
	struct trigger_spec spec;
	const char *wanted = trigger_spec_parse(bad_specs[_i], &spec);

	ck_assert_ptr_nonnull(wanted);
	ck_assert_int_gt(strlen(wanted), 0);
}
END_TEST

static void long_text(char *text, size_t size, const char *begin,
		      const char *end)
{
	memset(text, 'a', size);
	memcpy(text, begin, strlen(begin));
	memcpy(text + size - strlen(end) - 1, end, strlen(end) + 1);
}

/* Longer than any field. */
START_TEST(what_is_too_long_is_refused)
{
	static const char *const ends[][2] = {
		{ "", ">1ms" },		  { "sleep@", ">1ms" },
		{ "uprobe:", ":work" },	  { "uprobe:/a:", ">1ms" },
		{ "line:", "" },	  { "sched:", "" },
		{ "sched:a if ", "==1" }, { "signal:", "" },
	};
	char text[PATH_MAX + 64];
	struct trigger_spec spec;

	long_text(text, sizeof(text), ends[_i][0], ends[_i][1]);
	ck_assert_ptr_nonnull(trigger_spec_parse(text, &spec));
}
END_TEST

SUITE("trigger_spec")
{
	TEST_EACH(forms_are_read, specs);
	TEST_EACH(signals_are_read, signals);
	TEST_EACH(a_refusal_names_the_expected_form, bad_specs);
	TEST_TIMES(what_is_too_long_is_refused, 8);
}
