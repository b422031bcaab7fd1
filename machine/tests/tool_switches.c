/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints when each task was switched in, or when each CPU began or ceased to
 * let interrupts through, according to the ground truth.
 *
 *	tool_switches [--interrupts] TRUTH RECORDING
 *
 * Prints CSV: time_ns,cpu,tid, a line per switch of the boot when the
 * recording was made, in the recording's time; CPU by CPU. The idle task's tid
 * is 0. With --interrupts time_ns,cpu,on; also with the line -1 in "on" where
 * the trace unit is switched off. Exits 2 on errors.
 */
#include "decoder/recording/recording_data.h"
#include "machine/tests/conformance/recording.h"
#include "machine/tests/conformance/truth_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_cpu(struct truth_reader *truth, uint32_t cpu,
		      const struct recording *recording)
{
	uint8_t kind = truth->with_interrupts ? TRUTH_INTERRUPTS : TRUTH_SWITCH;
	struct truth_event event;

	while (truth_reader_next(truth, &event)) {
		bool is_off = truth->with_interrupts &&
			      event.kind == TRUTH_TRACE_OFF;

		if (event.kind == kind || is_off)
			printf("%" PRIu64 ",%" PRIu32 ",%" PRId64 "\n",
			       recording_time_ns(recording, event.tsc), cpu,
			       is_off ? -1 : (int64_t)event.pid);
	}
}

static bool print_switches(const char *directory,
			   const struct recording *recording,
			   bool with_interrupts)
{
	struct truth_reader truth;

	puts(with_interrupts ? "time_ns,cpu,on" : "time_ns,cpu,tid");
	for (uint32_t cpu = 0; cpu < MAX_CPUS && truth_has_cpu(directory, cpu);
	     cpu++) {
		if (!truth_reader_open_cpu(&truth, directory, cpu))
			return false;
		truth.with_interrupts = with_interrupts;
		print_cpu(&truth, cpu, recording);
		truth_reader_close(&truth);
	}
	return true;
}

int main(int argc, char **argv)
{
	struct recording recording;
	bool with_interrupts = argc > 1 && !strcmp(argv[1], "--interrupts");
	char **rest = argv + with_interrupts;
	bool good;

	if (argc != 3 + with_interrupts) {
		fprintf(stderr, "usage: %s [--interrupts] TRUTH RECORDING\n",
			argv[0]);
		return 2;
	}
	good = recording_open(&recording, rest[2]) &&
	       print_switches(rest[1], &recording, with_interrupts);
	recording_close(&recording);
	return good ? 0 : 2;
}
