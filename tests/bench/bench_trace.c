/* SPDX-License-Identifier: MIT */
/* Measures reading trace without looking at code: a lower bound for decoding.
 *
 * 	bench_trace [-s | -p] RECORDING...
 *
 * -s: searches for sync points; -p: reads packets as branches; by default both,
 * one after the other.
 */
#include "cmd/console/console.h"
#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check(int status, const char *what)
{
	if (status >= 0)
		return;
	fprintf(stderr, "bench_trace: %s: %s\n", what, error_text(status));
	exit(1);
}

/* Returns how many synchronisation points there are. */
static uint64_t search_points(struct branch_source *source)
{
	uint64_t count = 0;

	for (uint64_t at = branch_source_next_sync(source, 0); at != NO_SYNC;
	     at = branch_source_next_sync(source, at + 1))
		count++;
	return count;
}

/* Returns how many branches there are, lists of bits being one. */
static uint64_t read_packets(struct branch_source *source)
{
	struct trace_branch_batch batch;
	uint64_t count = 0;
	int status;

	while ((status = branch_source_next(source, &batch)) > 0)
		count += batch.count;
	check(status, "packets");
	return count;
}

static void measure(const struct recording *recording, const char *what,
		    uint64_t (*work)(struct branch_source *source))
{
	uint64_t bytes = 0;
	uint64_t count = 0;
	double seconds = cpu_seconds();

	for (size_t i = 0; i < recording_stream_count(recording); i++) {
		const struct flow_input input = {
			.recording = recording,
			.stream = recording_stream(recording, i),
			.log = &console_log,
		};
		struct branch_source *source;

		check(branch_source_open(&input, &source),
		      recording_path(recording));
		count += work(source);
		bytes += input.stream->size_bytes;
		branch_source_close(source);
	}
	seconds = cpu_seconds() - seconds;
	printf("%s: %llu %s in %.1f MB of trace, %.2f s, %.0f MB/s\n",
	       recording_path(recording), (unsigned long long)count, what,
	       (double)bytes / 1e6, seconds, (double)bytes / 1e6 / seconds);
}

int main(int argc, char **argv)
{
	bool searches = true;
	bool reads = true;
	int option;

	while ((option = getopt(argc, argv, "sp")) != -1) {
		searches = option == 's';
		reads = option == 'p';
	}
	for (; optind < argc; optind++) {
		struct recording *recording;

		check(recording_open(argv[optind], &console_log, &recording),
		      argv[optind]);
		if (searches)
			measure(recording, "points", search_points);
		if (reads)
			measure(recording, "branches", read_packets);
		recording_close(recording);
	}
	return 0;
}
