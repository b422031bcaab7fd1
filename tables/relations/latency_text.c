/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "tables/relations/latency.h"
#include "tables/relations/latency_names.h"
#include "tables/relations/latency_paths.h"
#include "tables/relations/latency_report.h"
#include "tables/table.h"
#include "tables/text/histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_times(const struct histogram *time, uint64_t on_cpu_ns,
			FILE *out)
{
	fprintf(out, "  count %" PRIu64 ", total %s (on a CPU %s)\n",
		time->count, duration_text_of(time->total).text,
		duration_text_of(on_cpu_ns).text);
	fprintf(out, "  min %s, mean %s, median %s, p99 %s, max %s\n",
		duration_text_of(time->min).text,
		duration_text_of(histogram_mean(time)).text,
		duration_text_of(histogram_quantile(time, 0.5)).text,
		duration_text_of(histogram_quantile(time, 0.99)).text,
		duration_text_of(time->max).text);
}

/* A path is too long for a column: one function per line. */
static int write_path(const struct latency_report *report,
		      const struct latency_path *path, FILE *out)
{
	char *text =
		latency_path_name(report->latency, path, report->functions);
	char *rest = text;
	const char *name;

	if (!text)
		return -ERROR_MEMORY;
	fputc('\n', out);
	write_times(&path->time, path->on_cpu_ns, out);
	while ((name = strsep(&rest, ";"))) {
		fputs("    ", out);
		name_write(out, NAME_TEXT, name);
		fputs("\n", out);
	}
	free(text);
	return 0;
}

static void write_counts(const struct latency_report *report, FILE *out)
{
	const struct latency_answer *answer = latency_answer(report->latency);
	struct latency_count count;

	fputs("From entering ", out);
	name_write(out, NAME_TEXT, report->from);
	fputs(" to first entering ", out);
	name_write(out, NAME_TEXT, report->to);
	fprintf(out,
		" in the same call\n\n"
		"  %10" PRIu64 "  calls of the first that reached the second\n",
		answer->time.count);
	for (size_t i = 0; latency_count_at(answer, i, &count); i++)
		if (count.count || !i)
			fprintf(out, "  %10" PRIu64 "  %s\n", count.count,
				count.text);
}

int latency_report_text(const struct latency_report *report,
			const struct attribution_output *output,
			const struct array *paths)
{
	const struct latency_answer *answer = latency_answer(report->latency);
	FILE *out = output->out;
	int status;

	write_counts(report, out);
	if (!answer->time.count)
		return 0;
	fputs("\nTime\n\n", out);
	write_times(&answer->time, answer->on_cpu_ns, out);
	fputc('\n', out);
	status = histogram_bars_draw(&answer->time, out);
	if (!status)
		fprintf(out, "\nPaths, %s first\n",
			output->sort ? output->sort : "the most frequent");
	for (size_t i = 0; i < paths->count && !status; i++)
		status = write_path(
			report,
			*(const struct latency_path **)array_at(paths, i), out);
	return status;
}
