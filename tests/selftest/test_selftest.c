/* SPDX-License-Identifier: MIT */
/* The verdicts on recordings that exist: a script in place of ktrace-hw prints
 * the commands' output about them.
 */
#include "common/array.h"
#include "selftest/programs.h"
#include "selftest/selftest.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct scratch_folder scratch;
static struct output_folder folder;
static char program[128];
static struct array rows; /* struct selftest_row */
static char text[1 << 19];
static size_t length;

/* Prints the file FOLDER/TRIAL.COMMAND.out; exits with the code in
 * FOLDER/TRIAL.COMMAND.code.
 */
static const char script[] =
	"#!/bin/sh\n"
	"command=$1\n"
	"case \"$*\" in *--blocks*) command=blocks ;; *--packets*) "
	"command=packets ;; *--records*) command=records ;; esac\n"
	"while [ \"$1\" != -i ]; do shift; done\n"
	"cat \"$2.$command.out\" 2>/dev/null\n"
	"exit $(cat \"$2.$command.code\" 2>/dev/null || echo 0)\n";

static void write_program(const char *name)
{
	char path[128];

	scratch_folder_write(&scratch, name, script);
	scratch_folder_path(&scratch, name, path, sizeof(path));
	ck_assert_int_eq(chmod(path, 0700), 0);
}

static void set_up(void)
{
	char path[256];

	scratch = scratch_folder_new();
	folder = scratch_folder_output(&scratch);
	write_program("ktrace-hw");
	/* perf is found by PATH, and called with the same options. */
	write_program("perf");
	scratch_folder_path(&scratch, "ktrace-hw", program, sizeof(program));
	snprintf(path, sizeof(path), "%s:/bin:/usr/bin", scratch.path);
	setenv("PATH", path, 1);
	rows = ARRAY_OF(struct selftest_row);
	length = 0;
	*text = '\0';
}

static void tear_down(void)
{
	array_free(&rows);
	output_folder_close(&folder);
	scratch_folder_free(&scratch);
}

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	length += (size_t)vsnprintf(text + length, sizeof(text) - length,
				    format, args);
	va_end(args);
	ck_assert_uint_lt(length, sizeof(text));
}

/* Ends the text, as the file TRIAL.@kind. */
static void save(const char *trial, const char *kind)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", trial, kind);
	scratch_folder_write(&scratch, name, text);
	length = 0;
	*text = '\0';
}

static void save_text(const char *trial, const char *kind, const char *content)
{
	add("%s", content);
	save(trial, kind);
}

/* Adds a line of the timeline, of process 7. */
static void event(const char *name, unsigned long long time_ns, int cpu,
		  const char *function, unsigned long long wall_ns)
{
	add("%s,%llu,%d,7,7,selftest,0,%s,,%llu,0,0,0,0,5,5,0\n", name, time_ns,
	    cpu, function, wall_ns);
}

static void call(const char *name, unsigned long long time_ns)
{
	char function[64];

	snprintf(function, sizeof(function), "__x64_sys_%s", name);
	event("enter", time_ns, 0, function, 0);
}

static void calls(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		call("getppid", 1000 + i);
}

static void mark(unsigned long long time_ns)
{
	call("sched_get_priority_max", time_ns);
}

static void gap(const char *reason)
{
	add("gap,5000,0,-1,-1,,0,,%s,0,0,0,0,0,0,0,64\n", reason);
}

static void keep(const struct selftest_row *row, void *context)
{
	(void)context;
	ck_assert_int_eq(array_append(&rows, row), 0);
}

static void judge(const char *trial)
{
	const struct selftest_options options = {
		.program = program,
		.folder = &folder,
		.trials = trial,
		.judges_only = true,
	};
	char path[128];

	scratch_folder_path(&scratch, trial, path, sizeof(path));
	mkdir(path, 0700);
	selftest_run(&options, keep, NULL);
}

static const struct selftest_row *row_of(const char *check)
{
	for (size_t i = 0; i < rows.count; i++) {
		const struct selftest_row *row = array_at(&rows, i);

		if (!strcmp(row->check, check))
			return row;
	}
	ck_abort_msg("no row '%s'", check);
}

static void expect(const char *check, enum selftest_verdict verdict,
		   const char *finding)
{
	const struct selftest_row *row = row_of(check);

	ck_assert_msg(row->verdict == verdict && strstr(row->finding, finding),
		      "%s: verdict %d: %s", check, (int)row->verdict,
		      row->finding);
}

static const struct {
	const char *counts;
	unsigned int seen;
	enum selftest_verdict verdict;
} counted[] = {
	{ "pid 7\ncalls 10\n", 10, SELFTEST_PASS },
	{ "pid 7\ncalls 10\n", 9, SELFTEST_FAIL },
	{ "pid 7\ncalls 10\n", 11, SELFTEST_FAIL },
	/* No evidence never passes. */
	{ "pid 7\ncalls 0\n", 0, SELFTEST_FAIL },
	{ "pid 7\n", 10, SELFTEST_UNTRIED },
	/* The calls are of another process. */
	{ "pid 8\ncalls 10\n", 10, SELFTEST_FAIL },
};

START_TEST(calls_are_compared)
{
	save_text("user", "counts", counted[_i].counts);
	calls(counted[_i].seen);
	save("user", "timeline.out");
	judge("user");
	expect("user: calls", counted[_i].verdict, "");
	expect("user: gaps", SELFTEST_PASS, "");
}
END_TEST

START_TEST(a_gap_fails_with_its_reason)
{
	save_text("user", "counts", "pid 7\ncalls 1\n");
	calls(1);
	gap("no code");
	gap("overflow");
	save("user", "timeline.out");
	judge("user");
	expect("user: gaps", SELFTEST_FAIL,
	       "2 gaps, 128 bytes lost; the first: no code");
}
END_TEST

/* TRBE stops while its driver changes a full buffer, of which there is one. */
static const struct {
	const char *gaps[3];
	enum selftest_verdict verdict;
	const char *text;
} full_buffers[] = {
	{ { "lost" }, SELFTEST_PASS, "1 gaps, where the kernel" },
	{ { "not yet synchronised" },
	  SELFTEST_PASS,
	  "1 gaps, where the kernel" },
	{ { "lost", "not yet synchronised" },
	  SELFTEST_PASS,
	  "2 gaps, where the kernel" },
	{ { "lost", "lost" }, SELFTEST_FAIL, "2 gaps, 128 bytes lost" },
	{ { "not yet synchronised", "not yet synchronised" },
	  SELFTEST_FAIL,
	  "2 gaps, 128 bytes lost" },
	{ { "lost", "not yet synchronised", "overflow" },
	  SELFTEST_FAIL,
	  "3 gaps, 192 bytes lost" },
	{ { "bad trace" }, SELFTEST_FAIL, "1 gaps, 64 bytes lost" },
};

START_TEST(full_buffers_explain_as_many_gaps)
{
	save_text("user", "counts", "pid 7\ncalls 1\n");
	calls(1);
	for (int i = 0; i < 3 && full_buffers[_i].gaps[i]; i++)
		gap(full_buffers[_i].gaps[i]);
	save("user", "timeline.out");
	save_text("user", "records.out",
		  "1 byte 8 cpu 1 task 7/7 aux offset 0 size 8 flags 100\n"
		  "2 byte 9 cpu 1 task 7/7 aux offset 8 size 8 flags 108\n");
	judge("user");
	expect("user: gaps", full_buffers[_i].verdict, full_buffers[_i].text);
}
END_TEST

static const struct {
	const char *code;
	enum selftest_verdict verdict;
} engines[] = {
	{ "0", SELFTEST_PASS },
	{ "1", SELFTEST_FAIL },
	/* Built without a second decoder. */
	{ "2", SELFTEST_UNTRIED },
	{ "139", SELFTEST_FAIL },
};

START_TEST(the_engines_must_agree)
{
	save_text("user", "counts", "pid 7\n");
	save_text("user", "verify.code", engines[_i].code);
	judge("user");
	expect("user: engines", engines[_i].verdict, "");
}
END_TEST

START_TEST(a_decoder_that_fails_is_a_failure)
{
	save_text("user", "counts", "pid 7\ncalls 1\n");
	save_text("user", "timeline.code", "134");
	judge("user");
	ck_assert_uint_eq(rows.count, 1);
	expect("user space", SELFTEST_FAIL, "exit code 134");
}
END_TEST

START_TEST(missing_counts_are_a_failure)
{
	judge("user");
	expect("user space", SELFTEST_FAIL, "user.counts cannot be read");
}
END_TEST

START_TEST(each_cpu_is_compared)
{
	save_text("cpus", "counts", "pid 7\ncpu 0 2\ncpu 3 1\n");
	calls(2);
	event("enter", 9, _i ? 2 : 3, "__x64_sys_getppid", 0);
	save("cpus", "timeline.out");
	judge("cpus");
	expect("every CPU", _i ? SELFTEST_FAIL : SELFTEST_PASS,
	       _i ? "1 of 2 CPUs are not as counted; the first is CPU 3" : "");
}
END_TEST

static const struct {
	unsigned int seen;
	bool has_gap;
	enum selftest_verdict verdict;
} loads[] = {
	{ 100, false, SELFTEST_PASS },
	{ 99, false, SELFTEST_FAIL },
	/* Losses are permitted if they are marked. */
	{ 60, true, SELFTEST_PASS },
	{ 0, true, SELFTEST_FAIL },
	{ 101, true, SELFTEST_FAIL },
};

START_TEST(losses_under_load_must_be_marked)
{
	save_text("load", "counts", "calls 100\n");
	calls(loads[_i].seen);
	if (loads[_i].has_gap)
		gap("lost");
	save("load", "timeline.out");
	judge("load");
	expect("full load", loads[_i].verdict, "");
}
END_TEST

START_TEST(a_filter_lets_nothing_else_pass)
{
	save_text("filter", "counts", "pid 7\ncalls 3\n");
	calls(3);
	if (_i)
		call("write", 9);
	save("filter", "timeline.out");
	judge("filter");
	expect("filter", _i ? SELFTEST_FAIL : SELFTEST_PASS,
	       _i ? "1 other system calls" : "");
}
END_TEST

static const struct {
	const char *counts;
	unsigned long long wall_ns;
	enum selftest_verdict verdict;
} hits[] = {
	{ "pid 7\nsleeps 1\n", 20000000, SELFTEST_PASS },
	/* On a busy machine other sleeps may be as long by their own clock. */
	{ "pid 7\nsleeps 3\n", 20000000, SELFTEST_PASS },
	{ "pid 7\nsleeps 1\n", 19999999, SELFTEST_FAIL },
	{ "pid 7\nsleeps 0\n", 20000000, SELFTEST_FAIL },
	{ "pid 7\n", 20000000, SELFTEST_FAIL },
};

START_TEST(the_hit_must_end_in_the_long_sleep)
{
	save_text("trigger", "counts", hits[_i].counts);
	event("exit", 9, 0, "__x64_sys_clock_nanosleep", hits[_i].wall_ns);
	save("trigger", "timeline.out");
	judge("trigger");
	expect("--trigger", hits[_i].verdict, "");
}
END_TEST

/* The batches up to the last one: the Kth has K calls. */
START_TEST(batches_must_be_whole)
{
	save_text("attach", "counts", "pid 7\nbatches 100\n");
	for (unsigned int i = 50; i <= PROGRAM_BATCHES; i++) {
		calls(_i && (i == 70 || i == 80) ? i - 1 : i);
		mark(9);
	}
	save("attach", "timeline.out");
	judge("attach");
	expect("attaching", _i ? SELFTEST_FAIL : SELFTEST_PASS, "");
}
END_TEST

START_TEST(a_refused_cpu_is_not_tried)
{
	const struct selftest_options options = {
		.program = program,
		.folder = &folder,
		.trials = "hotplug",
		.judges_only = true,
	};

	save_text("hotplug", "counts", "pid 7\ncalls 1\nrefused 1\n");
	scratch_folder_write(&scratch, "hotplug/data", "");
	selftest_run(&options, keep, NULL);
	expect("hotplug", SELFTEST_UNTRIED, "CPU 1 cannot be switched off");
}
END_TEST

/* The marks of the program "calls", 1 us apart, from @base_ns on, with the
 * clock's rate in percent.
 */
static void marks(unsigned int count, unsigned int percent)
{
	for (unsigned int i = 0; i < count; i++)
		mark(500000000 + (unsigned long long)i * 10 * percent);
}

static void save_clock(void)
{
	add("pid 7\n");
	for (unsigned int i = 0; i < PROGRAM_CLOCK_MARKS; i++)
		add("raw %u %u\n", 7000000 + i * 1000 - 100,
		    7000000 + i * 1000 + 100);
	save("calls", "counts");
}

static const struct {
	unsigned int marks;
	unsigned int percent;
	enum selftest_verdict verdict;
} clocks[] = {
	{ MARK_CLOCK + PROGRAM_CLOCK_MARKS, 100, SELFTEST_PASS },
	{ MARK_CLOCK + PROGRAM_CLOCK_MARKS, 101, SELFTEST_PASS },
	{ MARK_CLOCK + PROGRAM_CLOCK_MARKS, 110, SELFTEST_FAIL },
	{ MARK_CLOCK + PROGRAM_CLOCK_MARKS, 90, SELFTEST_FAIL },
	{ MARK_CLOCK + PROGRAM_CLOCK_MARKS - 1, 100, SELFTEST_FAIL },
};

/* The clocks differ by a constant, which is no error. Within 100 us, 1 % is
 * within the resolution.
 */
START_TEST(the_clock_must_run_at_the_same_rate)
{
	save_clock();
	marks(clocks[_i].marks, clocks[_i].percent);
	save("calls", "timeline.out");
	judge("calls");
	expect("clock", clocks[_i].verdict, "");
}
END_TEST

START_TEST(faults_and_switches_are_those_between_marks)
{
	save_text("calls", "counts", "pid 7\nfaults 2\nswitches 1\n");
	for (unsigned int i = 0; i < MARK_CLOCK; i++) {
		event("enter", 9, 0, "handle_mm_fault", 0);
		if (i == MARK_FAULTS + 1)
			event("enter", 9, 0, "handle_mm_fault", 0);
		event("leave", 9, 0, "", 0);
		mark(9);
	}
	save("calls", "timeline.out");
	judge("calls");
	expect("page faults", SELFTEST_PASS, "2 page faults counted, 2");
	expect("context switches", SELFTEST_PASS, "1 context switches");
}
END_TEST

/* The counters run from inside the first prctl() to inside the second. The
 * trace has 20,000 to 20,020 instructions, 4,000 to 4,002 branches, 2,000 or
 * 2,001 transitions, and 2,002 entries.
 */
static const struct {
	const char *counts;
	enum selftest_verdict instructions, branches, transitions;
} pmus[] = {
	{ "pid 7\ninstructions 20000\nbranches 4000\ntransitions 2000\n",
	  SELFTEST_PASS, SELFTEST_PASS, SELFTEST_PASS },
	{ "pid 7\ninstructions 20020\nbranches 4002\ntransitions 2001\n",
	  SELFTEST_PASS, SELFTEST_PASS, SELFTEST_PASS },
	{ "pid 7\ninstructions 19999\nbranches 3999\ntransitions 1999\n",
	  SELFTEST_FAIL, SELFTEST_FAIL, SELFTEST_FAIL },
	{ "pid 7\ninstructions 20022\nbranches 4004\ntransitions 2003\n",
	  SELFTEST_FAIL, SELFTEST_FAIL, SELFTEST_FAIL },
	/* A CPU that counts entries instead of returns in the kernel. */
	{ "pid 7\ninstructions 20021\nbranches 4003\ntransitions 2002\n",
	  SELFTEST_PASS, SELFTEST_PASS, SELFTEST_PASS },
	/* One that counts neither there. */
	{ "pid 7\ninstructions 18000\nbranches 2000\ntransitions 1\n",
	  SELFTEST_PASS, SELFTEST_PASS, SELFTEST_FAIL },
	{ "pid 7\ninstructions 17999\nbranches 1999\ntransitions 1\n",
	  SELFTEST_FAIL, SELFTEST_FAIL, SELFTEST_FAIL },
	/* One that counts the entries, too. */
	{ "pid 7\ninstructions 22000\nbranches 6000\ntransitions 4000\n",
	  SELFTEST_PASS, SELFTEST_PASS, SELFTEST_PASS },
	{ "pid 7\ninstructions 22022\nbranches 6004\ntransitions 4003\n",
	  SELFTEST_PASS, SELFTEST_PASS, SELFTEST_PASS },
	{ "pid 7\ninstructions 21999\nbranches 5999\ntransitions 3999\n",
	  SELFTEST_FAIL, SELFTEST_FAIL, SELFTEST_FAIL },
	{ "pid 7\ninstructions 22023\nbranches 6005\ntransitions 4004\n",
	  SELFTEST_FAIL, SELFTEST_FAIL, SELFTEST_FAIL },
	/* -2: ENOENT; the last is missing */
	{ "pid 7\ninstructions 20010\nbranches -2\n", SELFTEST_PASS,
	  SELFTEST_UNTRIED, SELFTEST_UNTRIED },
};

START_TEST(the_pmu_counts_what_the_decoder_sees)
{
	save_text("calls", "counts", pmus[_i].counts);
	call("prctl", 100);
	call("getppid", 200);
	call("prctl", 300);
	call("exit", 400);
	save("calls", "timeline.out");
	add("90 -0 +0 block none 1-2 100 instructions\n"
	    "90 -0 +0 start  1\n"
	    "100 -0 +0 start  1\n"
	    "100 -0 +0 block jump 1-2 10 instructions\n");
	for (int i = 0; i < 2000; i++)
		add("250 -0 +0 %s  1\n"
		    "250 -0 +0 block none 1-2 3 instructions\n"
		    "250 -0 +0 block call 1-2 3 instructions\n"
		    "250 -0 +0 block far-return 1-2 4 instructions\n"
		    "250 -0 +0 stop untraced privilege level 1\n",
		    i ? "start" : "async");
	add("390 -0 +0 start  1\n"
	    "390 -0 +0 block far-return 1-2 10 instructions\n"
	    "401 -0 +0 start  1\n"
	    "401 -0 +0 block return 1-2 100 instructions\n");
	save("calls", "blocks.out");
	judge("calls");
	expect("instructions:k", pmus[_i].instructions, "");
	expect("branches:k", pmus[_i].branches,
	       pmus[_i].branches == SELFTEST_UNTRIED ? "No such file" : "");
	expect("transitions:k", pmus[_i].transitions,
	       pmus[_i].transitions == SELFTEST_UNTRIED ? "all the time" : "");
}
END_TEST

/* Adds @count periods of the clock, one of them with @odd cycles. */
static void periods(unsigned int count, unsigned int odd)
{
	add("0 4 cbr 8\n");
	for (unsigned int i = 0; i <= count; i++) {
		add("0 2 mtc %u\n", i % 256);
		add("0 2 cyc %u\n", i == count / 2 ? odd : 100);
	}
}

START_TEST(a_sync_point_without_its_start_is_found)
{
	save_text("calls", "counts", "pid 7\n");
	add("0 16 psb\n0 2 psbend\n");
	if (_i)
		add("0 2 psbend\n");
	periods(200, 100);
	save("calls", "packets.out");
	judge("calls");
	expect("sync points", _i ? SELFTEST_FAIL : SELFTEST_PASS, "");
	expect("cycle counts", SELFTEST_PASS, "");
}
END_TEST

START_TEST(too_many_cycles_in_a_period_are_found)
{
	save_text("calls", "counts", "pid 7\n");
	periods(200, _i ? 401 : 399);
	save("calls", "packets.out");
	judge("calls");
	expect("cycle counts", _i ? SELFTEST_FAIL : SELFTEST_PASS, "");
	expect("sync points", SELFTEST_UNTRIED, "does not mark");
}
END_TEST

/* Adds the packets of an ETE: one period has @most cycles per 100 ticks, the
 * others 100; the time of one is @back ticks earlier. Each timestamp is in the
 * middle of a cycle count, as 20 of its cycles.
 */
static void arm_periods(unsigned int most, unsigned int back)
{
	for (unsigned int i = 1; i <= 200; i++) {
		add("00000000  2 I_CCNT_F3 Cycle Count format 3.; Count=0x%x\n",
		    i == 50 ? most : 100);
		add("00000000  6 I_TIMESTAMP Timestamp.; Updated val = 0x%x; "
		    "CC=0x14\n",
		    i * 100 - (i == 60 ? back : 0));
	}
}

static const struct {
	unsigned int most, back;
	enum selftest_verdict verdict;
} arm_clocks[] = {
	{ 1500, 0, SELFTEST_PASS },
	{ 3600, 0, SELFTEST_FAIL },
	{ 100, 90, SELFTEST_PASS },
	{ 100, 110, SELFTEST_FAIL },
};

START_TEST(arm_cycles_are_relative_to_the_time_between_timestamps)
{
	save_text("cycles", "counts", "pid 7\n");
	arm_periods(arm_clocks[_i].most, arm_clocks[_i].back);
	save("cycles", "packets.out");
	judge("cycles");
	expect("cycles: counts", arm_clocks[_i].verdict, "");
}
END_TEST

static const struct {
	const char *packet;
	enum selftest_verdict verdict;
} arm_losses[] = {
	{ "0 4 I_NOT_SYNC I Stream not synchronised\n", SELFTEST_PASS },
	{ "0 1 I_INCOMPLETE_EOT Incomplete packet at end of trace.\n",
	  SELFTEST_PASS },
	{ "0 1 I_ATOM_F1 Atom format 1.; E\n", SELFTEST_FAIL },
};

/* The cycle count that had 20 cycles at the last timestamp is missing. */
START_TEST(arm_cycles_are_not_expected_of_lost_trace)
{
	save_text("cycles", "counts", "pid 7\n");
	arm_periods(100, 0);
	add("%s", arm_losses[_i].packet);
	add("0 6 I_TIMESTAMP Timestamp.; Updated val = 0x4eac; CC=0x0\n");
	save("cycles", "packets.out");
	judge("cycles");
	expect("cycles: counts", arm_losses[_i].verdict, "");
}
END_TEST

static const struct {
	const char *packets;
	enum selftest_verdict verdict;
} arm_syncs[] = {
	{ "0 12 I_ASYNC A.\n0 3 I_TRACE_INFO T.\n", SELFTEST_PASS },
	{ "0 12 I_ASYNC A.\n0 3 I_TRACE_INFO T.\n0 3 I_TRACE_INFO T.\n",
	  SELFTEST_FAIL },
	{ "0 12 I_ASYNC A.\n0 3 I_TRACE_INFO T.\n0 1 I_OVERFLOW O.\n"
	  "0 3 I_TRACE_INFO T.\n",
	  SELFTEST_PASS },
};

START_TEST(arm_trace_infos_follow_syncs_or_overflows)
{
	save_text("calls", "counts", "pid 7\n");
	save_text("calls", "packets.out", arm_syncs[_i].packets);
	judge("calls");
	expect("sync points", arm_syncs[_i].verdict, "");
}
END_TEST

START_TEST(few_periods_are_not_judged)
{
	save_text("calls", "counts", "pid 7\n");
	periods(50, 9999);
	save("calls", "packets.out");
	judge("calls");
	expect("cycle counts", SELFTEST_UNTRIED, "no cycle counts");
}
END_TEST

START_TEST(errors_of_perf_are_counted)
{
	save_text("calls", "counts", "pid 7\nidle 3 C6\n");
	if (_i)
		save_text("calls", "script.out",
			  " instruction trace error type 1\n");
	else
		save_text("calls", "script", "Warning: something else\n");
	judge("calls");
	expect("perf", _i ? SELFTEST_FAIL : SELFTEST_PASS,
	       _i ? "1 errors" : "0 errors");
	expect("deep idle", SELFTEST_PASS, "3 entries of C6");
}
END_TEST

/* The recorder gave a reason. */
START_TEST(only_what_every_unit_can_do_fails_if_refused)
{
	const struct selftest_options options = {
		.program = program,
		.folder = &folder,
		.trials = "filter,cpus,load",
		.judges_only = true,
	};

	save_text("filter", "messages", "ktrace-hw: error: no ranges\n");
	save_text("cpus", "messages", "ktrace-hw: error: no rights\n");
	save_text("load", "messages", "ktrace-hw: error: no rights\n");
	selftest_run(&options, keep, NULL);
	/* The trials are in another order: cpus is first, and the last row. */
	ck_assert_uint_eq(rows.count, 1);
	expect("every CPU", SELFTEST_FAIL, "no rights");
}
END_TEST

START_TEST(an_option_that_a_unit_lacks_is_not_tried)
{
	const struct selftest_options options = {
		.program = program,
		.folder = &folder,
		.trials = "filter,only",
		.judges_only = true,
	};

	save_text("filter", "messages", "ktrace-hw: error: no ranges\n");
	selftest_run(&options, keep, NULL);
	ck_assert_uint_eq(rows.count, 1);
	expect("filter", SELFTEST_UNTRIED, "no ranges");
}
END_TEST

START_TEST(checks_of_time_need_times)
{
	save_text("calls", "counts",
		  "pid 7\ncalls 10\nswitches 2\ninstructions 5\nraw 1 2\n");
	add("event,time_instructions,cpu,pid,tid,comm,depth,function,detail,"
	    "wall,on_cpu,begin,end,not_all,early,late,lost\n");
	calls(10);
	save("calls", "timeline.out");
	judge("calls");
	expect("system calls", SELFTEST_PASS, "10 in the trace");
	expect("context switches", SELFTEST_UNTRIED, "no time stamps");
	expect("clock", SELFTEST_UNTRIED, "no time stamps");
	expect("instructions:k", SELFTEST_UNTRIED, "no time stamps");
}
END_TEST

START_TEST(reasons_have_no_paths)
{
	const struct selftest_options options = {
		.program = program,
		.folder = &folder,
		.trials = "filter",
		.judges_only = true,
	};
	char message[512];

	snprintf(message, sizeof(message), "ktrace-hw: %s: %s/filter: no\n",
		 program, folder.path);
	save_text("filter", "messages", message);
	selftest_run(&options, keep, NULL);
	expect("filter", SELFTEST_UNTRIED, "ktrace-hw: DIR/filter: no");
	ck_assert_ptr_null(strstr(row_of("filter")->finding, folder.path));
}
END_TEST

/* The recording is of another architecture, for example. */
START_TEST(perf_that_cannot_read_a_recording_is_not_tried)
{
	save_text("calls", "counts", "pid 7\n");
	save_text("calls", "script.code", "255\n");
	judge("calls");
	expect("perf", SELFTEST_UNTRIED, "cannot read it here");
}
END_TEST

START_TEST(other_machines_check_what_was_only_recorded)
{
	const struct selftest_options options = {
		.program = "/bin/true",
		.folder = &folder,
		.trials = "load",
		.records_only = true,
	};

	selftest_run(&options, keep, NULL);
	ck_assert_uint_eq(rows.count, 1);
	expect("full load", SELFTEST_UNTRIED, "recorded");
}
END_TEST

#define ROWS(table) (sizeof(table) / sizeof(*(table)))

SUITE("selftest")
{
	FIXTURE(set_up, tear_down);
	TEST_TIMES(calls_are_compared, ROWS(counted));
	TEST(a_gap_fails_with_its_reason);
	TEST_EACH(full_buffers_explain_as_many_gaps, full_buffers);
	TEST_TIMES(the_engines_must_agree, ROWS(engines));
	TEST(a_decoder_that_fails_is_a_failure);
	TEST(missing_counts_are_a_failure);
	TEST_TIMES(each_cpu_is_compared, 2);
	TEST_TIMES(losses_under_load_must_be_marked, ROWS(loads));
	TEST_TIMES(a_filter_lets_nothing_else_pass, 2);
	TEST_TIMES(the_hit_must_end_in_the_long_sleep, ROWS(hits));
	TEST_TIMES(batches_must_be_whole, 2);
	TEST(a_refused_cpu_is_not_tried);
	TEST_TIMES(the_clock_must_run_at_the_same_rate, ROWS(clocks));
	TEST(faults_and_switches_are_those_between_marks);
	TEST_TIMES(the_pmu_counts_what_the_decoder_sees, ROWS(pmus));
	TEST_TIMES(a_sync_point_without_its_start_is_found, 2);
	TEST_TIMES(too_many_cycles_in_a_period_are_found, 2);
	TEST_EACH(arm_cycles_are_relative_to_the_time_between_timestamps,
		  arm_clocks);
	TEST_EACH(arm_cycles_are_not_expected_of_lost_trace, arm_losses);
	TEST_EACH(arm_trace_infos_follow_syncs_or_overflows, arm_syncs);
	TEST(few_periods_are_not_judged);
	TEST_TIMES(errors_of_perf_are_counted, 2);
	TEST(only_what_every_unit_can_do_fails_if_refused);
	TEST(an_option_that_a_unit_lacks_is_not_tried);
	TEST(checks_of_time_need_times);
	TEST(reasons_have_no_paths);
	TEST(perf_that_cannot_read_a_recording_is_not_tried);
	TEST(other_machines_check_what_was_only_recorded);
}
