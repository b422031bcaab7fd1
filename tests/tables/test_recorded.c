/* SPDX-License-Identifier: MIT */
/* Why a table's data is missing: not recorded, recorded but empty, or excluded
 * by options. Many kinds of recordings, for the needs of all tables.
 */
#include "tables/text/recorded.h"

#include "attribution/attribution_input.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define BIT(event) (UINT64_C(1) << (event))
#define SWITCHES BIT(EVENT_SCHED_SWITCH)
#define SCHED (SWITCHES | BIT(EVENT_SCHED_WAKING) | BIT(EVENT_SCHED_WAKEUP_NEW))
#define OLD_OBJECTS \
	(BIT(EVENT_IRQ_ENTRY) | BIT(EVENT_SOFTIRQ_RAISE) | \
	 BIT(EVENT_WORK_QUEUE) | BIT(EVENT_WORK_BEGIN) | \
	 BIT(EVENT_HRTIMER_EXPIRE) | BIT(EVENT_BIO_QUEUE) | \
	 BIT(EVENT_NET_RECEIVE))
#define ATTRIBUTION (SCHED | OLD_OBJECTS | BIT(EVENT_SOCKET_TAKEN))
#define SYSCALLS (BIT(EVENT_SYS_ENTER) | BIT(EVENT_SYS_EXIT))
#define LOCKS \
	(SCHED | BIT(EVENT_LOCK_BEGIN) | BIT(EVENT_FILE_FLOCK) | \
	 BIT(EVENT_FILE_POSIX))

enum kind {
	NONE, /* record --events=none, and so on */
	DEFAULT,
	WITH_USER, /* record --user */
	WITH_ATTRIBUTION,
	WITH_SYSCALLS,
	WITH_LOCKS,
	OLD_KERNEL,	/* 5.10, --events=attribution,locks */
	ON_ARM,		/* --events=attribution,faults */
	BUILT_WITHOUT,	/* 6.12 without sock:, --events=attribution */
	USER_ONLY,	/* perf record -e intel_pt//u */
	PERF,		/* perf record -e intel_pt// -a */
	GRAPH,		/* record --source=function_graph */
	TRACE_CMD,	/* trace-cmd record -p function_graph -e sched */
	TRACE_CMD_BARE, /* trace-cmd record -e sched */
	KINDS,
};

#define OURS \
	.recorder = RECORDER_OURS, .has_functions = true, .has_kernel = true
#define ON_X86 .arch = RECORDING_ARCH_X86_64, .linux_version = 0x060c

static const struct recorded kinds[KINDS] = {
	[NONE] = { OURS, ON_X86, .events = SWITCHES },
	[DEFAULT] = { OURS, ON_X86, .events = SCHED },
	[WITH_USER] = { OURS, ON_X86, .has_user = true, .events = SCHED },
	[WITH_ATTRIBUTION] = { OURS, ON_X86, .events = ATTRIBUTION },
	[WITH_SYSCALLS] = { OURS, ON_X86, .events = SWITCHES | SYSCALLS },
	[WITH_LOCKS] = { OURS, ON_X86, .events = LOCKS },
	[OLD_KERNEL] = { OURS, .arch = RECORDING_ARCH_X86_64,
			 .linux_version = 0x050a,
			 .events = SCHED | OLD_OBJECTS |
				   BIT(EVENT_FILE_FLOCK) },
	[ON_ARM] = { OURS, .arch = RECORDING_ARCH_ARM64,
		     .linux_version = 0x060c, .events = ATTRIBUTION },
	[BUILT_WITHOUT] = { OURS, ON_X86, .events = SCHED | OLD_OBJECTS },
	[USER_ONLY] = { .recorder = RECORDER_PERF,
			ON_X86,
			.has_user = true,
			.has_functions = true,
			.events = SWITCHES },
	[PERF] = { .recorder = RECORDER_PERF,
		   ON_X86,
		   .has_functions = true,
		   .has_kernel = true,
		   .events = SWITCHES },
	[GRAPH] = { OURS, ON_X86, .events = SCHED },
	[TRACE_CMD] = { .recorder = RECORDER_TRACE_CMD,
			ON_X86,
			.has_functions = true,
			.has_kernel = true,
			.events = SWITCHES },
	[TRACE_CMD_BARE] = { .recorder = RECORDER_TRACE_CMD,
			     ON_X86,
			     .events = SWITCHES },
};

static const struct table_need kernel = { .columns = "calls",
					  .event = RECORDED_KERNEL };
static const struct table_need switches = { .columns = "sleeps",
					    .event = EVENT_SCHED_SWITCH };
static const struct table_need wakeups = { .columns = "wakers",
					   .event = EVENT_SCHED_WAKING };
static const struct table_need timers = { .columns = "timers",
					  .event = EVENT_HRTIMER_EXPIRE };
static const struct table_need results = { .columns = "errors",
					   .event = EVENT_SYS_EXIT };
static const struct table_need locks = { .columns = "locks",
					 .event = EVENT_LOCK_BEGIN };
static const struct table_need files = { .columns = "files",
					 .event = EVENT_FILE_FLOCK,
					 .or_event = EVENT_FILE_POSIX };
static const struct table_need faults = { .columns = "faults",
					  .event = EVENT_PAGE_FAULT_USER };
static const struct table_need sockets = { .columns = "messages",
					   .event = EVENT_SOCKET_TAKEN };
static const struct table_need stacks = { .columns = "user_stack",
					  .event = RECORDED_USER_STACKS };
static const struct table_need functions = { .columns = "functions",
					     .event = RECORDED_FUNCTIONS };
static const struct table_need hits = { .columns = "hits",
					.event = RECORDED_TRIGGERS };

#define NO(columns, event) \
	"Not recorded: " columns ": the recording has no " event

/* "" means that nothing is missing. */
static const struct {
	enum kind kind;
	const struct table_need *need;
	const char *text;
} cases[] = {
	{ NONE, &kernel, "" },
	{ NONE, &switches, "" },
	{ NONE, &wakeups,
	  NO("wakers", "sched:sched_waking (record --events=sched).") },
	{ NONE, &locks,
	  NO("locks", "lock:contention_begin (record --events=locks).") },
	{ DEFAULT, &wakeups, "" },
	{ DEFAULT, &timers,
	  NO("timers", "timer:hrtimer_expire_entry (record "
		       "--events=attribution).") },
	{ DEFAULT, &results,
	  NO("errors", "raw_syscalls:sys_exit (record "
		       "--events=sched,syscalls).") },
	{ DEFAULT, &stacks,
	  NO("user_stack",
	     "user stacks at system calls (record --user-stacks).") },
	/* The functions of the program are in the trace itself. */
	{ WITH_USER, &stacks, "" },
	{ WITH_USER, &functions, "" },
	{ USER_ONLY, &functions, "" },
	{ DEFAULT, &hits, NO("hits", "triggers (record --trigger=SPEC).") },
	{ WITH_ATTRIBUTION, &timers, "" },
	{ WITH_ATTRIBUTION, &sockets, "" },
	/* The advice keeps the events that there are. */
	{ WITH_ATTRIBUTION, &locks,
	  NO("locks", "lock:contention_begin (record "
		      "--events=attribution,locks).") },
	{ WITH_ATTRIBUTION, &results,
	  NO("errors", "raw_syscalls:sys_exit (record "
		       "--events=attribution,syscalls).") },
	{ WITH_ATTRIBUTION, &stacks,
	  NO("user_stack", "user stacks at system calls (record "
			   "--events=attribution --user-stacks).") },
	{ PERF, &stacks,
	  NO("user_stack",
	     "user stacks at system calls (ktrace-hw record --user-stacks).") },
	{ WITH_SYSCALLS, &results, "" },
	{ WITH_SYSCALLS, &wakeups,
	  NO("wakers", "sched:sched_waking (record "
		       "--events=sched,syscalls).") },
	{ WITH_SYSCALLS, &faults,
	  NO("faults", "exceptions:page_fault_user (record "
		       "--events=syscalls,faults).") },
	{ WITH_LOCKS, &locks, "" },
	{ WITH_LOCKS, &files, "" },
	{ WITH_LOCKS, &timers,
	  NO("timers", "timer:hrtimer_expire_entry (record "
		       "--events=attribution,locks).") },
	/* No command helps. */
	{ OLD_KERNEL, &locks,
	  "Not recorded: locks: Linux 5.10 has no lock:contention_begin, which "
	  "came with 5.19." },
	{ OLD_KERNEL, &files, "" },
	{ OLD_KERNEL, &sockets,
	  "Not recorded: messages: Linux 5.10 has no sock:sock_recv_length, "
	  "which came with 6.3." },
	{ ON_ARM, &faults,
	  "Not recorded: faults: Arm's kernels have no "
	  "exceptions:page_fault_user." },
	{ BUILT_WITHOUT, &sockets,
	  "Not recorded: messages: the traced kernel has no "
	  "sock:sock_recv_length." },
	{ USER_ONLY, &kernel,
	  "Not recorded: calls: the kernel was not traced (perf record -e "
	  "intel_pt//k, or ktrace-hw record)." },
	{ USER_ONLY, &wakeups,
	  NO("wakers", "sched:sched_waking (perf record -e "
		       "sched:sched_waking, or ktrace-hw record "
		       "--events=sched).") },
	{ PERF, &kernel, "" },
	{ PERF, &locks,
	  NO("locks", "lock:contention_begin (perf record -e "
		      "lock:contention_begin, or ktrace-hw record "
		      "--events=locks).") },
	{ GRAPH, &kernel, "" },
	{ GRAPH, &timers,
	  NO("timers", "timer:hrtimer_expire_entry (record "
		       "--events=attribution).") },
	{ TRACE_CMD, &kernel, "" },
	{ TRACE_CMD, &switches, "" },
	{ TRACE_CMD, &wakeups,
	  "Not recorded: wakers: only functions and switches of a "
	  "trace.dat are read (ktrace-hw record --events=sched)." },
	{ TRACE_CMD_BARE, &kernel,
	  NO("calls", "functions (trace-cmd record -p function_graph).") },
	{ TRACE_CMD_BARE, &switches, "" },
	{ TRACE_CMD_BARE, &functions,
	  NO("functions", "functions (trace-cmd record -p function_graph).") },
};

START_TEST(missing_data_has_a_reason_and_a_remedy)
{
	const struct recorded *recorded = &kinds[cases[_i].kind];
	const struct table_need *need = cases[_i].need;
	char *text;

	ck_assert_int_eq(recorded_has(recorded, need), !*cases[_i].text);
	if (!*cases[_i].text)
		return;
	text = recorded_missing_text(recorded, need);
	ck_assert_str_eq(text, cases[_i].text);
	free(text);
}
END_TEST

/* Every `record --events=LIST` that is advised makes a recording that lacks
 * nothing the user requested: a second advice is never needed.
 */
START_TEST(recorded_data_has_no_advice)
{
	const struct table_need *const needs[] = { &switches, &wakeups, &timers,
						   &results,  &locks,	&files,
						   &faults,   &sockets };

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		char *text = recorded_missing_text(&kinds[_i], needs[i]);
		bool has_set = kinds[_i].events & OLD_OBJECTS;

		if (kinds[_i].recorder == RECORDER_OURS && has_set &&
		    !recorded_has(&kinds[_i], needs[i]))
			ck_assert_msg(!strstr(text, "--events=attribution)"),
				      "%s", text);
		free(text);
	}
}
END_TEST

#define SYSCALLS_AND_STACKS \
	"raw_syscalls:sys_enter, user stacks at system calls"

/* Several needs at once: a line for each command. */
static const struct {
	enum kind kind;
	const char *text;
} lists[] = {
	{ DEFAULT, NO("fd, user_stack, timers",
		      "raw_syscalls:sys_enter, timer:hrtimer_expire_entry, "
		      "user stacks at system calls (record "
		      "--events=attribution,syscalls --user-stacks).\n") },
	{ WITH_ATTRIBUTION,
	  NO("fd, user_stack", SYSCALLS_AND_STACKS
	     " (record --events=attribution,syscalls --user-stacks).\n") },
	{ PERF, NO("fd, user_stack, timers",
		   "raw_syscalls:sys_enter, timer:hrtimer_expire_entry, user "
		   "stacks at system calls (perf record -e "
		   "raw_syscalls:sys_enter,timer:hrtimer_expire_entry, or "
		   "ktrace-hw record --events=attribution,syscalls "
		   "--user-stacks).\n") },
	{ BUILT_WITHOUT,
	  "Not recorded: sockets: the traced kernel has no "
	  "sock:sock_recv_length.\n" NO("fd, user_stack", SYSCALLS_AND_STACKS
					" (record "
					"--events=attribution,syscalls "
					"--user-stacks).\n") },
	{ TRACE_CMD_BARE,
	  NO("calls",
	     "functions (trace-cmd record -p function_graph).\n") "Not recorded: fd, user_stack, timers: only functions and switches of a "
								  "trace.dat are read (ktrace-hw record "
								  "--events=attribution,syscalls --user-stacks).\n" },
};

START_TEST(data_that_one_command_records_is_one_line)
{
	static const struct table_need all[] = {
		{ .columns = "calls", .event = RECORDED_KERNEL },
		{ .columns = "fd", .event = EVENT_SYS_ENTER },
		{ .columns = "fd", .event = EVENT_SYS_ENTER },
		{ .columns = "user_stack", .event = RECORDED_USER_STACKS },
		{ .columns = "timers", .event = EVENT_HRTIMER_EXPIRE },
		{ .columns = "sockets", .event = EVENT_SOCKET_TAKEN },
	};
	const struct recorded *recorded = &kinds[lists[_i].kind];
	struct table_need missing[6];
	size_t count = 0;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < 5 + (lists[_i].kind == BUILT_WITHOUT); i++)
		if (!recorded_has(recorded, &all[i]))
			missing[count++] = all[i];
	recorded_missing_all(recorded, missing, count, out);
	fclose(out);
	ck_assert_str_eq(text, lists[_i].text);
	free(text);
}
END_TEST

static char *none_of(const struct attribution_input *input)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	recorded_none(input, "No lock was waited for", out);
	fclose(out);
	return text;
}

START_TEST(none_is_another_sentence_than_left_out)
{
#define CHOSEN \
	"No lock was waited for by the tasks, on the CPUs and in the time " \
	"that your options choose.\n"
	const int32_t pid = 7;
	const uint32_t cpu = 0;
	const struct step_filter all = { 0 };
	const struct step_filter task = { .pids = &pid, .pid_count = 1 };
	const struct step_filter cpus = { .cpus = &cpu, .cpu_count = 1 };
	const struct {
		struct attribution_input input;
		const char *text;
	} choices[] = {
		{ { .filter = &all, .window = TIME_WINDOW_ALL },
		  "No lock was waited for.\n" },
		{ { .window = TIME_WINDOW_ALL }, "No lock was waited for.\n" },
		{ { .filter = &task, .window = TIME_WINDOW_ALL }, CHOSEN },
		{ { .filter = &cpus, .window = TIME_WINDOW_ALL }, CHOSEN },
		{ { .filter = &all, .window = { 0, 500 } }, CHOSEN },
		{ { .filter = &all, .window = { 5, UINT64_MAX } }, CHOSEN },
	};

	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
		char *text = none_of(&choices[i].input);

		ck_assert_str_eq(text, choices[i].text);
		free(text);
	}
}
END_TEST

/* An incomplete recording may have lost the missing ones. */
START_TEST(none_after_losses_is_none_of_what_is_left)
{
#define INCOMPLETE \
	"Incomplete: 12 records of events were lost, so rows may be missing.\n"
	const uint64_t lost[2] = { 2, 12 };
	struct attribution_input input = { .window = TIME_WINDOW_ALL };
	struct recording_fixture fixture;
	struct recording *recording = NULL;
	struct known_events *events;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	recording_fixture_begin(&fixture);
	recording_fixture_record(&fixture, PERF_RECORD_LOST, 0, lost,
				 sizeof(lost),
				 &(struct fixture_origin){ .time_ns = 100 });
	recording = recording_fixture_open(&fixture);
	events = known_events_new(recording);
	input.recording = recording;
	input.events = events;
	recorded_table(&input, NULL, 0, 0, "No lock was waited for", out);
	recorded_table(&input, NULL, 0, 3, "No lock was waited for", out);
	fclose(out);
	ck_assert_str_eq(text,
			 "No lock was waited for, in the records that were not "
			 "lost.\n" INCOMPLETE INCOMPLETE);
	free(text);
	known_events_free(events);
	recording_close(recording);
	recording_fixture_end(&fixture);
}
END_TEST

/* "None" is not reported where the recording could not have any. */
START_TEST(without_all_that_rows_need_there_is_one_sentence)
{
	const struct table_need needs[] = {
		{ .columns = "all",
		  .event = EVENT_SCHED_WAKING,
		  .is_all = true },
		{ .columns = "errors", .event = EVENT_SYS_EXIT },
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert(!recorded_explain(&kinds[NONE], needs, 2, out));
	fclose(out);
	ck_assert_str_eq(text, "Not recorded: all: the recording has no "
			       "sched:sched_waking (record --events=sched).\n");
	free(text);
	out = open_memstream(&text, &size);
	ck_assert(recorded_explain(&kinds[DEFAULT], needs, 2, out));
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "Not recorded: errors: "));
	free(text);
}
END_TEST

SUITE("recorded")
{
	TEST_EACH(missing_data_has_a_reason_and_a_remedy, cases);
	TEST_TIMES(recorded_data_has_no_advice, KINDS);
	TEST_EACH(data_that_one_command_records_is_one_line, lists);
	TEST(none_is_another_sentence_than_left_out);
	TEST(without_all_that_rows_need_there_is_one_sentence);
	TEST(none_after_losses_is_none_of_what_is_left);
}
