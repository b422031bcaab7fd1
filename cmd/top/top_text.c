/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_text.h"

#include "cmd/top/top_options.h"
#include "cmd/top/top_result.h"
#include "report/text/duration_text.h"
#include "report/text/record_writer.h"
#include "tables/table.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void write_subject(const struct top_options *options, FILE *out)
{
	if (options->command)
		fprintf(out, "command %s", options->command[0]);
	else if (options->processes.count == 1)
		fprintf(out, "process %d", options->collector.processes[0]);
	else if (options->processes.count)
		fprintf(out, "%zu processes", options->processes.count);
	else
		fputs("all processes", out);
	if (options->collector.cpus)
		fprintf(out, ", CPUs %s", options->collector.cpus);
}

static void write_losses(const struct top_facts *facts, FILE *out)
{
	if (facts->is_cut_short)
		fputs(", ended at --max-size", out);
	if (facts->truncated)
		fprintf(out, ", trace lost %" PRIu64 " times (--buffer)",
			facts->truncated);
	if (facts->lost_records)
		fprintf(out, ", %" PRIu64 " records lost", facts->lost_records);
	if (facts->lost_code)
		fprintf(out, ", %" PRIu64 " pieces of code not copied",
			facts->lost_code);
	if (!facts->truncated && !facts->lost_records && !facts->lost_code)
		fputs(", nothing lost", out);
}

static void write_clock(uint64_t seconds, FILE *out)
{
	time_t time = (time_t)seconds;
	struct tm parts;
	char text[16];

	if (localtime_r(&time, &parts) &&
	    strftime(text, sizeof(text), "%H:%M:%S", &parts))
		fputs(text, out);
}

void top_text_head(const struct top_options *options,
		   const struct top_result *result, FILE *out)
{
	const struct top_facts *facts = &result->facts;
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);
	fprintf(out, "ktrace-hw top  %s  ", host);
	write_clock(result->begin_s, out);
	fprintf(out, "  round %" PRIu64 ", %s  ", result->number,
		duration_text_of(result->round_ns).text);
	write_subject(options, out);
	if (facts->stage == TOP_NOTHING)
		fputs("\nnothing was traced", out);
	else
		fprintf(out, "\ntraced %s (%.0f %% of the time), %.1f MiB",
			duration_text_of(facts->traced_ns).text,
			percent_of(facts->traced_ns, result->round_ns),
			(double)facts->trace_bytes / (1 << 20));
	if (facts->stage != TOP_NOTHING)
		write_losses(facts, out);
	fprintf(out, "; top took %s of CPU (%.0f %%)\n",
		duration_text_of(result->cpu_ns).text,
		percent_of(result->cpu_ns, result->round_ns));
}

void top_text_round(const struct top_options *options,
		    const struct top_result *result, FILE *out)
{
	top_text_head(options, result, out);
	for (int i = 0; i < TOP_TABLES; i++)
		if (result->tables[i])
			fprintf(out, "\n== %s\n\n%s", top_tables[i].title,
				result->tables[i]);
	fputs("\n", out);
}

const char *top_text_last(const char *said)
{
	const char *last = said ? said : "";
	const char *end;

	while ((end = strchr(last, '\n')) && end[1])
		last = end + 1;
	return last;
}

/* Newlines occur only between tokens, never in strings. */
static void write_in_line(const char *json, FILE *out)
{
	for (; *json; json++)
		if (*json != '\n')
			fputc(*json, out);
}

static void write_error(const struct top_result *result, FILE *out)
{
	char text[512];

	if (result->facts.stage == TOP_REPORTED) {
		fputs("null", out);
		return;
	}
	snprintf(text, sizeof(text), "%s", top_text_last(result->said));
	text[strcspn(text, "\n")] = '\0';
	json_string(out, text);
}

void top_text_json(const struct top_result *result, FILE *out)
{
	const struct top_facts *facts = &result->facts;

	fprintf(out,
		"{\"round\":%" PRIu64 ",\"begin_s\":%" PRIu64
		",\"round_ns\":%" PRIu64 ",\"traced_ns\":%" PRIu64
		",\"trace\":%" PRIu64 ",\"is_cut_short\":%s"
		",\"lost_records\":%" PRIu64 ",\"truncated_trace\":%" PRIu64
		",\"cpu_ns\":%" PRIu64 ",\"error\":",
		result->number, result->begin_s, result->round_ns,
		facts->traced_ns, facts->trace_bytes,
		facts->is_cut_short ? "true" : "false", facts->lost_records,
		facts->truncated, result->cpu_ns);
	write_error(result, out);
	for (int i = 0; i < TOP_TABLES; i++) {
		fprintf(out, ",\"%s\":", top_tables[i].table->name);
		write_in_line(result->tables[i] ? result->tables[i] : "null",
			      out);
	}
	fputs("}\n", out);
}
