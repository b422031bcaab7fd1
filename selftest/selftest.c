/* SPDX-License-Identifier: MIT */
#include "selftest/selftest.h"

#include "selftest/evidence_internal.h"
#include "selftest/programs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A table of plans: the trial that each records, and its checks. A check is one
 * function that compares a count of the program with the same count of the
 * trace (struct evidence), and reports a row. Counts must be equal if both
 * sides are exact. A clock, a counter and a rate must agree within the error of
 * reading them, which the check computes and prints.
 *
 * To add a check, add a function and its line in the plan of a trial.
 */

enum {
	/* The most that the trace's clock and the program's may differ: they
	 * run at the same rate, but the trace's time stamps are coarse.
	 */
	CLOCK_ERROR_MOST_NS = 1000,
	/* The most cycles of a period, as a multiple of the median, if the
	 * trace reports the core's frequency: it may change within a period.
	 */
	CYCLES_FACTOR = 4,
	/* Like CYCLES_FACTOR, if the trace does not report the frequency (Arm):
	 * from the slowest to the fastest.
	 */
	FREQUENCIES_FACTOR = 16,
	PERIODS_LEAST = 100,
};

/* A trial, while its checks run. */
struct session {
	const struct selftest_options *options;
	void (*report)(const struct selftest_row *row, void *context);
	void *context;
	const struct trial *trial;
	struct trial_counts counts;
	struct evidence evidence;
	struct packet_sums packets; /* read by packets_of() */
	bool has_packets;
};

static void report(const struct session *session, const char *check,
		   enum selftest_verdict verdict, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void report(const struct session *session, const char *check,
		   enum selftest_verdict verdict, const char *format, ...)
{
	struct selftest_row row = { .check = check, .verdict = verdict };
	va_list args;

	va_start(args, format);
	vsnprintf(row.finding, sizeof(row.finding), format, args);
	va_end(args);
	session->report(&row, session->context);
}

/* Reports whether two counts are equal; @seen is from the trace. */
static void compare(const struct session *session, const char *check,
		    int64_t counted, uint64_t seen, const char *what)
{
	if (counted < 0)
		report(session, check, SELFTEST_UNTRIED,
		       "the program counted no %s", what);
	else if (!counted)
		report(session, check, SELFTEST_FAIL, "no %s happened", what);
	else
		report(session, check,
		       (uint64_t)counted == seen ? SELFTEST_PASS :
						   SELFTEST_FAIL,
		       "%" PRId64 " %s counted, %" PRIu64 " in the trace",
		       counted, what, seen);
}

static void check_calls(struct session *session, const char *check)
{
	compare(session, check, session->counts.calls, session->evidence.calls,
		"system calls");
}

static void check_faults(struct session *session, const char *check)
{
	compare(session, check, session->counts.faults,
		session->evidence.faults, "page faults");
}

/* Returns whether the trace can be joined with the kernel's clock; otherwise
 * reports why @check was not tried.
 */
static bool has_times(const struct session *session, const char *check)
{
	if (session->evidence.has_no_times)
		report(session, check, SELFTEST_UNTRIED,
		       "this trace unit has no time stamps from the CPU's "
		       "clock");
	return !session->evidence.has_no_times;
}

static void check_switches(struct session *session, const char *check)
{
	if (!has_times(session, check))
		return;
	compare(session, check, session->counts.switches,
		session->evidence.switches, "context switches");
}

/* At each full buffer trace may be lost, and the next sync point may be later
 * than the start of the next buffer.
 */
static bool full_buffers_explain(const struct evidence *evidence, int64_t full)
{
	return (int64_t)evidence->losses <= full &&
	       (int64_t)evidence->unsynced <= full &&
	       evidence->losses + evidence->unsynced == evidence->gaps;
}

static void check_gaps(struct session *session, const char *check)
{
	const struct evidence *evidence = &session->evidence;
	int64_t full = evidence->gaps ?
			       evidence_full_buffers(session->options,
						     session->trial->name) :
			       0;

	if (evidence->gaps && full_buffers_explain(evidence, full))
		report(session, check, SELFTEST_PASS,
		       "%" PRIu64 " gaps, where the kernel marks that a buffer "
		       "was full (%" PRId64 " times)",
		       evidence->gaps, full);
	else if (evidence->gaps)
		report(session, check, SELFTEST_FAIL,
		       "%" PRIu64 " gaps, %" PRIu64
		       " bytes lost; the first: %s",
		       evidence->gaps, evidence->lost_bytes, evidence->gap);
	else
		report(session, check, SELFTEST_PASS, "the trace has no gap");
}

/* The trace's clock may differ from the program's by a constant. The error is
 * how far the marks' times in the trace are from the times before and after the
 * call, with the best constant.
 */
static void check_clock(struct session *session, const char *check)
{
	const struct array *marks = &session->evidence.marks;
	const struct array *raw = &session->counts.raw;
	int64_t most = INT64_MIN, least = INT64_MAX;

	if (!has_times(session, check))
		return;
	if (!raw->count || marks->count != MARK_CLOCK + raw->count) {
		report(session, check, SELFTEST_FAIL,
		       "the trace has %zu of %zu marks", marks->count,
		       MARK_CLOCK + raw->count);
		return;
	}
	for (size_t i = 0; i < raw->count; i++) {
		const struct mark_time *mark = array_at(marks, MARK_CLOCK + i);
		const struct raw_times *times = array_at(raw, i);
		int64_t after = (int64_t)(mark->ns - times->after_ns);
		int64_t before = (int64_t)(mark->ns - times->before_ns);

		most = after > most ? after : most;
		least = before < least ? before : least;
	}

	const struct raw_times *first = array_at(raw, 0);
	const struct raw_times *last = array_at(raw, raw->count - 1);
	int64_t error_ns = most > least ? (most - least + 1) / 2 : 0;

	report(session, check,
	       error_ns <= CLOCK_ERROR_MOST_NS ? SELFTEST_PASS : SELFTEST_FAIL,
	       "%zu marks in %" PRIu64 " us: worst error %" PRId64
	       " ns (up to %d)",
	       raw->count, (last->after_ns - first->before_ns) / 1000, error_ns,
	       CLOCK_ERROR_MOST_NS);
}

/* What the trace has between the two calls that start and stop the counters,
 * without and with these calls.
 */
struct decoded {
	uint64_t inside, outside;
	const struct block_sums *sums; /* two */
};

/* Where a CPU may count the branches between user space and the kernel. The
 * manuals do not say whether a system call or an interrupt counts at the
 * privilege level that it leaves or at the one where it arrives, and measured
 * CPUs differ (docs/hardware.md).
 */
static const struct rule {
	const char *text;
	/* the kernel's counter has the branches into the kernel */
	bool has_entries;
	/* the kernel's counter has the branches back to user space */
	bool has_returns;
} rules[] = {
	{ "branches at the level that they leave", false, true },
	{ "entries and returns in the kernel", true, true },
	{ "branches at the level where they arrive", true, false },
	{ "entries and returns in user space", false, false },
};

/* Returns whether @value is between the trace's counts if the counter follows
 * @rule. A counter may lack the interrupts' returns, which complete in user
 * space, and their entries, which are not instructions.
 */
static bool fits(uint64_t value, const struct decoded *decoded,
		 const struct rule *rule, uint64_t *least, uint64_t *most)
{
	const struct block_sums *sums = decoded->sums;
	const uint64_t calls = PROGRAM_COUNTED_CALLS;
	uint64_t returns = sums[0].transitions;
	uint64_t missing =
		rule->has_returns && returns > calls ? returns - calls : 0;

	*least = decoded->inside + (rule->has_entries ? calls : 0);
	*most = decoded->outside + (rule->has_entries ? sums[1].entries : 0);
	missing += rule->has_returns ? 0 : returns;
	*least -= missing < *least ? missing : *least;
	if (!rule->has_returns)
		*most -= sums[1].transitions < *most ? sums[1].transitions :
						       *most;
	return value >= *least && value <= *most;
}

/* Reports whether @counted is between the trace's counts, for any rule. */
static void check_counter(struct session *session, const char *check,
			  int64_t counted, const struct decoded *decoded)
{
	uint64_t value = (uint64_t)counted;
	uint64_t least, most;

	if (counted < 0) {
		report(session, check, SELFTEST_UNTRIED,
		       "this machine or user cannot count %s: %s", check,
		       counted == -1 ?
			       "its counter counted nothing, or not all the time" :
			       strerror((int)-counted));
		return;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (fits(value, decoded, &rules[i], &least, &most)) {
			report(session, check, SELFTEST_PASS,
			       "%" PRIu64 " by the PMU, %" PRIu64 " to %" PRIu64
			       " in the trace; the PMU counts %s",
			       value, least, most, rules[i].text);
			return;
		}
	report(session, check, SELFTEST_FAIL,
	       "%" PRIu64 " by the PMU, %" PRIu64 " to %" PRIu64
	       " in the trace, with %" PRIu64
	       " returns to user space and %" PRIu64 " entries of the kernel",
	       value, decoded->inside, decoded->outside,
	       decoded->sums[1].transitions, decoded->sums[1].entries);
}

/* Sums up the counted part of the program without and with the calls that start
 * and stop the counters. Returns whether the trace has it.
 */
static bool sum_counted_part(const struct session *session,
			     struct block_sums sums[2])
{
	const struct evidence *evidence = &session->evidence;
	const struct time_span spans[2] = {
		{ evidence->first.to_ns, evidence->second.from_ns },
		{ evidence->first.from_ns, evidence->second.to_ns },
	};

	return spans[0].from_ns && spans[1].to_ns &&
	       !evidence_blocks(sums, session->options, session->trial->name,
				spans);
}

static void check_pmu(struct session *session, const char *check)
{
	const struct trial_counts *counts = &session->counts;
	struct block_sums sums[2] = { 0 };
	bool counted = counts->instructions >= 0 || counts->branches >= 0 ||
		       counts->transitions >= 0;

	if (!has_times(session, check))
		return;
	if (counted && !sum_counted_part(session, sums)) {
		report(session, check, SELFTEST_FAIL,
		       "the counted part is not in the trace");
		return;
	}
	check_counter(session, check, counts->instructions,
		      &(struct decoded){ sums[0].instructions,
					 sums[1].instructions, sums });
	check_counter(session, "branches:k", counts->branches,
		      &(struct decoded){ sums[0].branches, sums[1].branches,
					 sums });
	check_counter(session, "transitions:k", counts->transitions,
		      &(struct decoded){ sums[0].transitions,
					 sums[1].transitions, sums });
}

/* Returns the exit code of @argv, -1 if it could not be started. Sets *@lines
 * to the number of its output's lines with @text, and @reason to the last line
 * of its errors.
 */
static int run_quietly(const struct session *session, const char *const *argv,
		       const char *text, uint64_t *lines, char *reason,
		       size_t room)
{
	struct trial_output output;
	char line[512];
	int code;

	*lines = 0;
	if (trial_output_open(&output, session->options, argv, "errors"))
		return -1;
	while (fgets(line, sizeof(line), output.lines))
		*lines += strstr(line, text) != NULL;
	code = trial_output_close(&output);
	trial_last_line(session->options, "errors", reason, room);
	return code;
}

/* Returns the sums of the trial's packets. If they cannot be read, reports that
 * as a failed row of @check and returns NULL.
 */
static struct packet_sums *packets_of(struct session *session,
				      const char *check)
{
	int code = 0;

	if (!session->has_packets) {
		packet_sums_free(&session->packets);
		code = evidence_packets(&session->packets, session->options,
					session->trial->name);
	}
	session->has_packets = !code;
	if (!code)
		return &session->packets;
	report(session, check, SELFTEST_FAIL,
	       "the packets cannot be read, exit code %d", code);
	return NULL;
}

/* Compares the numbers of starts and ends of sync points, because a decoder may
 * not notice that one is missing. An overflow may cut off a sync point, or be
 * followed by a trace info packet alone: both are tolerated.
 */
static void check_syncs(struct session *session, const char *check)
{
	const struct packet_sums *sums = packets_of(session, check);

	if (!sums)
		return;
	if (!sums->sync_starts && !sums->sync_ends)
		report(session, check, SELFTEST_UNTRIED,
		       "this trace unit does not mark both ends of its sync "
		       "points");
	else
		report(session, check,
		       llabs((long long)(sums->sync_starts - sums->sync_ends)) <=
				       (long long)sums->overflows ?
			       SELFTEST_PASS :
			       SELFTEST_FAIL,
		       "%" PRIu64 " sync points start, %" PRIu64
		       " end, %" PRIu64 " overflows",
		       sums->sync_starts, sums->sync_ends, sums->overflows);
}

/* Checks that no period has many more cycles, relative to its length, than the
 * median. Fewer are possible: the core may be halted for a part of a period.
 */
static void check_cycles(struct session *session, const char *check)
{
	struct packet_sums *sums = packets_of(session, check);
	size_t count = sums ? sums->periods.count : 0;
	uint64_t median, most;
	unsigned limit;

	if (!sums)
		return;
	limit = sums->has_frequency ? CYCLES_FACTOR : FREQUENCIES_FACTOR;
	if (count < PERIODS_LEAST) {
		report(session, check, SELFTEST_UNTRIED,
		       "the trace has no cycle counts with a clock (CYC and "
		       "MTC, or --cycles)");
		return;
	}
	array_sort_by(&sums->periods, KEYS(RISING_NUMBER(uint64_t)));
	median = *(const uint64_t *)array_at(&sums->periods, count / 2);
	most = *(const uint64_t *)array_at(&sums->periods, count - 1);
	report(session, check,
	       most / limit <= median ? SELFTEST_PASS : SELFTEST_FAIL,
	       "in %zu periods of the clock: at most %.1f times the median "
	       "(up to %u)",
	       count, (double)most / (double)median, limit);
}

static void check_engines(struct session *session, const char *check)
{
	char path[TRIAL_PATH], reason[160];
	const char *const argv[] = {
		session->options->program, "verify", "-q", "-i", path, NULL
	};
	uint64_t lines;
	int code;

	trial_path(session->options, session->trial->name, path);
	code = run_quietly(session, argv, "", &lines, reason, sizeof(reason));
	if (!code)
		report(session, check, SELFTEST_PASS,
		       "both decoders give the same events");
	else if (code == 2)
		report(session, check, SELFTEST_UNTRIED, "%s", reason);
	else
		report(session, check, SELFTEST_FAIL,
		       "the decoders differ, exit code %d; ktrace-hw verify "
		       "shows where",
		       code);
}

/* perf script prints a line for each error of its decoder, among other lines.
 */
static void check_perf(struct session *session, const char *check)
{
	char path[TRIAL_PATH], reason[160];
	const char *const argv[] = { "perf", "script",	   "-i",
				     path,   "--itrace=e", NULL };
	uint64_t errors;
	int code;

	trial_path(session->options, session->trial->name, path);
	code = run_quietly(session, argv, "instruction trace error", &errors,
			   reason, sizeof(reason));
	if (code == 127)
		report(session, check, SELFTEST_UNTRIED,
		       "perf is not installed");
	else if (code && session->options->judges_only)
		report(session, check, SELFTEST_UNTRIED,
		       "perf cannot read it here: %s", reason);
	else
		report(session, check,
		       code || errors ? SELFTEST_FAIL : SELFTEST_PASS,
		       "perf's decoder finds %" PRIu64
		       " errors, exit code %d%s%s",
		       errors, code, code ? ": " : "", code ? reason : "");
}

static void check_idle(struct session *session, const char *check)
{
	const struct trial_counts *counts = &session->counts;

	if (counts->idle < 0)
		report(session, check, SELFTEST_UNTRIED,
		       "the kernel has no cpuidle driver here");
	else if (!counts->idle)
		report(session, check, SELFTEST_UNTRIED,
		       "no CPU reached its deepest idle state (%s)",
		       counts->idle_state);
	else
		report(session, check,
		       session->evidence.gaps ? SELFTEST_FAIL : SELFTEST_PASS,
		       "%" PRId64 " entries of %s, %" PRIu64 " gaps",
		       counts->idle, counts->idle_state,
		       session->evidence.gaps);
}

static void check_cpus(struct session *session, const char *check)
{
	const struct array *counted = &session->counts.cpus;
	size_t wrong = 0;
	int first_wrong = -1;

	for (size_t i = 0; i < counted->count; i++) {
		const struct cpu_calls *calls = array_at(counted, i);
		const struct cpu_calls *seen = array_reach(
			&session->evidence.cpus, (size_t)calls->cpu);

		if (seen && seen->calls == calls->calls)
			continue;
		if (!wrong++)
			first_wrong = calls->cpu;
	}
	if (!counted->count || wrong)
		report(session, check, SELFTEST_FAIL,
		       "the calls of %zu of %zu CPUs are not as counted; the "
		       "first is CPU %d",
		       wrong, counted->count, first_wrong);
	else
		report(session, check, SELFTEST_PASS,
		       "the calls on each of %zu CPUs are as counted",
		       counted->count);
}

/* Losses are permitted under load, if the trace marks them. */
static void check_load(struct session *session, const char *check)
{
	const struct evidence *evidence = &session->evidence;
	int64_t counted = session->counts.calls;
	bool is_good = counted > 0 &&
		       (evidence->gaps ?
				evidence->calls > 0 &&
					evidence->calls <= (uint64_t)counted :
				evidence->calls == (uint64_t)counted);

	report(session, check, is_good ? SELFTEST_PASS : SELFTEST_FAIL,
	       "%" PRId64 " system calls counted, %" PRIu64
	       " in the trace, %" PRIu64 " gaps",
	       counted, evidence->calls, evidence->gaps);
}

static void check_only(struct session *session, const char *check)
{
	const struct evidence *evidence = &session->evidence;

	if (evidence->other_calls)
		report(session, check, SELFTEST_FAIL,
		       "%" PRIu64 " other system calls are in the trace",
		       evidence->other_calls);
	else
		check_calls(session, check);
}

/* Each long sleep in the saved trace must also be long by the program's clock.
 * The machine may prolong other sleeps, which then are hits, too, but those are
 * long by the program's clock as well.
 */
static void check_trigger(struct session *session, const char *check)
{
	uint64_t sleeps = session->evidence.long_sleeps;
	int64_t own = session->counts.sleeps;

	if (!has_times(session, check))
		return;
	report(session, check,
	       sleeps && own >= 0 && sleeps <= (uint64_t)own ? SELFTEST_PASS :
							       SELFTEST_FAIL,
	       "%" PRIu64 " sleeps of %d ms in the saved trace, of %" PRId64,
	       sleeps, PROGRAM_LONG_SLEEP_MS, own);
}

static void check_batches(struct session *session, const char *check)
{
	const struct evidence *evidence = &session->evidence;

	/* The first batch may have started before the recording. */
	report(session, check,
	       evidence->marks.count > 1 && evidence->wrong_batches <= 1 &&
			       evidence->last_batch == PROGRAM_BATCHES ?
		       SELFTEST_PASS :
		       SELFTEST_FAIL,
	       "%zu batches of calls up to the %" PRIu64 "th of %d, %" PRIu64
	       " of them not whole",
	       evidence->marks.count, evidence->last_batch, PROGRAM_BATCHES,
	       evidence->wrong_batches);
}

static void check_hotplug(struct session *session, const char *check)
{
	if (session->counts.refused >= 0)
		report(session, check, SELFTEST_UNTRIED,
		       "CPU %" PRId64 " cannot be switched off",
		       session->counts.refused);
	else
		check_calls(session, check);
}

enum { CHECKS = 11 };

struct check {
	const char *name;
	void (*run)(struct session *session, const char *check);
};

static const struct plan {
	struct trial trial;
	const char *title; /* of the row if the recording failed */
	struct check checks[CHECKS];
	bool is_optional; /* a machine may be unable to record it */
	bool needs_hotplug;
	/* recorded only on Arm: with Intel PT the option changes nothing or is
	 * not supported
	 */
	bool is_arm;
} plans[] = {
	{
		.trial = { "calls", "calls", { "--events=none" } },
		.title = "recording",
		.checks = { { "system calls", check_calls },
			    { "page faults", check_faults },
			    { "context switches", check_switches },
			    { "clock", check_clock },
			    { "instructions:k", check_pmu },
			    { "gaps", check_gaps },
			    { "sync points", check_syncs },
			    { "cycle counts", check_cycles },
			    { "deep idle", check_idle },
			    { "engines", check_engines },
			    { "perf", check_perf } },
	},
	{
		.trial = { "user", "short", { "--events=none", "--user" } },
		.title = "user space",
		.checks = { { "user: calls", check_calls },
			    { "user: gaps", check_gaps },
			    { "user: engines", check_engines } },
	},
	{
		.trial = { "cycles", "short", { "--events=none", "--cycles" } },
		.title = "cycles",
		.checks = { { "cycles: calls", check_calls },
			    { "cycles: counts", check_cycles },
			    { "cycles: engines", check_engines } },
		.is_optional = true,
		.is_arm = true,
	},
	{
		.trial = { "returns",
			   "short",
			   { "--events=none", "--return-stack" } },
		.title = "return stack",
		.checks = { { "returns: calls", check_calls },
			    { "returns: gaps", check_gaps },
			    { "returns: engines", check_engines } },
		.is_optional = true,
		.is_arm = true,
	},
	{
		.trial = { "cpus", "cpus", { "--events=none" } },
		.title = "every CPU",
		.checks = { { "every CPU", check_cpus },
			    { "every CPU: gaps", check_gaps } },
	},
	{
		.trial = { "load", "load", { "--events=none" } },
		.title = "full load",
		.checks = { { "full load", check_load } },
	},
	{
		.trial = { "snapshot",
			   "short",
			   { "--events=none", "--snapshot" } },
		.title = "snapshot",
		.checks = { { "snapshot", check_calls } },
	},
	{
		.trial = { "filter",
			   "short",
			   { "--events=none", "--filter=SYS_getppid" } },
		.title = "filter",
		.checks = { { "filter", check_only } },
		.is_optional = true,
	},
	{
		.trial = { "only",
			   "short",
			   { "--events=none", "--only=getppid" } },
		.title = "--only",
		.checks = { { "--only", check_only } },
		.is_optional = true,
	},
	{
		.trial = { "trigger",
			   "trigger",
			   { "--events=none",
			     "--trigger=clock_nanosleep>15ms" } },
		.title = "--trigger",
		.checks = { { "--trigger", check_trigger } },
		.is_optional = true,
	},
	{
		.trial = { "attach",
			   "batches",
			   { "--events=none" },
			   .attaches = true },
		.title = "attaching",
		.checks = { { "attaching", check_batches } },
	},
	{
		.trial = { "hotplug", "hotplug", { "--events=none" } },
		.title = "hotplug",
		.checks = { { "hotplug", check_hotplug } },
		.is_optional = true,
		.needs_hotplug = true,
	},
};

/* Judges a recording by the checks of its plan. */
static void judge(struct session *session, const struct plan *plan)
{
	const char *name = plan->trial.name;
	int code;

	if (trial_counts_read(&session->counts, session->options, name)) {
		report(session, plan->title, SELFTEST_FAIL,
		       "%s.counts cannot be read", name);
		return;
	}
	code = evidence_read(&session->evidence, session->options, name,
			     session->counts.pid);
	if (code)
		report(session, plan->title, SELFTEST_FAIL,
		       "the recording cannot be decoded, exit code %d", code);
	for (size_t i = 0; !code && i < CHECKS && plan->checks[i].run; i++)
		plan->checks[i].run(session, plan->checks[i].name);
	packet_sums_free(&session->packets);
	session->has_packets = false;
	evidence_free(&session->evidence);
	trial_counts_free(&session->counts);
}

#if defined(__aarch64__) || defined(__arm__)
enum { IS_ARM = true };
#else
enum { IS_ARM = false };
#endif

/* Records and judges one trial. Returns false if the recorder refuses a trial
 * that every trace unit can do: then no other trial is tried.
 */
static bool run_plan(struct session *session, const struct plan *plan)
{
	char reason[160];

	session->trial = &plan->trial;
	if (plan->is_arm && !IS_ARM && !session->options->judges_only)
		return true;
	if (plan->needs_hotplug && !session->options->with_hotplug &&
	    !session->options->judges_only) {
		report(session, plan->title, SELFTEST_UNTRIED,
		       "only with --hotplug, which switches a CPU off and on");
		return true;
	}
	switch (trial_record(session->options, &plan->trial, reason,
			     sizeof(reason))) {
	case TRIAL_RECORDED:
		if (session->options->records_only)
			report(session, plan->title, SELFTEST_UNTRIED,
			       "recorded, to be checked with --judge");
		else
			judge(session, plan);
		return true;
	case TRIAL_ABSENT:
		return true;
	case TRIAL_REFUSED:
		report(session, plan->title,
		       plan->is_optional ? SELFTEST_UNTRIED : SELFTEST_FAIL,
		       "%s", reason);
		return plan->is_optional;
	case TRIAL_FAILED:
		break;
	}
	report(session, plan->title, SELFTEST_FAIL,
	       "the recorder or its program failed: %s", reason);
	return true;
}

/* Returns whether @list, names separated by commas, has @name. NULL has all. */
static bool is_chosen(const char *list, const char *name)
{
	size_t length = strlen(name);

	if (!list)
		return true;
	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (!strncmp(list, name, length) &&
		    (list[length] == ',' || !list[length]))
			return true;
	return false;
}

void selftest_run(const struct selftest_options *options,
		  void (*report_row)(const struct selftest_row *row,
				     void *context),
		  void *context)
{
	struct session session = {
		.options = options,
		.report = report_row,
		.context = context,
	};

	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++)
		if (is_chosen(options->trials, plans[i].trial.name) &&
		    !run_plan(&session, &plans[i]))
			break;
}

bool selftest_trial(size_t index, const char **name)
{
	const size_t count = sizeof(plans) / sizeof(*plans);

	if (index < count)
		*name = plans[index].trial.name;
	return index < count;
}
