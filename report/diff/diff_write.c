/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/diff/diff_row.h"
#include "report/diff/diff_table.h"
#include "report/text/duration_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The rows of one section, or of all. */
struct part {
	const struct diff_table *table;
	size_t *rows; /* in order of output: index of the row */
	bool is_text;
};

static const char *const titles[DIFF_SECTIONS] = {
	[DIFF_PROCESSES] = "Where the time of each process went",
	[DIFF_SYSCALLS] = "System calls",
	[DIFF_SLEEPS] = "Where processes slept",
	[DIFF_FUNCTIONS] = "Functions, time in themselves on CPUs",
};

static void write_change(struct record_writer *writer, double change_ns,
			 bool is_text)
{
	uint64_t size_ns = diff_rounded(change_ns < 0 ? -change_ns : change_ns);
	char text[40];

	if (!is_text) {
		record_signed(writer, "change_ns",
			      change_ns < 0 ? -(int64_t)size_ns :
					      (int64_t)size_ns);
		return;
	}
	snprintf(text, sizeof(text), "%s%s",
		 !size_ns      ? "" :
		 change_ns < 0 ? "-" :
				 "+",
		 duration_text_of(size_ns).text);
	record_text(writer, "change", text);
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct part *part = ctx;
	const struct diff_row *row =
		array_at(&part->table->rows, part->rows[index]);
	const uint32_t *recordings = part->table->recordings;
	struct diff_value a = diff_side_mean(&row->sides[0], recordings[0]);
	struct diff_value b = diff_side_mean(&row->sides[1], recordings[1]);

	if (!part->is_text)
		record_text(writer, "section", diff_section_name(row->section));
	record_text(writer, "comm", row->comm);
	record_text(writer, "name", row->name);
	write_change(writer, diff_row_change(row, recordings), part->is_text);
	record_text(writer, "note", diff_row_note(row, recordings));
	record_number(writer, "total_a_ns", diff_rounded(a.total_ns));
	record_number(writer, "total_b_ns", diff_rounded(b.total_ns));
	record_number(writer, "count_a", diff_rounded(a.count));
	record_number(writer, "count_b", diff_rounded(b.count));
	record_number(writer, "mean_a_ns", diff_value_each(&a));
	record_number(writer, "mean_b_ns", diff_value_each(&b));
	record_number(writer, "p99_a_ns", diff_rounded(a.p99_ns));
	record_number(writer, "p99_b_ns", diff_rounded(b.p99_ns));
}

static bool is_noise(const struct diff_table *table, const struct diff_row *row)
{
	return !strcmp(diff_row_note(row, table->recordings), "noise");
}

/* Fills part->rows with at most @top rows of @section. Counts noise in
 * *@left_out unless it is NULL.
 *
 * Returns the number of rows.
 */
static uint64_t choose(struct part *part, enum diff_section section,
		       uint64_t top, uint64_t *left_out, uint64_t count)
{
	uint64_t chosen = 0;

	for (size_t i = 0; i < part->table->rows.count && chosen < top; i++) {
		const struct diff_row *row = array_at(&part->table->rows, i);

		if (row->section != section)
			continue;
		if (left_out && is_noise(part->table, row)) {
			++*left_out;
			continue;
		}
		if (left_out &&
		    !diff_rounded(
			    diff_row_change(row, part->table->recordings)) &&
		    !diff_rounded(
			    -diff_row_change(row, part->table->recordings)))
			continue;
		part->rows[count + chosen++] = i;
	}
	return chosen;
}

static void write_tracer(const struct diff_table *table, FILE *out)
{
	double mean_ns[2];

	for (int side = 0; side < 2; side++)
		mean_ns[side] = table->recordings[side] ?
					table->tracer_ns[side] /
						table->recordings[side] :
					0;
	fprintf(out,
		"\nLeft out of processes and system calls: the tracer's own "
		"work and waits for the recorder, %s in A, %s in B.\n",
		duration_text_of(diff_rounded(mean_ns[0])).text,
		duration_text_of(diff_rounded(mean_ns[1])).text);
}

/* Returns why a section has no row. */
static const char *none_text(const struct diff_table *table, int section)
{
	if (table->is_left_out[section])
		return "not recorded, see below";
	return table->is_chosen ?
		       "no change of the tasks, on the CPUs and in the time "
		       "that your options choose" :
		       "no change";
}

static void write_notes(const struct diff_table *table, FILE *out)
{
	if (table->notes.count)
		fputs("\nNot compared, because a recording lacks it:\n", out);
	for (size_t i = 0; i < table->notes.count; i++)
		fprintf(out, "%s\n", *(char **)array_at(&table->notes, i));
}

static void write_text(struct part *part, uint64_t top, FILE *out)
{
	uint64_t left_out = 0;

	for (int i = 0; i < DIFF_SECTIONS; i++) {
		struct record_writer writer =
			record_writer_of(out, RECORD_TABLE);
		uint64_t count =
			choose(part, (enum diff_section)i, top, &left_out, 0);

		fprintf(out, "%s%s\n\n", i ? "\n" : "", titles[i]);
		if (count)
			record_writer_table(&writer, write_row, part, count);
		else
			fprintf(out, "  %s\n", none_text(part->table, i));
	}
	if (part->table->recordings[0] < 2 && part->table->recordings[1] < 2)
		fputs("\nOnly one recording per side, so the noise is unknown; "
		      "pass several (A1,A2 B1,B2).\n",
		      out);
	else
		fprintf(out,
			"\nNoise: %" PRIu64 " larger changes are not more than "
			"recordings of one side differ "
			"by.\n",
			left_out);
	write_tracer(part->table, out);
	write_notes(part->table, out);
}

static void write_records(struct part *part, enum record_format format,
			  uint64_t top, FILE *out)
{
	struct record_writer writer = record_writer_of(out, format);
	uint64_t count = 0;

	for (int i = 0; i < DIFF_SECTIONS; i++)
		count += choose(part, (enum diff_section)i, top, NULL, count);
	record_writer_table(&writer, write_row, part, count);
}

int diff_table_write(const struct diff_table *table, enum record_format format,
		     uint64_t top, FILE *out)
{
	struct part part = {
		.table = table,
		.rows = calloc(table->rows.count + 1, sizeof(*part.rows)),
		.is_text = format == RECORD_TABLE,
	};

	if (!part.rows)
		return -ERROR_MEMORY;
	if (part.is_text)
		write_text(&part, top, out);
	else
		write_records(&part, format, top, out);
	free(part.rows);
	return 0;
}
