/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "sql/tables/interrupt_who.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stddef.h>
#include <stdlib.h>

/* Each interrupt, soft interrupt and piece of deferred work; report
 * --interrupts adds them up.
 */
struct slice_rows {
	struct row_source source;
	struct charge_callback callback;
	const struct attribution_input *recording;
	struct row_out *out;
};

enum {
	COLUMN_ID,
	COLUMN_OUTER,
	COLUMN_BEGIN,
	COLUMN_END,
	COLUMN_CPU,
	COLUMN_WHO, /* the first of the columns of interrupt_who.h */
	COLUMN_SHARE = COLUMN_WHO + WHO_COLUMNS,
	COLUMN_OWN,
	COLUMN_CERTAINTY,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_ID] = { "id", SQL_INTEGER, ROLE_NONE, "",
			"number of the slice; a slice with several "
			"beneficiaries has a row for each" },
	[COLUMN_OUTER] = { "part_of", SQL_INTEGER, ROLE_NONE, "",
			   "id of the enclosing slice, such as the timer "
			   "interrupt of a timer; NULL: none" },
	[COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns", "start" },
	[COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
			 "end; if it ended in a switch to another thread, "
			 "after the switch back" },
	[COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			 "CPU on which it ran" },
	INTERRUPT_WHO_COLUMNS(COLUMN_WHO),
	[COLUMN_SHARE] = { "share", SQL_REAL, ROLE_NONE, "",
			   "this beneficiary's share of the slice: 1 if it is "
			   "the only one" },
	[COLUMN_OWN] = { "own_ns", SQL_INTEGER, ROLE_NONE, "ns",
			 "this beneficiary's part of the slice's own time, "
			 "which excludes nested slices and the tracer" },
	[COLUMN_CERTAINTY] = { "certainty", SQL_TEXT, ROLE_NONE, "",
			       "certainty of the beneficiary: exact, inferred "
			       "or nobody (unknown)" },
};

static const char *certainty_name(uint8_t certainty)
{
	static const char *const names[CERTAINTIES] = {
		[CERTAIN_EXACT] = "exact",
		[CERTAIN_INFERRED] = "inferred",
		[CERTAIN_NOBODY] = "nobody",
	};

	return names[certainty];
}

static void take(struct charge_callback *callback,
		 const struct interrupt_row *work, int32_t pid,
		 const struct interrupt_charge *charge)
{
	const struct slice_rows *rows =
		container_of(callback, struct slice_rows, callback);
	const struct slice_span *span = &charge->span;
	union sql_cell *cells = row_out_begin(rows->out);

	if (!cells)
		return;
	cells[COLUMN_ID].number = (int64_t)span->serial;
	cells[COLUMN_OUTER].number = (int64_t)span->outer;
	if (!span->outer)
		row_out_null(rows->out, COLUMN_OUTER);
	cells[COLUMN_BEGIN].number = (int64_t)span->begin_ns;
	cells[COLUMN_END].number = (int64_t)span->end_ns;
	cells[COLUMN_CPU].number = span->cpu;
	interrupt_who_fill(rows->recording, rows->out, cells, COLUMN_WHO, work,
			   pid);
	cells[COLUMN_SHARE].real = charge->count;
	cells[COLUMN_OWN].number = (int64_t)charge->ns;
	cells[COLUMN_CERTAINTY].text = certainty_name(charge->certainty);
	row_out_end(rows->out);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct slice_rows *rows = (struct slice_rows *)source;

	(void)stacks;
	(void)is_early;
	return row_out_flush(rows->out);
}

static void close_rows(struct row_source *source)
{
	free(source);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct slice_rows *rows = calloc(1, sizeof(*rows));
	struct interrupt_accounts *accounts;

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.needs_begin = true,
		.end = end,
		.close = close_rows,
	};
	rows->callback.take = take;
	rows->recording = input->recording;
	rows->out = input->outs[TABLE_INTERRUPT_SLICE];
	accounts = trackers_interrupts(input->recording->trackers);
	if (!accounts) {
		close_rows(&rows->source);
		return NULL;
	}
	interrupt_rows_tell(interrupt_accounts_rows(accounts), &rows->callback);
	return &rows->source;
}

const struct row_source_class slice_source = {
	.needs_time = true,
	.open = open_rows,
};

static const struct sql_need needs[] = { INTERRUPT_WHO_NEEDS(COLUMN_WHO) };

const struct sql_table sql_interrupt_slice_table = {
	.id = TABLE_INTERRUPT_SLICE,
	.name = "interrupt_slice",
	.meaning =
		"All interrupts, soft interrupts and items of deferred work, "
		"in the order in which their beneficiaries become known; the "
		"table interrupt adds them up.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 200,
	.is_kept = true,
	.source = &slice_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};
