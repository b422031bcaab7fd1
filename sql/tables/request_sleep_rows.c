/* SPDX-License-Identifier: MIT */
#include "sql/tables/request_sleep_rows.h"

#include "attribution/sleeps/sleeps.h"
#include "common/array.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "sql/tables/comm_cache.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "sql/tables/written_text.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/requests/request_sleeps.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

/* Adds the sleeps of one request to a table. */
struct sleep_adder {
	struct request_sleep_callback callback; /* must be the first member */
	const struct attribution_input *input;
	const struct request_sleeps *sleeps;
	uint64_t number;
	struct row_out *out;
};

enum {
	COLUMN_REQUEST,
	COLUMN_BEGIN,
	COLUMN_ASLEEP,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_FUNCTION,
	COLUMN_FD,
	COLUMN_DOWNSTREAM,
	COLUMN_WAKERS,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_REQUEST] = { "request_id", SQL_INTEGER, ROLE_NONE, "",
			     "id of the request" },
	[COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "time at which the thread left its CPU; with tid, "
			   "the key of the table sleep" },
	[COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "time until the thread was woken, counted only "
			    "while the thread had the request: at most "
			    "asleep_ns of the table sleep" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
			 "process of the thread that slept" },
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "its thread" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			  "name of the thread at that time" },
	[COLUMN_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			      "wait channel: the function that decided to "
			      "wait; NULL if not in the trace" },
	[COLUMN_FD] = { "fd", SQL_INTEGER, ROLE_NONE, "",
			"file descriptor that its system call operates on; "
			"NULL: none, or arguments were not recorded" },
	[COLUMN_DOWNSTREAM] = { "is_downstream", SQL_INTEGER, ROLE_NONE, "",
				"1: the thread waited for a message, mostly "
				"from a server to which it had sent a request; "
				"counted in downstream_ns of the request" },
	[COLUMN_WAKERS] = { "wakers", SQL_TEXT, ROLE_NONE, "",
			    "the waker, then the waker's own waker (after an "
			    "interrupt that delivered a message, its sender), "
			    "and so on; empty if unknown" },
};

static const struct sql_need needs[] = {
	{ .event = EVENT_SCHED_WAKING },
	{ SQL_COLUMN(COLUMN_FD), NULL, EVENT_SYS_ENTER, 0 },
};

const struct sql_table sql_request_sleep_table = {
	.id = TABLE_REQUEST_SLEEP,
	.name = "request_sleep",
	.meaning = "The sleeps of threads while they had a request: sleeps in "
		   "report --requests.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 20,
	.is_kept = true,
	.source = &request_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};

/* Writes a row's wakers as text. */
struct waker_text {
	const struct sleep_adder *adder;
	const struct request_sleep *sleep;
};

static void write_wakers(FILE *file, const void *ctx)
{
	const struct waker_text *text = ctx;

	if (text->sleep->waker != WAKER_NONE)
		request_sleep_write_wakers(text->adder->sleeps, text->sleep,
					   text->adder->input, file);
}

static void fill_task(const struct sleep_adder *adder, union sql_cell *cells,
		      const struct request_sleep *sleep)
{
	const struct task_names *names = adder->input->names;

	cells[COLUMN_PID].number = task_process(names, sleep->task);
	cells[COLUMN_TID].number = sleep->task->tid;
	cells[COLUMN_COMM].text =
		task_names_comm(names, sleep->task->tid, sleep->begin_ns);
}

static int take(struct request_sleep_callback *callback,
		const struct request_sleep *sleep)
{
	const struct sleep_adder *adder = (struct sleep_adder *)callback;
	const struct waker_text text = { adder, sleep };
	union sql_cell *cells = row_out_begin(adder->out);

	if (!cells)
		return adder->out->status;
	cells[COLUMN_REQUEST].number = (int64_t)adder->number;
	cells[COLUMN_BEGIN].number = (int64_t)sleep->begin_ns;
	cells[COLUMN_ASLEEP].number = (int64_t)sleep->asleep_ns;
	fill_task(adder, cells, sleep);
	cells[COLUMN_FUNCTION].text =
		sleep->label == FUNCTION_UNKNOWN ?
			NULL :
			function_at(symbols_functions(adder->input->symbols),
				    sleep->label)
				->name;
	cells[COLUMN_FD].number = sleep->fd;
	if (sleep->fd < 0)
		row_out_null(adder->out, COLUMN_FD);
	cells[COLUMN_DOWNSTREAM].number = sleep->is_idle;
	cells[COLUMN_WAKERS].text =
		written_text(adder->out, write_wakers, &text);
	row_out_end(adder->out);
	return 0;
}

int request_sleep_rows_add(const struct attribution_input *input,
			   const struct request_sleeps *sleeps,
			   const struct array *numbers, struct row_out *out)
{
	struct sleep_adder adder = {
		.callback.take = take,
		.input = input,
		.sleeps = sleeps,
		.out = out,
	};
	const uint64_t *items = numbers->items;
	int status = 0;

	for (size_t i = 0; !status && i < numbers->count; i++) {
		adder.number = items[i];
		status =
			request_sleeps_visit(sleeps, items[i], &adder.callback);
	}
	return status ? status : row_out_flush(out);
}
