/* SPDX-License-Identifier: MIT */
#include "report/profile_report.h"

#include "common/error.h"
#include "decoder/recording.h"
#include "report/record_writer.h"
#include "report/step_filter.h"
#include "report/summary.h"

#include <inttypes.h>
#include <stdlib.h>

void render_gap_note(const struct profile_report *report, FILE *out)
{
	uint64_t gap_ns = 0;
	uint64_t gaps = 0;

	for (uint32_t i = 0; i < task_stacks_cpu_count(report->stacks); i++) {
		const struct cpu_account *account =
			task_stacks_account(report->stacks, i);

		gaps += account->gaps;
		gap_ns += account->state_ns[CPU_GAP];
	}
	if (gaps)
		fprintf(out,
			"Incomplete: %" PRIu64 " gaps in the trace, %" PRIu64
			" ns in all, are in no function.\n\n",
			gaps, gap_ns);
}

static void write_fields(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct summary *summary = ctx;
	const struct summary_line *line =
		array_at(&summary->lines, index);

	record_text(writer, "section", line->section);
	record_signed(writer, "id", line->id);
	record_text(writer, "name", line->name);
	if (line->text)
		record_text(writer, "value", line->text);
	else
		record_number(writer, "value", line->number);
	record_text(writer, "unit", line->unit);
}

static int write_records(const struct profile_report *report, FILE *out,
			 enum record_format format)
{
	struct record_writer writer = record_writer_of(out, format);
	struct summary summary;
	int status = summary_make(report, &summary);

	if (status < 0)
		return status;
	record_writer_table(&writer, write_fields, &summary,
			    summary.lines.count);
	summary_free(&summary);
	return 0;
}

int render_summary_csv(const struct profile_report *report, FILE *out)
{
	return write_records(report, out, RECORD_CSV);
}

int render_summary_json(const struct profile_report *report, FILE *out)
{
	return write_records(report, out, RECORD_JSON);
}

static void write_line(const struct summary_line *line, bool is_new, FILE *out)
{
	if (is_new && line->id >= 0)
		fprintf(out, "\n%s %" PRId64 "\n", line->section, line->id);
	else if (is_new)
		fprintf(out, "\n%s\n", line->section);
	fprintf(out, "  %-18s ", line->name);
	if (line->text)
		fprintf(out, "%s\n", line->text);
	else
		fprintf(out, "%16" PRIu64 " %s\n", line->number, line->unit);
}

int render_summary_text(const struct profile_report *report, FILE *out)
{
	const struct summary_line *last = NULL;
	struct summary summary;
	int status = summary_make(report, &summary);

	if (status < 0)
		return status;
	for (size_t i = 0; i < summary.lines.count; i++) {
		const struct summary_line *line =
			array_at(&summary.lines, i);

		write_line(line,
			   !last || last->section != line->section ||
				   last->id != line->id,
			   out);
		last = line;
	}
	summary_free(&summary);
	return 0;
}
