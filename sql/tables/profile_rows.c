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

enum {
	COLUMN_FUNCTION,
	COLUMN_MODULE,
	COLUMN_FUNCTION_ID,
	COLUMN_PID,
	COLUMN_CALLS,
	COLUMN_SELF,
	COLUMN_TOTAL,
	COLUMN_DIRECT,
	COLUMN_TAIL,
	COLUMN_ASYNC,
	COLUMN_STARTS,
	COLUMN_INFERRED,
	COLUMN_PART,
	COLUMN_SINCE,
	COLUMN_UNTIL,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			      "name of the function" },
	[COLUMN_MODULE] = { "module", SQL_TEXT, ROLE_NONE, "",
			    "its module or program; empty for the kernel "
			    "image" },
	[COLUMN_FUNCTION_ID] = { "function_id", SQL_INTEGER, ROLE_NONE, "",
				 "its number in the table function" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
			 "process; 0: idle, -1: unknown" },
	[COLUMN_CALLS] = { "calls", SQL_INTEGER, ROLE_NONE, "",
			   "direct + tail + async" },
	[COLUMN_SELF] = { "self_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "time on a CPU in the function itself" },
	[COLUMN_TOTAL] = { "total_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "time including callees of the same part; recursion "
			   "counts once" },
	[COLUMN_DIRECT] = { "direct", SQL_INTEGER, ROLE_NONE, "",
			    "entries by calls and system calls" },
	[COLUMN_TAIL] = { "tail", SQL_INTEGER, ROLE_NONE, "",
			  "entries by a jump at the end of the caller" },
	[COLUMN_ASYNC] = { "async", SQL_INTEGER, ROLE_NONE, "",
			   "entries by interrupts and exceptions" },
	[COLUMN_STARTS] = { "starts", SQL_INTEGER, ROLE_NONE, "",
			    "not in calls: how often the trace starts in it" },
	[COLUMN_INFERRED] = { "inferred", SQL_INTEGER, ROLE_NONE, "",
			      "not in calls: how often it was already running "
			      "when it was first seen" },
	[COLUMN_PART] = { "part", SQL_TEXT, ROLE_NONE, "",
			  "work (in the report), idle (the idle loop; "
			  "--with-idle) or tracer (perf's functions, their "
			  "callees, and the recorder; --with-tracer)" },
	SUM_WINDOW_COLUMNS(COLUMN_SINCE, COLUMN_UNTIL),
};

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct step_callback *callback =
		profile_callback(((struct profile_rows *)handler)->profile);

	callback->take(callback, step);
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
	union sql_cell *cells = row_out_begin(rows->out);

	if (!cells)
		return;
	cells[COLUMN_FUNCTION].text = function->name;
	cells[COLUMN_MODULE].text = function->module;
	cells[COLUMN_FUNCTION_ID].number = row->function;
	cells[COLUMN_PID].number = row->pid;
	cells[COLUMN_CALLS].number = (int64_t)call_counts_calls(&row->calls);
	cells[COLUMN_SELF].number = (int64_t)row->self_ns;
	cells[COLUMN_TOTAL].number = (int64_t)row->total_ns;
	cells[COLUMN_DIRECT].number = (int64_t)row->calls.direct;
	cells[COLUMN_TAIL].number = (int64_t)row->calls.tail;
	cells[COLUMN_ASYNC].number = (int64_t)row->calls.async;
	cells[COLUMN_STARTS].number = (int64_t)row->calls.starts;
	cells[COLUMN_INFERRED].number = (int64_t)row->calls.inferred;
	cells[COLUMN_PART].text = profile_part_name(part);
	cells[COLUMN_SINCE].number =
		sum_window_bound(rows->choice->sums.since_ns);
	cells[COLUMN_UNTIL].number =
		sum_window_bound(rows->choice->sums.until_ns);
	row_out_end(rows->out);
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

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct profile_rows *rows = (struct profile_rows *)source;
	int status = 0;

	(void)stacks;
	(void)is_early;
	for (int part = 0; !status && part < PROFILE_PARTS; part++)
		status = add_part(rows, (enum profile_part)part);
	if (!status)
		status = profile_end(rows->profile);
	return status ? status : row_out_flush(rows->out);
}

static void close_rows(struct row_source *source)
{
	struct profile_rows *rows = (struct profile_rows *)source;

	profile_free(rows->profile);
	free(rows);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	const struct attribution_input *recording = input->recording;
	struct profile_rows *rows = calloc(1, sizeof(*rows));
	struct profile_options options = {
		.filter = recording->filter,
		.window = input->choice->sums,
		.by_process = true,
		.names = recording->names,
		.recorder = recording_info(recording->recording)->command,
	};

	if (!rows)
		return NULL;
	rows->scope.kinds = recording->kinds;
	options.scope = &rows->scope;
	rows->source = (struct row_source){
		.handler.step = take_step,
		.takes_stop = true,
		.is_done = is_done,
		.end = end,
		.close = close_rows,
	};
	rows->functions = symbols_functions(input->recording->symbols);
	rows->choice = input->choice;
	rows->out = input->outs[TABLE_PROFILE];
	rows->profile = profile_new(&options);
	if (rows->profile)
		return &rows->source;
	close_rows(&rows->source);
	return NULL;
}

const struct row_source_class profile_source = { .open = open_rows };

static const struct sql_need needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_profile_table = {
	.id = TABLE_PROFILE,
	.name = "profile",
	.meaning = "Calls and times of each function in each process: report "
		   "--flat by process.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 500,
	.source = &profile_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};
