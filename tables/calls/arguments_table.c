/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "common/array.h"
#include "common/error.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
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

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct arguments_table *table = ctx;
	const struct read_call *call =
		*(const struct read_call **)array_at(&table->chosen, index);
	const struct function_table *functions =
		symbols_functions(table->input.symbols);

	record_real(writer, "begin_s",
		    (double)(int64_t)(call->begin_ns - table->input.origin_ns) /
			    1e9,
		    9);
	record_signed(writer, "pid", call->task.pid);
	record_signed(writer, "tid", call->task.tid);
	record_text(writer, "comm",
		    task_names_comm(table->input.names, call->task.tid,
				    call->begin_ns));
	record_text(writer, "function",
		    function_at(functions, call->function)->name);
	record_text(writer, "arguments", call->arguments);
	if (call->result)
		record_text(writer, "result", call->result);
	else
		record_absent(writer, "result");
	if (call->end_ns && call->result)
		record_duration(writer, "wall_ns",
				call->end_ns - call->begin_ns);
	else
		record_absent(writer, "wall_ns");
}

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

	if (status)
		return status;
	status = table_rows_render(output, write_row, table,
				   table->chosen.count);
	if (!status && output->format == RECORD_TABLE)
		recorded_table(&table->input, needs, 1, table->chosen.count,
			       "No chosen function was called", output->out);
	return status;
}

const struct attribution_table arguments_table = {
	.name = "args",
	.columns = "begin_s pid tid comm function arguments result wall_ns",
	.brief = "begin_s,comm,function,arguments,result,wall_ns",
	.help = "the calls of functions chosen with record --args: arguments, "
		"results, times",
	.is_of_tasks = true,
	.size = sizeof(struct arguments_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
