/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares function entries and exits with the ground truth.
 *
 *	ktrace-hw timeline -i RECORDING --format=csv |
 *		tool_functions [--time-p99 NS | --host-clock | --list]
 *			       [--names FILE]
 *			       TRUTH RECORDING
 *
 * Computes the entries and exits of kernel functions, of x86-64 or arm64, from
 * the truth of the boot when the recording was made, by pairing them by
 * stack pointer, and compares each with the timeline: same order, same task.
 * Functions that started or ended untraced while the trace was paused are
 * omitted. Prints a line per CPU; exits 1 on a difference, if a true time lies
 * outside the reported bounds, or if the 99th percentile of the errors is
 * larger than NS; 2 if it cannot start. --host-clock: the machine's clock is
 * the host's. Trace unit and truth then read it one after the other: one in 100
 * times may be more than a microsecond outside, if the host ran something else
 * in between. --names: a file with names of code that was loaded later, in
 * kallsyms' format. --list: does not compare, but writes the truth's entries
 * and exits as CSV.
 */
#include "decoder/recording/recording_data.h"
#include "machine/tests/conformance/recording.h"
#include "machine/tests/functions/match.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Recordings of one boot are farther apart than this. */
enum { MARGIN_NS = 500000 };

/* How far apart trace unit and truth read the host's clock for one event. */
enum { HOST_SLACK_NS = 1000 };

struct options {
	uint64_t time_p99;
	bool host_clock;
	bool lists;
	const char *names;
	const char *truth;
	const char *recording;
};

static const struct option long_options[] = {
	{ "time-p99", required_argument, NULL, 't' },
	{ "host-clock", no_argument, NULL, 'h' },
	{ "list", no_argument, NULL, 'l' },
	{ "names", required_argument, NULL, 'm' },
	{ 0 },
};

static bool parse(struct options *options, int argc, char **argv)
{
	int option;

	*options = (struct options){ .time_p99 = UINT64_MAX };
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) > 0) {
		if (option == 't')
			options->time_p99 = strtoull(optarg, NULL, 10);
		else if (option == 'h')
			options->host_clock = true;
		else if (option == 'l')
			options->lists = true;
		else if (option == 'm')
			options->names = optarg;
		else
			return false;
	}
	if (argc - optind != 2)
		return false;
	options->truth = argv[optind];
	options->recording = argv[optind + 1];
	return true;
}

/* The recording's time zero may be before or after the TSC's. */
static uint64_t tsc_of(const struct recording *recording, uint64_t time_ns)
{
	unsigned __int128 ticks = time_ns - recording->time_zero;

	return (uint64_t)((ticks << recording->time_shift) /
			  recording->time_mult);
}

static bool replay_for(struct replay *replay, const struct options *options,
		       const struct recording *recording,
		       const struct kernel_names *names,
		       const struct timeline *timeline)
{
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;

	for (size_t i = 0; i < timeline->count; i++) {
		uint64_t time_ns = timeline->lines[i].time_ns;

		first = time_ns < first ? time_ns : first;
		last = time_ns > last ? time_ns : last;
	}
	return replay_truth(replay, options->truth, names,
			    stack_rules_of(recording),
			    tsc_of(recording, first - MARGIN_NS),
			    tsc_of(recording, last + MARGIN_NS));
}

static bool print_times(const struct options *options,
			const struct match *match)
{
	uint64_t p99 = time_error_p99(&match->error);

	printf("; time error p99 %" PRIu64 " ns, max %" PRIu64 " ns; %" PRIu64
	       " outside the interval",
	       p99, match->error.max, match->outside);
	if (options->host_clock)
		return match->outside <= match->compared / 100;
	return !match->outside && p99 <= options->time_p99;
}

/* Returns the traced time in the kernel on this CPU. */
static uint64_t kernel_ns(const struct recording *recording,
			  const struct replay *replay, uint32_t cpu)
{
	return recording_ticks_ns(recording, replay->kernel_ticks[cpu]);
}

static bool print_match(const struct options *options,
			const struct recording *recording,
			const struct replay *replay, uint32_t cpu,
			const struct match *match, bool all)
{
	bool good;

	printf("%s cpu %" PRIu32 ": %" PRIu64 " entries and exits%s equal to "
	       "the truth, %" PRIu64 " left out%s",
	       options->recording, cpu, match->compared,
	       all ? "" : " that were seen", match->left_out,
	       match->differs ? ", then they DIFFER" : "");
	good = print_times(options, match);
	printf("; switches %" PRIu64 " kernel %" PRIu64 " ns\n",
	       replay->switches[cpu], kernel_ns(recording, replay, cpu));
	return good && !match->differs;
}

static bool compare(const struct options *options,
		    const struct recording *recording,
		    const struct replay *replay,
		    const struct timeline *timeline)
{
	struct match *match = calloc(1, sizeof(*match));
	bool all = replay->pauses <= replay->cpus;
	bool good = true;
	uint64_t compared = 0;

	if (!match)
		abort();
	for (uint32_t cpu = 0; cpu < replay->cpus; cpu++) {
		match_cpu(match, recording, replay, timeline, cpu, all,
			  options->host_clock ? HOST_SLACK_NS : 1);
		good &= print_match(options, recording, replay, cpu, match,
				    all);
		compared += match->compared;
	}
	free(match);
	if (!compared)
		printf("%s: there is nothing to compare\n", options->recording);
	return good && compared;
}

static void list(const struct recording *recording, const struct replay *replay)
{
	printf("event,time_ns,cpu,task,function,is_unseen\n");
	for (uint32_t cpu = 0; cpu < replay->cpus; cpu++)
		for (size_t i = 0; i < replay->passages[cpu].count; i++) {
			const struct passage *passage =
				&replay->passages[cpu].items[i];

			printf("%s,%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%s,%d\n",
			       passage->is_exit ? "exit" : "enter",
			       recording_time_ns(recording, passage->tsc), cpu,
			       passage->task, passage->function->name,
			       passage->is_unseen);
		}
}

static int run(const struct options *options)
{
	struct recording recording;
	struct kernel_names names = { 0 };
	struct timeline timeline = { 0 };
	struct replay replay = { 0 };
	int code = 2;

	if (recording_open(&recording, options->recording) &&
	    kernel_names_read(&names, options->recording, options->names) &&
	    timeline_read(&timeline, stdin) &&
	    replay_for(&replay, options, &recording, &names, &timeline)) {
		if (options->lists)
			list(&recording, &replay);
		code = options->lists ? 0 :
					!compare(options, &recording, &replay,
						 &timeline);
	}
	replay_free(&replay);
	timeline_free(&timeline);
	kernel_names_free(&names);
	recording_close(&recording);
	return code;
}

int main(int argc, char **argv)
{
	struct options options;

	if (parse(&options, argc, argv))
		return run(&options);
	fprintf(stderr,
		"usage: %s [--time-p99 NS | --host-clock | --list]"
		" [--names FILE]"
		" TRUTH RECORDING <CSV\n",
		argv[0]);
	return 2;
}
