/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the starts and ends of kernel functions in the ground truth.
 *
 *	tool_passages FROM_NS TO_NS TRUTH RECORDING
 *
 * Prints CSV: time_ns,event,function,seen, a line per entry (enter) or exit, in
 * order, between two times of the recording's clock, of the boot when the
 * recording was made; CPU by CPU. seen is 0 for functions that started or ended
 * while the trace was off. Exits 2 on errors.
 */
#include "decoder/recording/recording_data.h"
#include "machine/tests/conformance/recording.h"
#include "machine/tests/functions/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Starts earlier by this, to find the functions that are open at FROM_NS. */
enum { MARGIN_NS = 500000 };

static uint64_t tsc_of(const struct recording *recording, uint64_t time_ns)
{
	unsigned __int128 ticks = time_ns - recording->time_zero;

	return (uint64_t)((ticks << recording->time_shift) /
			  recording->time_mult);
}

static void print_passages(const struct passages *passages,
			   const struct recording *recording, uint64_t from_ns,
			   uint64_t to_ns)
{
	for (size_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		uint64_t time_ns = recording_time_ns(recording, passage->tsc);

		if (time_ns < from_ns || time_ns > to_ns)
			continue;
		printf("%" PRIu64 ",%s,%s,%d\n", time_ns,
		       passage->is_exit ? "exit" : "enter",
		       passage->function->name, !passage->is_unseen);
	}
}

static int run(uint64_t from_ns, uint64_t to_ns, const char *truth,
	       const char *folder)
{
	struct recording recording;
	struct kernel_names names = { 0 };
	struct replay replay = { 0 };
	bool good = recording_open(&recording, folder) &&
		    kernel_names_read(&names, folder, NULL) &&
		    replay_truth(&replay, truth, &names,
				 stack_rules_of(&recording),
				 tsc_of(&recording, from_ns - MARGIN_NS),
				 tsc_of(&recording, to_ns));

	if (good)
		puts("time_ns,event,function,seen");
	for (uint32_t cpu = 0; good && cpu < replay.cpus; cpu++)
		print_passages(&replay.passages[cpu], &recording, from_ns,
			       to_ns);
	replay_free(&replay);
	kernel_names_free(&names);
	recording_close(&recording);
	return good ? 0 : 2;
}

int main(int argc, char **argv)
{
	if (argc == 5)
		return run(strtoull(argv[1], NULL, 10),
			   strtoull(argv[2], NULL, 10), argv[3], argv[4]);
	fprintf(stderr, "usage: %s FROM_NS TO_NS TRUTH RECORDING\n", argv[0]);
	return 2;
}
