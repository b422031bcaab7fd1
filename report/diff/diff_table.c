/* SPDX-License-Identifier: MIT */
#include "report/diff/diff_table.h"

#include "common/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Terminates the field at *@text, quoted or not, and removes the quotes.
 *
 * Returns the character that ended the field: ',', '\n' or 0. *@text then
 * points after it, or to the final 0.
 */
static char end_field(char **text)
{
	char *from = *text;
	char *to = from;
	char end;

	if (*from == '"') {
		for (from++; *from && (*from != '"' || from[1] == '"');
		     from++) {
			from += *from == '"';
			*to++ = *from;
		}
		from += *from == '"';
	} else {
		from += strcspn(from, ",\n");
		to = from;
	}
	end = *from;
	*to = '\0';
	*text = from + (end != '\0');
	return end;
}

int csv_rows_read(struct csv_rows *rows, char *text)
{
	*rows = (struct csv_rows){
		.text = text,
		.fields = ARRAY_OF(char *),
	};
	while (*text) {
		if (array_append(&rows->fields, &text) < 0)
			return -ERROR_MEMORY;
		if (end_field(&text) != ',' && !rows->columns)
			rows->columns = rows->fields.count;
	}
	return 0;
}

void csv_rows_free(struct csv_rows *rows)
{
	array_free(&rows->fields);
	free(rows->text);
	rows->text = NULL;
}

size_t csv_rows_count(const struct csv_rows *rows)
{
	return rows->columns ? rows->fields.count / rows->columns - 1 : 0;
}

const char *csv_rows_text(const struct csv_rows *rows, size_t index,
			  const char *column)
{
	char *const *fields = rows->fields.items;

	for (size_t i = 0; i < rows->columns; i++)
		if (!strcmp(fields[i], column))
			return fields[(index + 1) * rows->columns + i];
	return "";
}

double csv_rows_number(const struct csv_rows *rows, size_t index,
		       const char *column)
{
	return strtod(csv_rows_text(rows, index, column), NULL);
}

const char *diff_section_name(enum diff_section section)
{
	static const char *const names[DIFF_SECTIONS] = {
		[DIFF_PROCESSES] = "process",
		[DIFF_SYSCALLS] = "syscall",
		[DIFF_SLEEPS] = "sleep",
		[DIFF_FUNCTIONS] = "function",
	};

	return names[section];
}

uint64_t diff_rounded(double value)
{
	return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

uint64_t diff_value_each(const struct diff_value *value)
{
	return value->count ? diff_rounded(value->total_ns / value->count) : 0;
}

void diff_side_fold(struct diff_side *side)
{
	const struct diff_value *value = &side->current;

	if (!value->count && !value->total_ns)
		return;
	if (!side->recordings || value->total_ns < side->least_ns)
		side->least_ns = value->total_ns;
	if (!side->recordings || value->total_ns > side->most_ns)
		side->most_ns = value->total_ns;
	side->recordings++;
	side->sum.count += value->count;
	side->sum.total_ns += value->total_ns;
	side->sum.p99_ns += value->p99_ns;
	side->current = (struct diff_value){ 0 };
}

struct diff_value diff_side_mean(const struct diff_side *side,
				 uint32_t recordings)
{
	double all = recordings ? recordings : 1;
	double those = side->recordings ? side->recordings : 1;

	return (struct diff_value){
		.count = side->sum.count / all,
		.total_ns = side->sum.total_ns / all,
		.p99_ns = side->sum.p99_ns / those,
	};
}

double diff_sides_change(const struct diff_side sides[2],
			 const uint32_t recordings[2])
{
	return diff_side_mean(&sides[1], recordings[1]).total_ns -
	       diff_side_mean(&sides[0], recordings[0]).total_ns;
}

double diff_row_change(const struct diff_row *row, const uint32_t recordings[2])
{
	return diff_sides_change(row->sides, recordings);
}

/* Returns the smallest time of a row on one side. A recording without the row
 * counts as 0.
 */
static double least_of(const struct diff_side *side, uint32_t recordings)
{
	return side->recordings < recordings ? 0 : side->least_ns;
}

bool diff_sides_are_noise(const struct diff_side sides[2],
			  const uint32_t recordings[2])
{
	if (recordings[0] < 2 && recordings[1] < 2)
		return false;
	return least_of(&sides[1], recordings[1]) <= sides[0].most_ns &&
	       least_of(&sides[0], recordings[0]) <= sides[1].most_ns;
}

const char *diff_row_note(const struct diff_row *row,
			  const uint32_t recordings[2])
{
	if (!row->sides[0].recordings)
		return "new";
	if (!row->sides[1].recordings)
		return "gone";
	return diff_sides_are_noise(row->sides, recordings) ? "noise" : "";
}

bool diff_row_is_slower(const struct diff_row *row,
			const uint32_t recordings[2], double percent)
{
	const struct diff_side *a = &row->sides[0];
	const struct diff_side *b = &row->sides[1];
	double a_least_ns = least_of(a, recordings[0]);
	double b_least_ns = least_of(b, recordings[1]);
	double gap_ns = b_least_ns - a->most_ns;

	if (!a->recordings || !b->recordings ||
	    (recordings[0] < 2 && recordings[1] < 2))
		return false;
	return a->most_ns > 0 && gap_ns > 0 &&
	       gap_ns > a->most_ns - a_least_ns &&
	       gap_ns > b->most_ns - b_least_ns &&
	       diff_row_change(row, recordings) * 100 >
		       percent * diff_side_mean(a, recordings[0]).total_ns;
}

struct diff_table diff_table_new(void)
{
	return (struct diff_table){
		.rows = ARRAY_OF(struct diff_row),
		.notes = ARRAY_OF(char *),
	};
}

static struct diff_row *row_at(const struct diff_table *table, size_t index)
{
	return array_at(&table->rows, index);
}

static void free_names(struct diff_row *row)
{
	free(row->comm);
	free(row->name);
}

void diff_table_free(struct diff_table *table)
{
	for (size_t i = 0; i < table->rows.count; i++)
		free_names(row_at(table, i));
	array_free(&table->rows);
	for (size_t i = 0; i < table->notes.count; i++)
		free(*(char **)array_at(&table->notes, i));
	array_free(&table->notes);
}

static void fold(struct diff_table *table)
{
	for (size_t i = 0; i < table->rows.count; i++)
		for (int side = 0; side < 2; side++)
			diff_side_fold(&row_at(table, i)->sides[side]);
}

void diff_table_begin(struct diff_table *table, int side)
{
	fold(table);
	table->recordings[side]++;
}

/* Returns the row with these keys, adding it if it is new; NULL when out of
 * memory. A linear search suffices, because there are only some thousands of
 * functions.
 */
static struct diff_row *find(struct diff_table *table,
			     enum diff_section section, const char *comm,
			     const char *name)
{
	struct diff_row *row;

	for (size_t i = 0; i < table->rows.count; i++) {
		row = row_at(table, i);
		if (row->section == section && !strcmp(row->name, name) &&
		    !strcmp(row->comm, comm))
			return row;
	}
	row = array_add(&table->rows);
	if (!row)
		return NULL;
	row->section = section;
	row->comm = strdup(comm);
	row->name = strdup(name);
	if (row->comm && row->name)
		return row;
	free_names(row);
	table->rows.count--;
	return NULL;
}

int diff_table_add(struct diff_table *table, int side,
		   enum diff_section section, const char *comm,
		   const char *name, const struct diff_value *value)
{
	struct diff_row *row = find(table, section, comm, name);
	struct diff_value *sum;

	if (!row)
		return -ERROR_MEMORY;
	sum = &row->sides[side].current;
	sum->count += value->count;
	sum->total_ns += value->total_ns;
	if (sum->p99_ns < value->p99_ns)
		sum->p99_ns = value->p99_ns;
	return 0;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct diff_table *table = ctx;
	const struct diff_row *x = a;
	const struct diff_row *y = b;
	double change_x = diff_row_change(x, table->recordings);
	double change_y = diff_row_change(y, table->recordings);

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	change_x = change_x < 0 ? -change_x : change_x;
	change_y = change_y < 0 ? -change_y : change_y;
	if (change_x != change_y)
		return change_x > change_y ? -1 : 1;
	return strcmp(x->name, y->name);
}

void diff_table_add_tracer(struct diff_table *table, int side, double tracer_ns)
{
	table->tracer_ns[side] += tracer_ns;
}

void diff_table_leave_out(struct diff_table *table, enum diff_section section,
			  const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->rows.count; i++) {
		struct diff_row *row = row_at(table, i);

		if (row->section == section &&
		    (!name || !strcmp(row->name, name)))
			free_names(row);
		else
			*row_at(table, kept++) = *row;
	}
	table->rows.count = kept;
	if (!name)
		table->is_left_out[section] = true;
}

int diff_table_note(struct diff_table *table, char *text)
{
	int status = array_append(&table->notes, &text);

	if (status < 0)
		free(text);
	return status;
}

void diff_table_end(struct diff_table *table)
{
	fold(table);
	if (table->rows.count)
		qsort_r(table->rows.items, table->rows.count,
			sizeof(struct diff_row), compare, table);
}

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

/* Appends at most @top rows of @section to the @count rows in part->rows. If
 * @left_out is not NULL, omits unchanged rows, and also noise, which is counted
 * in *@left_out.
 *
 * Returns the number of appended rows.
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
		"work and waits for the recorder, %s in A, %s in B.\n"
		"Left out of processes: the kernel's waits for work.\n",
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
