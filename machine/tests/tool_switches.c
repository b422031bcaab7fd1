/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints when each task was switched in, according to the ground truth.
 *
 *	tool_switches TRUTH RECORDING
 *
 * Prints CSV: time_ns,cpu,tid, a line per switch of the boot when the
 * recording was made, in the recording's time; CPU by CPU. The idle task's tid
 * is 0. Exits 2 on errors.
 */
#include "decoder/recording/recording_data.h"
#include "machine/tests/conformance/recording.h"
#include "machine/tests/conformance/truth_reader.h"

#include <inttypes.h>
#include <stdio.h>

static void print_cpu(struct truth_reader *truth, uint32_t cpu,
		      const struct recording *recording)
{
	struct truth_event event;

	while (truth_reader_next(truth, &event))
		if (event.kind == TRUTH_SWITCH)
			printf("%" PRIu64 ",%" PRIu32 ",%" PRIu32 "\n",
			       recording_time_ns(recording, event.tsc), cpu,
			       event.pid);
}

static bool print_switches(const char *directory,
			   const struct recording *recording)
{
	struct truth_reader truth;

	puts("time_ns,cpu,tid");
	for (uint32_t cpu = 0; cpu < MAX_CPUS && truth_has_cpu(directory, cpu);
	     cpu++) {
		if (!truth_reader_open_cpu(&truth, directory, cpu))
			return false;
		print_cpu(&truth, cpu, recording);
		truth_reader_close(&truth);
	}
	return true;
}

int main(int argc, char **argv)
{
	struct recording recording;
	bool good;

	if (argc != 3) {
		fprintf(stderr, "usage: %s TRUTH RECORDING\n", argv[0]);
		return 2;
	}
	good = recording_open(&recording, argv[2]) &&
	       print_switches(argv[1], &recording);
	recording_close(&recording);
	return good ? 0 : 2;
}
