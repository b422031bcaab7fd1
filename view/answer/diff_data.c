/* SPDX-License-Identifier: MIT */
#include "view/answer/diff_data.h"

#include "report/diff/diff_table.h"
#include "view/answer/json_out.h"

#include <stdlib.h>
#include <string.h>

static void write_side(struct json_out *json, const char *name,
		       const struct diff_side *side, uint32_t recordings)
{
	struct diff_value mean = diff_side_mean(side, recordings);

	json_key(json, name);
	json_begin(json, "{}");
	json_member_number(json, "total_ns", diff_rounded(mean.total_ns));
	json_member_number(json, "count", diff_rounded(mean.count));
	json_member_number(json, "mean_ns", diff_value_each(&mean));
	json_member_number(json, "p99_ns", diff_rounded(mean.p99_ns));
	json_end(json, "{}");
}

static void write_row(struct json_out *json, const struct diff_row *row,
		      const uint32_t recordings[2])
{
	double change_ns = diff_row_change(row, recordings);

	json_begin(json, "{}");
	json_member_text(json, "section", diff_section_name(row->section));
	json_member_text(json, "comm", row->comm);
	json_member_text(json, "name", row->name);
	json_member_text(json, "note", diff_row_note(row, recordings));
	json_member_signed(json, "change_ns",
			   change_ns < 0 ? -(int64_t)diff_rounded(-change_ns) :
					   (int64_t)diff_rounded(change_ns));
	write_side(json, "a", &row->sides[0], recordings[0]);
	write_side(json, "b", &row->sides[1], recordings[1]);
	json_end(json, "{}");
}

static void write_rows(struct json_out *json, const struct diff_table *table,
		       uint64_t top)
{
	uint64_t written[DIFF_SECTIONS] = { 0 };

	json_key(json, "rows");
	json_begin(json, "[]");
	for (size_t i = 0; i < table->rows.count; i++) {
		const struct diff_row *row = array_at(&table->rows, i);

		if (written[row->section]++ < top)
			write_row(json, row, table->recordings);
	}
	json_end(json, "[]");
}

static void write_notes(struct json_out *json, const struct diff_table *table)
{
	json_key(json, "left_out");
	json_begin(json, "[]");
	for (int i = 0; i < DIFF_SECTIONS; i++)
		if (table->is_left_out[i])
			json_text(json,
				  diff_section_name((enum diff_section)i));
	json_end(json, "[]");
	json_key(json, "notes");
	json_begin(json, "[]");
	for (size_t i = 0; i < table->notes.count; i++)
		json_text(json, *(char **)array_at(&table->notes, i));
	json_end(json, "[]");
	json_member_bool(json, "is_chosen", table->is_chosen);
}

/* @list: comma-separated names. */
static void write_names(struct json_out *json, const char *key,
			const char *list)
{
	char *copy = strdup(list);
	char *rest = copy;
	const char *name;

	json_key(json, key);
	json_begin(json, "[]");
	while ((name = strsep(&rest, ",")))
		json_text(json, name);
	json_end(json, "[]");
	free(copy);
}

void diff_data_write(const struct diff_table *table, const char *const sides[2],
		     uint64_t top, FILE *out)
{
	struct json_out json = json_out_to(out);

	json_begin(&json, "{}");
	write_names(&json, "a", sides[0]);
	write_names(&json, "b", sides[1]);
	write_notes(&json, table);
	write_rows(&json, table, top);
	json_end(&json, "{}");
	json_out_end(&json);
}
