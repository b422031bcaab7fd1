/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints when each task was switched in, or when each CPU began or ceased to
 * let interrupts through, according to the ground truth.
 *
 *	tool_switches [--interrupts] TRUTH RECORDING
 *
 * Prints CSV: time_ns,cpu,tid, a line per switch of the boot when the
 * recording was made, in the recording's time; CPU by CPU. The idle task's tid
 * is 0. With --interrupts time_ns,cpu,on; also with the line -1 in "on" where
 * the trace unit is switched off. The truth has the flag at the start of each
 * block. An interrupt that waited for the flag comes before the next block: it is
 * the evidence that the CPU let it through, except if it is an NMI. Exits 2 on
 * errors.
 */
#include "decoder/recording/recording_data.h"
#include "machine/tests/conformance/recording.h"
#include "machine/tests/conformance/truth_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns the address at which NMIs enter the recorded kernel, or 0. */
static uint64_t nmi_entry(const char *directory)
{
	char line[512], name[256];
	uint64_t address, found = 0;
	FILE *file;

	snprintf(line, sizeof(line), "%s/kcore_dir/kallsyms", directory);
	file = fopen(line, "r");
	while (file && !found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 " %*c %255s", &address, name) ==
			    2 &&
		    !strcmp(name, "asm_exc_nmi"))
			found = address;
	if (file)
		fclose(file);
	return found;
}

static void print_line(const struct recording *recording, uint64_t tsc,
		       uint32_t cpu, int64_t value)
{
	printf("%" PRIu64 ",%" PRIu32 ",%" PRId64 "\n",
	       recording_time_ns(recording, tsc), cpu, value);
}

static void print_tasks(struct truth_reader *truth, uint32_t cpu,
			const struct recording *recording)
{
	struct truth_event event;

	while (truth_reader_next(truth, &event))
		if (event.kind == TRUTH_SWITCH)
			print_line(recording, event.tsc, cpu, event.pid);
}

static void print_interrupts(struct truth_reader *truth, uint32_t cpu,
			     const struct recording *recording)
{
	uint64_t nmi = nmi_entry(recording->directory);
	struct truth_event event;
	int64_t on = -1;

	while (truth_reader_next(truth, &event)) {
		if (event.kind == TRUTH_INTERRUPT && !on && event.to != nmi) {
			print_line(recording, event.tsc, cpu, 1);
			print_line(recording, event.tsc, cpu, 0);
		}
		if (event.kind != TRUTH_INTERRUPTS &&
		    event.kind != TRUTH_TRACE_OFF)
			continue;
		on = event.kind == TRUTH_TRACE_OFF ? -1 : (int64_t)event.pid;
		print_line(recording, event.tsc, cpu, on);
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
		if (with_interrupts)
			print_interrupts(&truth, cpu, recording);
		else
			print_tasks(&truth, cpu, recording);
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
