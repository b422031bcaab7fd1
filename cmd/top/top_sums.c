/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_sums_internal.h"

#include "cmd/console/console.h"
#include "cmd/top/top_options.h"
#include "cmd/top/top_round_internal.h"
#include "common/error.h"
#include "report/diff/diff_table.h"
#include "report/text/duration_text.h"
#include "report/text/record_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_CALLERS = 6 };

static void free_row(struct top_sum *row)
{
	free(row->comm);
	free(row->label);
	free(row->stack);
}

void top_sums_free(struct top_sums *sums)
{
	for (size_t i = 0; i < sums->rows.count; i++)
		free_row(array_at(&sums->rows, i));
	array_free(&sums->rows);
}

static struct top_sum *find(const struct top_sums *sums, const char *comm,
			    const char *stack)
{
	struct top_sum *rows = sums->rows.items;

	for (size_t i = 0; i < sums->rows.count; i++)
		if (!strcmp(rows[i].comm, comm) &&
		    !strcmp(rows[i].stack, stack))
			return &rows[i];
	return NULL;
}

/* Drops the row with the least time if there is no room for another one. */
static void make_room(struct top_sums *sums)
{
	struct top_sum *rows = sums->rows.items;
	size_t least = 0;

	if (sums->rows.count < TOP_SUMS_MOST)
		return;
	for (size_t i = 1; i < sums->rows.count; i++)
		if (rows[i].total_ns < rows[least].total_ns)
			least = i;
	sums->dropped += rows[least].count;
	sums->dropped_ns += rows[least].total_ns;
	free_row(&rows[least]);
	array_remove(&sums->rows, least, 1);
}

static struct top_sum *add(struct top_sums *sums, const char *comm,
			   const char *label, const char *stack)
{
	struct top_sum row = {
		.comm = strdup(comm),
		.label = strdup(label),
		.stack = strdup(stack),
	};

	make_room(sums);
	if (row.comm && row.label && row.stack &&
	    !array_append(&sums->rows, &row))
		return array_at(&sums->rows, sums->rows.count - 1);
	free_row(&row);
	return NULL;
}

static int consume_row(struct top_sums *sums, const struct csv_rows *csv,
		       size_t index)
{
	const char *comm = csv_rows_text(csv, index, "comm");
	const char *stack = csv_rows_text(csv, index, "stack");
	struct top_sum *row = find(sums, comm, stack);
	uint64_t max_ns;

	if (!row)
		row = add(sums, comm, csv_rows_text(csv, index, "label"),
			  stack);
	if (!row)
		return -ERROR_MEMORY;
	row->count += (uint64_t)csv_rows_number(csv, index, "count");
	row->total_ns += (uint64_t)csv_rows_number(csv, index, "total_ns");
	max_ns = (uint64_t)csv_rows_number(csv, index, "max_ns");
	if (max_ns > row->max_ns)
		row->max_ns = max_ns;
	return 0;
}

/* Adds the rows of the CSV @text, which it frees. */
static int consume_rows(struct top_sums *sums, char *text)
{
	struct csv_rows csv = { 0 };
	int status = csv_rows_read(&csv, text);

	for (size_t i = 0; !status && i < csv_rows_count(&csv); i++)
		status = consume_row(sums, &csv, i);
	csv_rows_free(&csv);
	return status;
}

static int compare(const void *a, const void *b)
{
	const struct top_sum *one = a;
	const struct top_sum *other = b;

	if (one->total_ns != other->total_ns)
		return one->total_ns > other->total_ns ? -1 : 1;
	return strcmp(one->stack, other->stack);
}

/* Writes up to SHOWN_CALLERS callers of the function that waited:
 * "filemap_fault < __do_fault".
 */
static bool write_callers(FILE *out, const void *ctx)
{
	const struct top_sum *row = ctx;
	const char *end = row->stack + strlen(row->stack);
	int shown = -1; /* callers written; -1: the label was not found yet */

	while (end > row->stack && shown < SHOWN_CALLERS) {
		const char *name = end;

		while (name > row->stack && name[-1] != ';')
			name--;
		if (shown >= 0)
			fprintf(out, "%s%.*s", shown ? " < " : "",
				(int)(end - name), name);
		if (shown >= 0 ||
		    (strlen(row->label) == (size_t)(end - name) &&
		     !strncmp(row->label, name, (size_t)(end - name))))
			shown++;
		end = name > row->stack ? name - 1 : name;
	}
	return true;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct top_sums *sums = ctx;
	const struct top_sum *row = array_at(&sums->rows, index);

	record_text(writer, "comm", row->comm);
	record_text(writer, "label", row->label);
	record_number(writer, "count", row->count);
	record_number(writer, "total_ns", row->total_ns);
	record_number(writer, "mean_ns",
		      row->count ? row->total_ns / row->count : 0);
	record_number(writer, "max_ns", row->max_ns);
	if (writer->format == RECORD_TABLE)
		record_written(writer, "callers", write_callers, row);
	else
		record_text(writer, "stack", row->stack);
}

static void write_share(const struct top_sums *sums, FILE *out)
{
	uint64_t all_ns = sums->seen_ns - sums->begin_ns;

	fprintf(out, "In the traced %s",
		duration_text_of(sums->traced_ns).text);
	fprintf(out, " of %s (%.0f %% of the time)",
		duration_text_of(all_ns).text,
		all_ns ? 100.0 * (double)sums->traced_ns / (double)all_ns : 0);
	if (sums->dropped)
		fprintf(out, "; without %" PRIu64 " sleeps, %s, of rarer paths",
			sums->dropped, duration_text_of(sums->dropped_ns).text);
	fputs("\n\n", out);
}

/* Returns the text of all sums, or NULL when out of memory. */
static char *text_of(const struct top_sums *sums, bool is_json, uint64_t top)
{
	char *text = NULL;
	size_t size;
	uint64_t count = sums->rows.count < top ? sums->rows.count : top;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer =
		record_writer_of(out, is_json ? RECORD_JSON : RECORD_TABLE);

	if (!out)
		return NULL;
	if (!is_json)
		write_share(sums, out);
	record_writer_table(&writer, write_row, sums, count);
	if (fclose(out) != EOF)
		return text;
	free(text);
	return NULL;
}

static void write_sums(FILE *out, const void *ctx)
{
	const struct top_sums *sums = ctx;
	struct record_writer writer = record_writer_of(out, RECORD_JSON);

	fprintf(out,
		"{\"traced_ns\":%" PRIu64 ",\"all_ns\":%" PRIu64
		",\"dropped\":%" PRIu64 ",\"dropped_ns\":%" PRIu64
		",\"sleeps\":",
		sums->traced_ns, sums->seen_ns - sums->begin_ns, sums->dropped,
		sums->dropped_ns);
	record_writer_table(&writer, write_row, sums, sums->rows.count);
	fputs("}\n", out);
}

int top_sums_save(const struct top_sums *sums,
		  const struct output_folder *folder)
{
	return output_folder_write(folder, TOP_SUMS_FILE, write_sums, sums,
				   &console_log);
}

int top_sums_consume(struct top_sums *sums, struct top_result *result,
		     uint64_t begin_ns, uint64_t end_ns, bool is_json,
		     uint64_t top)
{
	int status = consume_rows(sums, result->tables[TOP_SUMS]);

	result->tables[TOP_SUMS] = NULL;
	if (!sums->begin_ns)
		sums->begin_ns = begin_ns;
	sums->seen_ns = end_ns;
	sums->traced_ns += result->facts.traced_ns;
	array_sort(&sums->rows, compare);
	result->tables[TOP_SUMS] = status ? NULL : text_of(sums, is_json, top);
	return result->tables[TOP_SUMS] ? 0 : -ERROR_MEMORY;
}
