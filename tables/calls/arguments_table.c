/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "common/array.h"
#include "report/text/task_names.h"
#include "tables/calls/read_calls.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <stdio.h>

/* report --args: the calls of chosen functions with their arguments and
 * results, in the order of their starts.
 */
struct arguments_table {
	struct event_handler handler;
	struct attribution_input input;
	struct read_calls *calls;
	struct array chosen; /* const struct read_call * */
};

static void close_table(struct event_handler *handler)
{
	struct arguments_table *table = (struct arguments_table *)handler;

	array_free(&table->chosen);
	read_calls_free(table->calls);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct arguments_table *table = (struct arguments_table *)handler;

	table->input = *input;
	table->chosen = ARRAY_OF(const struct read_call *);
	table->calls = read_calls_new(&table->input);
	return table->calls;
}

static void write_begin(struct record_writer *writer,
			const struct column *column,
			const struct column_row *row)
{
	const struct read_call *call = row->fact;

	record_real(writer, column->name,
		    (double)(int64_t)(call->begin_ns - row->input->origin_ns) /
			    1e9,
		    9);
}

static const char *comm_of(const struct column_row *row)
{
	const struct read_call *call = row->fact;

	return task_names_comm(row->input->names, call->task.tid,
			       call->begin_ns);
}

static void write_wall(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	const struct read_call *call = row->fact;

	if (call->end_ns && call->result)
		record_duration(writer, column->name,
				call->end_ns - call->begin_ns);
	else
		record_absent(writer, column->name);
}

#define OF(member) MEMBER(struct read_call, member)

static const struct column columns[] = {
	REAL_COLUMN("begin_s", "time of its start", WRITTEN(write_begin)),
	PID_COLUMN(OF(task.pid)),
	TID_COLUMN(OF(task.tid)),
	COMM_COLUMN(NAMED(comm_of)),
	FUNCTION_COLUMN("function that was called", struct read_call, function),
	TEXT_COLUMN("arguments", "its arguments", OF(arguments)),
	TEXT_COLUMN("result", "what it returned", OF(result)),
	WALL_COLUMN(WRITTEN(write_wall)),
	END_OF_COLUMNS,
};

/* Collects the calls that the options choose. Returns 0 or -ERROR_MEMORY. */
static int choose(struct arguments_table *table)
{
	struct array *all;
	int status = read_calls_end(table->calls, &all);

	for (size_t i = 0; i < all->count && !status; i++) {
		const struct read_call *call = array_at(all, i);

		if (table_wants(&table->input, &call->task, call->begin_ns))
			status = array_append(&table->chosen, &call);
	}
	return status;
}

static const struct table_need needs[] = {
	{ .columns = "arguments and results",
	  .event = EVENT_CALL_ARGUMENTS,
	  .is_all = true },
};

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct arguments_table *table = (struct arguments_table *)handler;
	int status = choose(table);

	return status ? status :
			table_rows_show(output,
					&(struct table_rows){
						.table = &arguments_table,
						.input = &table->input,
						.state = table,
						.facts = &table->chosen,
						.are_pointers = true,
						.count = table->chosen.count,
					});
}

const struct attribution_table arguments_table = {
	.name = "args",
	.columns = columns,
	TABLE_NEEDS(needs, "No chosen function was called"),
	.brief = "begin_s,comm,function,arguments,result,wall_ns",
	.help = "the calls of functions chosen with record --args: arguments, "
		"results, times",
	.is_of_tasks = true,
	.size = sizeof(struct arguments_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
