/* SPDX-License-Identifier: MIT */
#include "sql/tables/interrupt_columns.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "sql/rows/row_out.h"
#include "sql/tables/interrupt_who.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "sql/tables/sum_window.h"
#include "tables/text/recorded.h"

enum {
	COLUMN_COUNT = WHO_COLUMNS,
	COLUMN_TOTAL,
	COLUMN_MAX,
	COLUMN_EXACT,
	COLUMN_INFERRED,
	COLUMN_NOBODY,
	COLUMN_SINCE,
	COLUMN_UNTIL,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	INTERRUPT_WHO_COLUMNS(0),
	[COLUMN_COUNT] = { "count", SQL_REAL, ROLE_NONE, "",
			   "number of slices of work; a slice with several "
			   "beneficiaries counts for each by its share" },
	[COLUMN_TOTAL] = { "total_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "time, without nested interrupts" },
	[COLUMN_MAX] = { "max_ns", SQL_INTEGER, ROLE_NONE, "ns",
			 "longest slice, or largest share of one slice" },
	[COLUMN_EXACT] = { "exact_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "part of total_ns with an exact beneficiary" },
	[COLUMN_INFERRED] = { "inferred_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "part of total_ns with an inferred beneficiary" },
	[COLUMN_NOBODY] = { "nobody_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "part of total_ns without a known beneficiary" },
	SUM_WINDOW_COLUMNS(COLUMN_SINCE, COLUMN_UNTIL),
};

static const struct sql_need needs[] = { INTERRUPT_WHO_NEEDS(0) };

const struct sql_table sql_interrupt_table = {
	.id = TABLE_INTERRUPT,
	.name = "interrupt",
	.meaning = "Sums of interrupt work and deferred work, by kind, "
		   "interrupted process and beneficiary, as in report "
		   "--interrupts.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 5,
	.source = &account_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};

static void fill_sums(union sql_cell *cells, const struct interrupt_row *row)
{
	cells[COLUMN_COUNT].real = row->count;
	cells[COLUMN_TOTAL].number = (int64_t)row->total_ns;
	cells[COLUMN_MAX].number = (int64_t)row->max_ns;
	cells[COLUMN_EXACT].number = (int64_t)row->certain_ns[CERTAIN_EXACT];
	cells[COLUMN_INFERRED].number =
		(int64_t)row->certain_ns[CERTAIN_INFERRED];
	cells[COLUMN_NOBODY].number = (int64_t)row->certain_ns[CERTAIN_NOBODY];
}

void interrupt_columns_add(const struct attribution_input *input,
			   const struct row_choice *choice, struct row_out *out,
			   const struct interrupt_row *row)
{
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	fill_sums(cells, row);
	interrupt_who_fill(input, out, cells, 0, row, row->pid);
	cells[COLUMN_SINCE].number = sum_window_bound(choice->sums.since_ns);
	cells[COLUMN_UNTIL].number = sum_window_bound(choice->sums.until_ns);
	row_out_end(out);
}
