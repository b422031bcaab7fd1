/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the information in a recording's packets without the code (targets,
 * Event Trace, power events) with the ground truth of its boot. libipt cannot
 * follow the flow with TNT packets off, nor can Debian's with events.
 *
 *	tool_transfers --truth DIR [--slack TICKS] RECORDING...
 *
 * RECORDINGs are perf.data directories, made with noretcomp, in the order in
 * which they were made. Prints a line per CPU and recording; exits 1 on any
 * error or difference, 2 if it cannot start.
 */
#include "decoder/recording/recording_data.h"
#include "machine/tests/conformance/transfer_check.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *truth;
	uint64_t slack;
	char **recordings;
	int count;
};

enum { OPTION_TRUTH = 1, OPTION_SLACK };

static const struct option long_options[] = {
	{ "truth", required_argument, NULL, OPTION_TRUTH },
	{ "slack", required_argument, NULL, OPTION_SLACK },
	{ 0 },
};

static bool parse(struct options *options, int argc, char **argv)
{
	int option;

	*options = (struct options){ .slack = 2000 };
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) > 0) {
		if (option == OPTION_TRUTH)
			options->truth = optarg;
		else if (option == OPTION_SLACK)
			options->slack = strtoull(optarg, NULL, 0);
		else
			return false;
	}
	options->recordings = argv + optind;
	options->count = argc - optind;
	return options->truth && options->count > 0;
}

/* One CPU's stream, the findings about it, and the session it agrees with. */
struct stream_check {
	struct transfer_check check;
	struct transfers transfers;
	bool is_good;
};

static void check_from(struct stream_check *stream_check,
		       const struct options *options,
		       const struct recording *recording,
		       const struct trace_stream *stream)
{
	stream_check->is_good =
		transfer_check_run(&stream_check->check, recording, stream,
				   &stream_check->transfers, options->slack);
}

/* With the host's clock, several sessions may be within the slack: the stream
 * belongs to the one that it equals.
 */
static void find_equal(struct stream_check *stream_check,
		       const struct options *options,
		       const struct recording *recording,
		       const struct trace_stream *stream,
		       struct truth_reader *truth)
{
	const struct truth_reader begin = *truth;
	uint32_t passed_over = 0;

	do {
		if (passed_over)
			transfers_close(&stream_check->transfers);
		*truth = begin;
		stream_check->check = (struct transfer_check){
			.truth = truth,
			.passed_over = passed_over++,
		};
		check_from(stream_check, options, recording, stream);
	} while (!stream_check->is_good && stream_check->check.is_near);
}

static bool check_stream(const struct options *options,
			 const struct recording *recording,
			 const struct trace_stream *stream,
			 struct truth_reader *truth)
{
	struct stream_check stream_check;
	const struct transfer_check *check = &stream_check.check;
	const struct transfers *transfers = &stream_check.transfers;
	bool good;

	find_equal(&stream_check, options, recording, stream, truth);
	good = stream_check.is_good;
	printf("%s cpu %" PRIu32 ": bytes %zu transfers %" PRIu64
	       " interrupts %" PRIu64 " page-faults %" PRIu64 " irets %" PRIu64
	       " flag-writes %" PRIu64 " stops %" PRIu64 " wakes %" PRIu64
	       " tnt %" PRIu64,
	       recording->directory, stream->cpu, stream->size, check->compared,
	       check->interrupts, check->faults, check->irets,
	       transfers->flag_writes, transfers->stops, check->wakes,
	       transfers->branches);
	if (!good)
		printf(" wrong at byte %" PRIu64 ": %s", check->offset,
		       check->wrong);
	putchar('\n');
	transfers_close(&stream_check.transfers);
	return good && check->compared && !stream->broken && !stream->truncated;
}

static bool check_recording(const struct options *options,
			    const char *directory, uint32_t cpu,
			    struct truth_reader *truth, uint32_t *cpus)
{
	struct recording recording;
	bool good = recording_open(&recording, directory);

	for (uint32_t i = 0; good && i < recording.stream_count; i++) {
		const struct trace_stream *stream = &recording.streams[i];

		if (stream->cpu >= *cpus)
			*cpus = stream->cpu + 1;
		if (stream->cpu == cpu && stream->size)
			good = check_stream(options, &recording, stream, truth);
	}
	recording_close(&recording);
	return good;
}

static bool check_cpu(const struct options *options, uint32_t cpu,
		      uint32_t *cpus)
{
	struct truth_reader truth;
	bool good = true;

	if (!truth_reader_open_cpu(&truth, options->truth, cpu))
		return false;
	for (int i = 0; i < options->count; i++)
		good &= check_recording(options, options->recordings[i], cpu,
					&truth, cpus);
	truth_reader_close(&truth);
	return good;
}

int main(int argc, char **argv)
{
	struct options options;
	uint32_t cpus = 1;
	bool good = true;

	if (!parse(&options, argc, argv)) {
		fprintf(stderr,
			"usage: %s --truth DIR [--slack TICKS] RECORDING...\n",
			argv[0]);
		return 2;
	}
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		good &= check_cpu(&options, cpu, &cpus);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
