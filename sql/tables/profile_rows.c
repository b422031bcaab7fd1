/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stdlib.h>

/* The reports' profile: each function of each process. */
struct profile_rows {
	struct row_source source;
	const struct function_table *functions;
	const struct row_choice *choice;
	struct profile_scope scope;
	struct profile *profile;
	struct row_out *out;
};

#define OF_ROW(member) MEMBER(struct function_row, member)

static const struct column columns[] = {
	TEXT_COLUMN("function", "name of the function", .role = ROLE_FUNCTION),
	TEXT_COLUMN("module",
		    "its module or program; empty for the kernel image"),
	INT_COLUMN("function_id", "its number in the table function",
		   OF_ROW(function)),
	INT_COLUMN("pid", "process; 0: idle, -1: unknown", .role = ROLE_PID,
		   OF_ROW(pid)),
	INT_COLUMN("calls", "direct + tail + async"),
	NS_COLUMN("self_ns", "time on a CPU in the function itself",
		  OF_ROW(self_ns)),
	NS_COLUMN("total_ns",
		  "time including callees of the same part; recursion "
		  "counts once",
		  OF_ROW(total_ns)),
	INT_COLUMN("direct", "entries by calls and system calls",
		   OF_ROW(calls.direct)),
	INT_COLUMN("tail", "entries by a jump at the end of the caller",
		   OF_ROW(calls.tail)),
	INT_COLUMN("async", "entries by interrupts and exceptions",
		   OF_ROW(calls.async)),
	INT_COLUMN("starts", "not in calls: how often the trace starts in it",
		   OF_ROW(calls.starts)),
	INT_COLUMN("inferred",
		   "not in calls: how often it was already running when it "
		   "was first seen",
		   OF_ROW(calls.inferred)),
	TEXT_COLUMN("part",
		    "work (in the report), idle (the idle loop; --with-idle) "
		    "or tracer (perf's functions, their callees, and the "
		    "recorder; --with-tracer)"),
	SUM_WINDOW_COLUMNS,
};

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct step_callback *callback =
		profile_callback(((struct profile_rows *)handler)->profile);

	callback->consume(callback, step);
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct profile_rows *rows = (const struct profile_rows *)source;

	return time_ns >= rows->choice->sums.until_ns;
}

static void add(const struct profile_rows *rows, const struct function_row *row,
		enum profile_part part)
{
	const struct function *function =
		function_at(rows->functions, row->function);
	struct row_out *out = rows->out;

	if (!row_out_start(out, row))
		return;
	row_put_text(out, function->name);
	row_put_text(out, function->module);
	row_put_number(out, (int64_t)call_counts_calls(&row->calls));
	row_put_text(out, profile_part_name(part));
	sum_window_put(out, &rows->choice->sums);
	row_out_end(out);
}

static int add_tree(const struct profile_rows *rows,
		    const struct call_tree *tree, enum profile_part part)
{
	struct function_profile sums;
	int status = function_profile_make(
		tree, function_count(rows->functions), &sums);

	if (status < 0)
		return status;
	for (size_t i = 0; i < sums.row_count; i++)
		add(rows, &sums.rows[i], part);
	function_profile_free(&sums);
	return 0;
}

/* Adds the rows of one part, like the report that shows only this part. */
static int add_part(const struct profile_rows *rows, enum profile_part part)
{
	struct profile_scope scope = rows->scope;
	uint64_t time_ns[PROFILE_PARTS];
	struct call_tree *tree;
	int status;

	scope.shows[part] = true;
	tree = profile_scope_apply(&scope, profile_tree(rows->profile),
				   time_ns);
	status = tree ? add_tree(rows, tree, part) : -ERROR_MEMORY;
	call_tree_free(tree);
	return status;
}

static int end(struct row_source *source, const struct row_end *pass)
{
	struct profile_rows *rows = (struct profile_rows *)source;
	int status = 0;

	(void)pass;
	for (int part = 0; !status && part < PROFILE_PARTS; part++)
		status = add_part(rows, (enum profile_part)part);
	return status ? status : profile_end(rows->profile);
}

static void close_rows(struct row_source *source)
{
	struct profile_rows *rows = (struct profile_rows *)source;

	profile_free(rows->profile);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	const struct attribution_input *recording = input->recording;
	struct profile_rows *rows = (struct profile_rows *)source;
	struct profile_options options = {
		.filter = recording->filter,
		.window = input->choice->sums,
		.by_process = true,
		.names = recording->names,
		.recorder = recording_info(recording->recording)->command,
	};

	rows->scope.kinds = recording->kinds;
	options.scope = &rows->scope;
	source->handler.step = consume_step;
	rows->functions = symbols_functions(input->recording->symbols);
	rows->choice = input->choice;
	rows->out = input->outs[TABLE_PROFILE];
	rows->profile = profile_new(&options);
	return rows->profile;
}

const struct row_source_class profile_source = {
	.size = sizeof(struct profile_rows),
	.open = open_rows,
	.takes_stop = true,
	.is_done = is_done,
	.end = end,
	.close = close_rows,
};

static const struct sql_need needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_profile_table = {
	.id = TABLE_PROFILE,
	.name = "profile",
	.meaning = "Calls and times of each function in each process: report "
		   "--flat by process.",
	COLUMN_LIST(columns),
	.rows_per_mb = 500,
	.source = &profile_source,
	SQL_NEEDS(needs),
};
