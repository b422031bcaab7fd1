/* SPDX-License-Identifier: MIT */
#include "selftest/evidence_internal.h"

#include "common/error.h"
#include "selftest/programs.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* The columns of `timeline --format=csv` (docs/formats.md). Later versions may
 * have more.
 */
enum column {
	EVENT,
	TIME,
	CPU,
	PID,
	TID,
	COMM,
	DEPTH,
	FUNCTION,
	DETAIL,
	WALL,
	ON_CPU,
	BEGIN_UNSEEN,
	END_UNSEEN,
	NOT_ALL_SEEN,
	EARLY,
	LATE,
	LOST,
	COLUMNS,
};

/* Divides a line in place. Returns whether it has all columns. Quotes around a
 * field stay.
 */
static bool split(char *line, char *fields[COLUMNS])
{
	bool is_quoted = false;
	size_t count = 0;

	fields[count++] = line;
	for (; *line && *line != '\n'; line++) {
		is_quoted ^= *line == '"';
		if (*line != ',' || is_quoted)
			continue;
		*line = '\0';
		if (count == COLUMNS)
			return true;
		fields[count++] = line + 1;
	}
	*line = '\0';
	return count == COLUMNS;
}

static uint64_t number(const char *field)
{
	return strtoull(field, NULL, 10);
}

/* Returns the system call's name if the function is its first one: the kernel's
 * wrappers are __x64_sys_NAME, __arm64_sys_NAME.
 */
static const char *system_call(const char *function)
{
	const char *name = strstr(function, "64_sys_");

	return name ? name + strlen("64_sys_") : NULL;
}

static void add_mark(struct evidence *evidence, char *const fields[COLUMNS])
{
	const struct mark_time mark = {
		.ns = number(fields[TIME]),
		.early_ns = number(fields[EARLY]),
		.late_ns = number(fields[LATE]),
	};

	if (evidence->marks.count)
		evidence->wrong_batches += evidence->batch !=
					   evidence->last_batch + 1;
	evidence->last_batch = evidence->batch;
	evidence->batch = 0;
	array_append(&evidence->marks, &mark);
}

static void add_call(struct evidence *evidence, int cpu)
{
	struct cpu_calls *calls = array_reach(&evidence->cpus, (size_t)cpu);

	evidence->calls++;
	evidence->batch++;
	if (!calls)
		return;
	calls->cpu = cpu;
	calls->calls++;
}

/* Returns whether the last mark was number @mark. */
static bool is_after(const struct evidence *evidence, size_t mark)
{
	return evidence->marks.count == mark + 1;
}

static void enter(struct evidence *evidence, char *const fields[COLUMNS])
{
	const char *call = system_call(fields[FUNCTION]);

	if (!call) {
		if (!strcmp(fields[FUNCTION], "handle_mm_fault"))
			evidence->faults += is_after(evidence, MARK_FAULTS);
		return;
	}
	if (evidence->is_in_prctl)
		evidence->second.to_ns = number(fields[TIME]);
	evidence->is_in_prctl = !strcmp(call, "prctl");
	if (evidence->is_in_prctl) {
		evidence->first = evidence->second;
		evidence->second.from_ns = number(fields[TIME]);
	}
	if (!strcmp(call, "getppid")) {
		add_call(evidence, atoi(fields[CPU]));
		return;
	}
	evidence->other_calls++;
	if (!strcmp(call, "sched_get_priority_max"))
		add_mark(evidence, fields);
}

static void leave_function(struct evidence *evidence,
			   char *const fields[COLUMNS])
{
	const char *call = system_call(fields[FUNCTION]);

	if (call && !strcmp(call, "clock_nanosleep"))
		evidence->long_sleeps +=
			number(fields[WALL]) >=
			PROGRAM_LONG_SLEEP_MS * UINT64_C(1000000);
}

static void add_gap(struct evidence *evidence, char *const fields[COLUMNS])
{
	if (!evidence->gaps++)
		snprintf(evidence->gap, sizeof(evidence->gap), "%s",
			 fields[DETAIL]);
	evidence->losses += !strcmp(fields[DETAIL], "lost");
	evidence->unsynced += !strcmp(fields[DETAIL], "not yet synchronised");
	evidence->lost_bytes += number(fields[LOST]);
}

static void add_line(struct evidence *evidence, char *line, int64_t pid)
{
	char *fields[COLUMNS];

	if (!split(line, fields))
		return;
	/* The column's name in the header line has the unit of times. */
	if (!strcmp(fields[EVENT], "event"))
		evidence->has_no_times = strcmp(fields[TIME], "time_ns") != 0;
	if (!strcmp(fields[EVENT], "gap"))
		add_gap(evidence, fields);
	if (pid >= 0 && strtoll(fields[PID], NULL, 10) != pid)
		return;
	if (!strcmp(fields[EVENT], "enter"))
		enter(evidence, fields);
	else if (!strcmp(fields[EVENT], "exit"))
		leave_function(evidence, fields);
	else if (!strcmp(fields[EVENT], "leave"))
		evidence->switches += is_after(evidence, MARK_SLEEPS);
}

int evidence_read(struct evidence *evidence,
		  const struct selftest_options *options, const char *name,
		  int64_t pid)
{
	char path[TRIAL_PATH], errors[64];
	const char *const argv[] = {
		options->program, "timeline", "-q", "-i", path,
		"--format=csv",	  NULL
	};
	struct trial_output output;
	char *line = NULL;
	size_t room = 0;
	int error;

	*evidence = (struct evidence){
		.marks = ARRAY_OF(struct mark_time),
		.cpus = ARRAY_OF(struct cpu_calls),
	};
	trial_path(options, name, path);
	snprintf(errors, sizeof(errors), "%s.timeline", name);
	error = trial_output_open(&output, options, argv, errors);
	if (error)
		return error;
	while (getline(&line, &room, output.lines) > 0)
		add_line(evidence, line, pid);
	free(line);
	return trial_output_close(&output);
}

void evidence_free(struct evidence *evidence)
{
	array_free(&evidence->marks);
	array_free(&evidence->cpus);
}

/* The driver of TRBE sets the flag in each record of a buffer that it had to
 * replace because it was full, as some trace may be lost meanwhile. The
 * record's line ends with "flags HEX".
 */
int64_t evidence_full_buffers(const struct selftest_options *options,
			      const char *name)
{
	char path[TRIAL_PATH];
	const char *const argv[] = { options->program, "dump", "-q", "-i", path,
				     "--records",      NULL };
	struct trial_output output;
	char *line = NULL;
	size_t room = 0;
	int64_t count = 0;
	int error;

	trial_path(options, name, path);
	error = trial_output_open(&output, options, argv, "records.errors");
	if (error)
		return error;
	while (getline(&line, &room, output.lines) > 0) {
		const char *flags = strstr(line, " flags ");

		count += flags && strstr(line, " aux offset ") &&
			 strtoull(flags + strlen(" flags "), NULL, 16) &
				 PERF_AUX_FLAG_COLLISION;
	}
	free(line);
	error = trial_output_close(&output);
	return error ? -ERROR_FORMAT : count;
}

/* A block's line is "TIME -EARLY +LATE block KIND FIRST-LAST N instructions",
 * that of an entry "TIME -EARLY +LATE start  IP", or async instead of start.
 */
static void add_block(struct block_sums sums[2], const char *line,
		      const struct time_span spans[2])
{
	uint64_t time_ns, instructions = 0;
	char item[16], kind[32];
	int count = sscanf(line,
			   "%" SCNu64 " -%*u +%*u %15s %31s %*s %" SCNu64
			   " instructions",
			   &time_ns, item, kind, &instructions);
	bool is_block = count == 4 && !strcmp(item, "block");
	bool is_entry = count >= 2 &&
			(!strcmp(item, "start") || !strcmp(item, "async"));

	if (!is_block && !is_entry)
		return;
	for (int i = 0; i < 2; i++) {
		if (time_ns < spans[i].from_ns || time_ns > spans[i].to_ns)
			continue;
		sums[i].entries += is_entry;
		sums[i].instructions += instructions;
		sums[i].branches += is_block && strcmp(kind, "none");
		sums[i].transitions += is_block && !strncmp(kind, "far-", 4);
	}
}

int evidence_blocks(struct block_sums sums[2],
		    const struct selftest_options *options, const char *name,
		    const struct time_span spans[2])
{
	const uint64_t from_ns = spans[1].from_ns, to_ns = spans[1].to_ns + 1;
	char path[TRIAL_PATH], since[64], until[64];
	const char *const argv[] = {
		options->program, "dump", "-q",	 "-i", path,
		"--blocks",	  since,  until, NULL
	};
	struct trial_output output;
	char *line = NULL;
	size_t room = 0;
	int error;

	sums[0] = sums[1] = (struct block_sums){ 0 };
	trial_path(options, name, path);
	snprintf(since, sizeof(since), "--since=@%" PRIu64 ".%09" PRIu64,
		 from_ns / 1000000000, from_ns % 1000000000);
	snprintf(until, sizeof(until), "--until=@%" PRIu64 ".%09" PRIu64,
		 to_ns / 1000000000, to_ns % 1000000000);
	error = trial_output_open(&output, options, argv, "blocks.errors");
	if (error)
		return error;
	while (getline(&line, &room, output.lines) > 0)
		add_block(sums, line, spans);
	free(line);
	return trial_output_close(&output);
}

/* Cycles of a period are multiplied by SCALE and divided by the bus ratio or by
 * the time, so that periods can be compared. MTC_VALUES: an MTC packet has a
 * counter of 8 bits.
 */
enum { SCALE = 256, MTC_VALUES = 256 };

/* The period since the last MTC packet or timestamp. */
struct period {
	bool is_whole; /* starts with such a packet */
	unsigned mtc;
	uint64_t timestamp;
	uint64_t cycles;
	uint64_t ratio; /* core clock to bus clock; 0: unknown */
};

/* Ends a period at an MTC packet with the counter @mtc. Ignores the period if
 * an MTC packet is missing before this one, or if the period has a packet that
 * breaks its clock (TSC, OVF).
 */
static void end_period(struct packet_sums *sums, struct period *period,
		       unsigned mtc)
{
	uint64_t cycles =
		period->ratio ? period->cycles * SCALE / period->ratio : 0;

	if (period->is_whole && cycles && mtc == (period->mtc + 1) % MTC_VALUES)
		array_append(&sums->periods, &cycles);
	period->is_whole = true;
	period->mtc = mtc;
	period->cycles = 0;
}

static void add_intel_packet(struct packet_sums *sums, struct period *period,
			     const char *name, const char *value)
{
	if (!strcmp(name, "cyc"))
		period->cycles += number(value);
	else if (!strcmp(name, "mtc"))
		end_period(sums, period, (unsigned)strtoul(value, NULL, 0));
	else if (!strcmp(name, "cbr"))
		period->ratio = number(value);
	else if (!strcmp(name, "tsc") || !strcmp(name, "ovf"))
		period->is_whole = false;
	sums->has_frequency |= period->ratio;
	sums->sync_starts += !strcmp(name, "psb");
	sums->sync_ends += !strcmp(name, "psbend");
	sums->overflows += !strcmp(name, "ovf");
}

/* Reads the number after @key. Returns whether there is one. */
static bool number_after(const char *text, const char *key, uint64_t *value)
{
	const char *found = strstr(text, key);

	if (found)
		*value = strtoull(found + strlen(key), NULL, 0);
	return found;
}

/* Ends a period at a timestamp. The packet has the cycles since the last cycle
 * count (CC); the next count includes these. If time runs backwards, adds the
 * worst possible period.
 */
static void end_timestamps(struct packet_sums *sums, struct period *period,
			   const char *text)
{
	uint64_t timestamp, since_count = 0;
	bool has_cycles = number_after(text, "CC=", &since_count);

	if (!number_after(text, "val = ", &timestamp))
		return;

	uint64_t ticks = timestamp - period->timestamp;
	uint64_t cycles =
		timestamp < period->timestamp ? UINT64_MAX :
		ticks ? (period->cycles + since_count) * SCALE / ticks :
			0;

	if (period->is_whole && has_cycles && cycles)
		array_append(&sums->periods, &cycles);
	period->is_whole = has_cycles;
	period->timestamp = timestamp;
	period->cycles = 0 - since_count;
}

/* Returns whether trace is missing at the packet, or was off. If a cycle count is
 * missing, the count of the last timestamp would be subtracted from nothing.
 */
static bool is_interruption(const char *name)
{
	return !strcmp(name, "TRACE_ON") || !strcmp(name, "OVERFLOW") ||
	       !strcmp(name, "NOT_SYNC") || !strcmp(name, "INCOMPLETE_EOT");
}

/* The names are OpenCSD's. The period is ignored if the trace was interrupted,
 * or if a cycle count was too large for its packet: then the text has the
 * count 0.
 */
static void add_arm_packet(struct packet_sums *sums, struct period *period,
			   const char *name, const char *text)
{
	uint64_t count = 0;

	if (!strncmp(name, "CCNT", 4) && number_after(text, "Count=", &count) &&
	    count)
		period->cycles += count;
	else if (!strcmp(name, "TIMESTAMP"))
		end_timestamps(sums, period, text);
	else if (!strncmp(name, "CCNT", 4) || is_interruption(name))
		period->is_whole = false;
	sums->sync_starts += !strcmp(name, "ASYNC");
	sums->sync_ends += !strcmp(name, "TRACE_INFO");
	sums->overflows += !strcmp(name, "OVERFLOW");
}

/* A packet's line is "OFFSET SIZE NAME VALUES...". */
static void add_packet(struct packet_sums *sums, struct period *period,
		       const char *line)
{
	char name[24], text[96] = "";

	if (sscanf(line, "%*s %*s %23s %95[^\n]", name, text) < 1)
		return;
	if (!strncmp(name, "I_", 2))
		add_arm_packet(sums, period, name + 2, text);
	else
		add_intel_packet(sums, period, name, text);
}

int evidence_packets(struct packet_sums *sums,
		     const struct selftest_options *options, const char *name)
{
	char path[TRIAL_PATH];
	const char *const argv[] = { options->program, "dump", "-q", "-i", path,
				     "--packets",      NULL };
	struct trial_output output;
	struct period period = { 0 };
	char *line = NULL;
	size_t room = 0;
	int error;

	*sums = (struct packet_sums){ .periods = ARRAY_OF(uint64_t) };
	trial_path(options, name, path);
	error = trial_output_open(&output, options, argv, "packets.errors");
	if (error)
		return error;
	while (getline(&line, &room, output.lines) > 0)
		add_packet(sums, &period, line);
	free(line);
	return trial_output_close(&output);
}

void packet_sums_free(struct packet_sums *sums)
{
	array_free(&sums->periods);
}
