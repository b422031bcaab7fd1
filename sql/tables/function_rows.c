/* SPDX-License-Identifier: MIT */
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"

#include <stdlib.h>

/* All functions of the kernel and the programs, called or not. */
struct function_rows {
	struct row_source source;
	const struct function_table *functions;
	struct row_out *out;
};

enum {
	COLUMN_ID,
	COLUMN_NAME,
	COLUMN_MODULE,
	COLUMN_ADDRESS,
	COLUMN_SPACE,
	COLUMN_SYMBOL,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_ID] = { "function_id", SQL_INTEGER, ROLE_NONE, "",
			"number of the function in other tables, valid for "
			"this recording only" },
	[COLUMN_NAME] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			  "name of the function; not unique" },
	[COLUMN_MODULE] = { "module", SQL_TEXT, ROLE_NONE, "",
			    "module or program; empty for the kernel image" },
	[COLUMN_ADDRESS] = { "address", SQL_INTEGER, ROLE_NONE, "",
			     "lowest entry address, as a signed number; NULL "
			     "if unknown" },
	[COLUMN_SPACE] = { "space", SQL_TEXT, ROLE_NONE, "", "kernel or user" },
	[COLUMN_SYMBOL] = { "symbol", SQL_TEXT, ROLE_NONE, "",
			    "its symbol in the file: the mangled name of C++, "
			    "Rust and D" },
};

static void add(struct row_out *out, uint32_t number,
		const struct function *function)
{
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	cells[COLUMN_ID].number = number;
	cells[COLUMN_NAME].text = function->name;
	cells[COLUMN_MODULE].text = function->module;
	cells[COLUMN_ADDRESS].number = (int64_t)function->address;
	if (!function->address)
		row_out_null(out, COLUMN_ADDRESS);
	cells[COLUMN_SPACE].text = function->space == 'u' ? "user" : "kernel";
	cells[COLUMN_SYMBOL].text = function_symbol(function);
	row_out_end(out);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct function_rows *rows = (struct function_rows *)source;
	uint32_t count = function_count(rows->functions);

	(void)stacks;
	(void)is_early;
	for (uint32_t i = 0; i < count; i++)
		add(rows->out, i, function_at(rows->functions, i));
	return row_out_flush(rows->out);
}

static void close_rows(struct row_source *source)
{
	free(source);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct function_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source.end = end;
	rows->source.close = close_rows;
	rows->functions = symbols_functions(input->recording->symbols);
	rows->out = input->outs[TABLE_FUNCTION];
	return &rows->source;
}

const struct row_source_class function_source = {
	.need = NEEDS_NOTHING,
	.open = open_rows,
};

const struct sql_table sql_function_table = {
	.id = TABLE_FUNCTION,
	.name = "function",
	.meaning = "All functions of the kernel, its modules and the traced "
		   "programs, including those that were never called.",
	.columns = columns,
	.column_count = COLUMNS,
	.source = &function_source,
};
