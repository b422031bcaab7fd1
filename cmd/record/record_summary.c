/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_summary.h"

#include "cmd/record/record_options.h"
#include "collector/collector.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
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

/* Returns @folder as one would write it in this folder. */
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

/* The recorder's own time; what the trace costs the traced code, it cannot
 * see.
 */
static void print_cost(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	fprintf(stderr,
		"ktrace-hw record: the recorder itself took %.2f s of CPU\n",
		seconds(usage.ru_utime) + seconds(usage.ru_stime));
}

static void print_crash(const struct collector_result *result)
{
	int status = result->command_status;
	const char *name = sigabbrev_np(WTERMSIG(status));

	if (result->end == COLLECTOR_COMMAND_ENDED && WIFSIGNALED(status))
		fprintf(stderr,
			"ktrace-hw record: the command was ended by "
			"SIG%s (%s): ktrace-hw report --crashes says "
			"where\n",
			name ? name : "?", strsignal(WTERMSIG(status)));
}

static void print_hits(const struct collector_result *result)
{
	if (result->triggers)
		fprintf(stderr, "ktrace-hw record: triggers hit %u times\n",
			result->hits);
	if (result->overlapped)
		fprintf(stderr,
			"ktrace-hw record: %u more hits came while the trace "
			"of another was being kept (a smaller --buffer, or "
			"--after, takes less time)\n",
			result->overlapped);
	if (result->missed)
		fprintf(stderr,
			"ktrace-hw record: triggers did not see %" PRIu64
			" calls: too many were under way at once\n",
			result->missed);
	if (result->end == COLLECTOR_HITS_REACHED)
		fprintf(stderr, "ktrace-hw record: it ended after --hits; what "
				"came later was not recorded\n");
}

static void print_losses(const struct collector_result *result)
{
	if (result->snapshots)
		fprintf(stderr, "ktrace-hw record: %u snapshot%s\n",
			result->snapshots, result->snapshots > 1 ? "s" : "");
	print_hits(result);
	if (!result->trace_bytes)
		fprintf(stderr, "ktrace-hw record: nothing was traced\n");
	if (result->truncated)
		fprintf(stderr,
			"ktrace-hw record: trace was lost %" PRIu64 " times, "
			"since the buffer was full: use a larger --buffer, "
			"or --filter\n",
			result->truncated);
	if (result->lost_records)
		fprintf(stderr,
			"ktrace-hw record: %" PRIu64 " records were lost: "
			"use a lower level of --events\n",
			result->lost_records);
	if (result->end == COLLECTOR_SIZE_REACHED)
		fprintf(stderr, "ktrace-hw record: it ended at --max-size; "
				"what came later was not recorded\n");
}

static bool is_whole(const struct collector_result *result)
{
	return result->end != COLLECTOR_FAILED && !result->truncated &&
	       !result->lost_records && !result->away_cpus;
}

void record_summary(const char *folder, const struct collector_result *result)
{
	const char *name = short_name(folder);
	bool is_default = !strcmp(name, RECORD_DEFAULT_FOLDER);

	fprintf(stderr, "ktrace-hw record: %s: %.2f s, %s of trace, %s in all",
		name, (double)result->length_ns / 1e9,
		size_text_of(result->trace_bytes).text,
		size_text_of(result->file_bytes).text);
	fprintf(stderr, "%s\n", is_whole(result) ? ", nothing lost" : "");
	if (result->was_activated)
		fprintf(stderr,
			"ktrace-hw record: it began %.1f us after its "
			"instant\n",
			(double)result->late_ns / 1e3);
	print_crash(result);
	print_losses(result);
	print_cost();
	fprintf(stderr,
		"ktrace-hw record: look at it with: ktrace-hw report%s%s\n",
		is_default ? "" : " -i ", is_default ? "" : name);
}
