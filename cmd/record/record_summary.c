/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_summary.h"

#include "cmd/console/console.h"
#include "cmd/record/record_options.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct size_text {
	char text[32];
};

static struct size_text size_text_of(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	double value = (double)bytes;
	struct size_text text;
	size_t unit = 0;

	for (; value >= 1024 && unit < 3; unit++)
		value /= 1024;
	snprintf(text.text, sizeof(text.text), "%.*f %s",
		 unit && value < 100 ? 1 : 0, value, units[unit]);
	return text;
}

/* Returns @folder relative to the working directory if possible. */
static const char *short_name(const char *folder)
{
	char here[4096];
	size_t length;

	if (!getcwd(here, sizeof(here)))
		return folder;
	length = strlen(here);
	return !strncmp(folder, here, length) && folder[length] == '/' ?
		       folder + length + 1 :
		       folder;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Prints the recorder's own CPU time; it cannot measure how much tracing slows
 * the traced code down.
 */
static void print_cost(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	note_of("record", "the recorder itself took %.2f s of CPU",
		seconds(usage.ru_utime) + seconds(usage.ru_stime));
}

static void print_crash(const struct collector_result *result)
{
	int status = result->command_status;
	const char *name = sigabbrev_np(WTERMSIG(status));

	if (result->end == COLLECTOR_COMMAND_ENDED && WIFSIGNALED(status))
		note_of("record",
			"the command was ended by SIG%s (%s): ktrace-hw report "
			"--crashes shows where",
			name ? name : "?", strsignal(WTERMSIG(status)));
}

static void print_hits(const struct collector_result *result)
{
	if (result->triggers)
		note_of("record", "triggers hit %u times", result->hits);
	if (result->overlapped)
		say_of("record",
		       "%u more hits occurred while the trace of another hit "
		       "was being saved (a smaller --buffer or --after "
		       "shortens this time)",
		       result->overlapped);
	if (result->triggers && result->stops)
		note_of("record",
			"saving traces stopped tracing %" PRIu64
			" times, for %s in all, which triggers do not count; %u "
			"calls and waits exceeded a limit only because of it",
			result->stops,
			duration_text_of(result->stopped_ns).text,
			result->by_stops);
	if (result->missed)
		say_of("record",
		       "the probes missed %" PRIu64
		       " calls: too many were in progress at once",
		       result->missed);
	if (result->end == COLLECTOR_HITS_REACHED)
		note_of("record", "it ended after --hits; later execution was "
				  "not recorded");
}

static void print_losses(const struct collector_result *result)
{
	if (result->snapshots)
		note_of("record", "%u snapshot%s", result->snapshots,
			result->snapshots > 1 ? "s" : "");
	print_hits(result);
	if (!result->trace_bytes)
		say_of("record", "nothing was traced");
	if (result->truncated)
		say_of("record",
		       "trace was lost %" PRIu64
		       " times because the buffer was full: use a larger "
		       "--buffer, or --filter",
		       result->truncated);
	if (result->full_parts)
		say_of("record",
		       "a little trace was lost %" PRIu64
		       " times while the kernel replaced a full part of TRBE's "
		       "buffer: use a larger --buffer, or --filter",
		       result->full_parts);
	if (result->lost_records)
		say_of("record",
		       "%" PRIu64
		       " records were lost: use a lower level of --events",
		       result->lost_records);
	if (result->lost_code)
		say_of("record",
		       "%zu pieces of kernel code were removed before they "
		       "could be copied: their execution is a gap",
		       result->lost_code);
	if (result->late_code)
		say_of("record",
		       "%zu pieces of kernel code were copied only at the end, "
		       "because no record announced them: their execution "
		       "before may be a gap",
		       result->late_code);
	if (result->end == COLLECTOR_SIZE_REACHED)
		note_of("record", "it ended at --max-size; later execution was "
				  "not recorded");
}

/* Prints how much trace waited to be written: with -v if any did, otherwise
 * only if more than half of a buffer did: the kernel wakes the recorder at a
 * quarter, so it was late.
 */
static void print_lag(const struct collector_result *result,
		      size_t buffer_bytes)
{
	const struct trace_lag *lag = &result->lag;
	char text[192];

	snprintf(text, sizeof(text),
		 "at most %s of a CPU's buffer of %s waited to be written; the "
		 "longest write took %s",
		 size_text_of(lag->unread_bytes).text,
		 size_text_of(buffer_bytes).text,
		 duration_text_of(lag->write_ns).text);
	if (lag->unread_bytes > buffer_bytes / 2)
		note_of("record", "the disk was behind: %s", text);
	else if (lag->unread_bytes)
		say_more("%s", text);
}

static bool is_whole(const struct collector_result *result)
{
	return result->end != COLLECTOR_FAILED && !result->truncated &&
	       !result->full_parts && !result->lost_records &&
	       !result->lost_code && !result->late_code && !result->away_cpus;
}

void record_summary(const char *folder, const struct collector_result *result,
		    size_t buffer_bytes)
{
	const char *name = short_name(folder);
	bool is_default = !strcmp(name, RECORD_DEFAULT_FOLDER);
	char *word;

	note_of("record", "%s: %.2f s, %s of trace, %s in all%s", name,
		(double)result->length_ns / 1e9,
		size_text_of(result->trace_bytes).text,
		size_text_of(result->file_bytes).text,
		is_whole(result) ? ", nothing lost" : "");
	if (result->was_activated)
		note_of("record",
			"it started %.1f us after the time of "
			"--activate",
			(double)result->late_ns / 1e3);
	print_crash(result);
	print_losses(result);
	print_lag(result, buffer_bytes);
	print_cost();
	word = is_default ? NULL : name_word(name);
	note_of("record", "look at it with: ktrace-hw explain%s%s",
		is_default ? "" : " -i ", word ? word : "");
	free(word);
}
