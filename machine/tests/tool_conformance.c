/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes recordings of one boot with libipt and compares them with the ground
 * truth of that boot, branch by branch.
 *
 *	tool_conformance [--truth DIR] [--vdso FILE] [--slack TICKS]
 *		[--time-p99 TICKS] RECORDING...
 *
 * RECORDINGs are perf.data directories in the order they were made.
 * Without --truth they are only decoded. Prints a line per CPU and recording;
 * exits 1 on any error or difference, 2 if it cannot start.
 */
#include "decoder/recording/recording_data.h"
#include "machine/tests/conformance/compare.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *truth;
	const char *vdso;
	uint64_t slack;
	uint64_t time_p99; /* maximum allowed */
	char **recordings;
	int count;
};

enum { BRANCHES_FOR_P99 = 100000 };

enum { OPTION_TRUTH = 1, OPTION_VDSO, OPTION_SLACK, OPTION_TIME_P99 };

static const struct option long_options[] = {
	{ "truth", required_argument, NULL, OPTION_TRUTH },
	{ "vdso", required_argument, NULL, OPTION_VDSO },
	{ "slack", required_argument, NULL, OPTION_SLACK },
	{ "time-p99", required_argument, NULL, OPTION_TIME_P99 },
	{ 0 },
};

static bool parse(struct options *options, int argc, char **argv)
{
	int option;

	*options = (struct options){ .slack = 2000, .time_p99 = UINT64_MAX };
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) > 0) {
		if (option == OPTION_TRUTH)
			options->truth = optarg;
		else if (option == OPTION_VDSO)
			options->vdso = optarg;
		else if (option == OPTION_SLACK)
			options->slack = strtoull(optarg, NULL, 0);
		else if (option == OPTION_TIME_P99)
			options->time_p99 = strtoull(optarg, NULL, 0);
		else
			return false;
	}
	options->recordings = argv + optind;
	options->count = argc - optind;
	return options->count > 0;
}

static void print_times(const struct comparison *comparison)
{
	printf(" sessions %" PRIu64 " branches %" PRIu64 " differences %" PRIu64
	       " unclaimed %" PRIu64 " early-ends %" PRIu64
	       " time-error p99 %" PRIu64 " max %" PRIu64
	       ", at packets p99 %" PRIu64 " max %" PRIu64,
	       comparison->sessions, comparison->compared,
	       comparison->mismatches, comparison->unclaimed,
	       comparison->early_ends, time_error_p99(&comparison->all),
	       comparison->all.max, time_error_p99(&comparison->packet),
	       comparison->packet.max);
}

static void print_line(const struct recording *recording,
		       const struct trace_stream *stream,
		       const struct flow_stats *stats,
		       const struct comparison *comparison)
{
	printf("%s cpu %" PRIu32 ": bytes %zu undecoded %" PRIu64
	       " instructions %" PRIu64 " errors %" PRIu64
	       " overflows %" PRIu64,
	       recording->directory, stream->cpu, stream->size,
	       stats->undecoded, stats->instructions, stats->errors,
	       stats->overflows);
	if (stats->errors)
		printf(" (first %d at %" PRIu64 ")", stats->first_code,
		       stats->first_error);
	if (stream->truncated)
		printf(" truncated %" PRIu64, stream->truncated);
	if (stream->broken || stream->aux_bytes != stream->size)
		printf(" aux-records-say %" PRIu64, stream->aux_bytes);
	if (comparison)
		print_times(comparison);
	putchar('\n');
}

/* With few branches, whose times are interpolated, p99 is meaningless. */
static bool is_timely(const struct options *options,
		      const struct comparison *comparison)
{
	return comparison->compared < BRANCHES_FOR_P99 ||
	       time_error_p99(&comparison->all) <= options->time_p99;
}

static bool is_perfect(const struct options *options,
		       const struct trace_stream *stream,
		       const struct flow_stats *stats,
		       const struct comparison *comparison)
{
	if (stats->errors || stats->undecoded || stream->broken ||
	    stream->truncated || stream->aux_bytes != stream->size)
		return false;
	return !comparison ||
	       (!comparison->mismatches && !comparison->unclaimed &&
		is_timely(options, comparison));
}

static void decode_only(struct flow *flow)
{
	struct item item;

	while (flow_next(flow, &item))
		;
}

static bool check_stream(const struct options *options,
			 const struct recording *recording,
			 const struct trace_stream *stream, struct code *code,
			 struct expected *expected)
{
	struct flow *flow = flow_open(recording, stream, code);
	struct comparison *comparison = NULL;
	bool perfect;

	if (!flow) {
		fprintf(stderr, "libipt does not take the trace\n");
		return false;
	}
	if (expected) {
		comparison = calloc(1, sizeof(*comparison));
		if (!comparison)
			abort();
		expected_use(expected, recording);
		compare_flow(comparison, flow, expected, options->slack);
	} else {
		decode_only(flow);
	}
	print_line(recording, stream, flow_stats(flow), comparison);
	perfect = is_perfect(options, stream, flow_stats(flow), comparison);
	flow_close(flow);
	free(comparison);
	return perfect;
}

/* Checks the part of @directory that was recorded on @cpu; returns true if
 * there is none.
 */
static bool check_recording(const struct options *options,
			    const char *directory, uint32_t cpu,
			    struct expected *expected, uint32_t *cpus)
{
	struct recording recording;
	struct code *code = NULL;
	bool good = recording_open(&recording, directory);

	if (good)
		code = code_open(&recording, options->vdso);
	good = code != NULL;
	for (uint32_t i = 0; good && i < recording.stream_count; i++) {
		const struct trace_stream *stream = &recording.streams[i];

		if (stream->cpu >= *cpus)
			*cpus = stream->cpu + 1;
		if (stream->cpu == cpu && stream->size)
			good = check_stream(options, &recording, stream, code,
					    expected);
	}
	if (code)
		code_close(code);
	recording_close(&recording);
	return good;
}

/* Counts traced items that are in none of the recordings. */
static bool check_rest(struct expected *expected, uint32_t cpu)
{
	struct comparison *rest = calloc(1, sizeof(*rest));
	bool none;

	if (!rest)
		abort();
	if (expected->recording)
		compare_rest(rest, expected);
	none = !rest->unclaimed;
	if (!none)
		printf("cpu %" PRIu32 ": the truth has %" PRIu64
		       " more branches in %" PRIu64 " sessions\n",
		       cpu, rest->unclaimed, rest->unclaimed_sessions);
	free(rest);
	return none;
}

static bool check_cpu(const struct options *options, uint32_t cpu,
		      uint32_t *cpus)
{
	struct expected expected;
	bool good = true;

	if (options->truth && !expected_open(&expected, options->truth, cpu))
		return false;
	for (int i = 0; i < options->count; i++)
		good &= check_recording(options, options->recordings[i], cpu,
					options->truth ? &expected : NULL,
					cpus);
	if (options->truth) {
		good &= !good || check_rest(&expected, cpu);
		expected_close(&expected);
	}
	return good;
}

int main(int argc, char **argv)
{
	struct options options;
	uint32_t cpus = 1;
	bool good = true;

	if (!parse(&options, argc, argv)) {
		fprintf(stderr,
			"usage: %s [--truth DIR] [--vdso FILE]"
			" [--slack TICKS] [--time-p99 TICKS]"
			" RECORDING...\n",
			argv[0]);
		return 2;
	}
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		good &= check_cpu(&options, cpu, &cpus);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
