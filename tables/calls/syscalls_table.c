/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_call.h"
#include "attribution/events/known_events.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/kept_file.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/call_pack.h"
#include "tables/calls/call_stats.h"
#include "tables/table.h"
#include "tables/table_records.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <stdlib.h>

/* report --syscalls: sums of each process's system calls. */
struct syscalls_table {
	struct event_handler handler;
	struct task_listener listener;
	struct attribution_input input;
	struct call_stats stats;
	/* of records; NULL: records are not written */
	struct kept_file_writer *writer;
	int status; /* error while reading records */
	bool has_results;
	bool has_off_cpu;
	bool is_text;
};

static uint32_t functions_of(const struct syscalls_table *table)
{
	return function_count(symbols_functions(table->input.symbols));
}

static void keep_call(const struct syscalls_table *table,
		      const struct system_call *call)
{
	const struct kept_span span =
		kept_span_of(call->begin_ns, call->end_ns);
	struct system_call kept = *call;
	struct task task;

	call_pack(kept_file_writer_pack(table->writer), &kept, &task,
		  functions_of(table));
	kept_file_writer_add(table->writer, &span);
}

static int count_call(struct syscalls_table *table,
		      const struct system_call *call)
{
	if (!table_wants(&table->input, call->task, call->begin_ns))
		return 0;
	return call_stats_add(&table->stats, call);
}

static int take_call(struct task_listener *listener,
		     const struct system_call *call)
{
	struct syscalls_table *table =
		container_of(listener, struct syscalls_table, listener);

	if (table->writer)
		keep_call(table, call);
	return count_call(table, call);
}

static void keep(struct event_handler *handler, struct kept_file_writer *writer)
{
	struct syscalls_table *table = (struct syscalls_table *)handler;

	table->writer = writer;
}

static void take_record(struct event_handler *handler, struct pack *pack)
{
	struct syscalls_table *table = (struct syscalls_table *)handler;
	struct system_call call = { 0 };
	struct task task = { 0 };

	call_pack(pack, &call, &task, functions_of(table));
	if (!pack->failed && count_call(table, &call) < 0)
		table->status = -ERROR_MEMORY;
}

static void close_table(struct event_handler *handler)
{
	struct syscalls_table *table = (struct syscalls_table *)handler;

	call_stats_free(&table->stats);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct syscalls_table *table = (struct syscalls_table *)handler;

	table->listener.ended = take_call;
	table->input = *input;
	table->has_results = known_events_has(input->events, EVENT_SYS_EXIT);
	table->has_off_cpu =
		known_events_has(input->events, EVENT_SCHED_SWITCH) &&
		known_events_has(input->events, EVENT_SCHED_WAKING);
	table->stats = CALL_STATS_NONE;
	return trackers_plain_tasks(input->trackers, &table->listener);
}

static void write_times(struct record_writer *writer,
			const struct call_stat *stat)
{
	record_number(writer, "total_ns", stat->wall.total);
	record_number(writer, "mean_ns", histogram_mean(&stat->wall));
	record_number(writer, "median_ns",
		      histogram_quantile(&stat->wall, 0.5));
	record_number(writer, "p99_ns", histogram_quantile(&stat->wall, 0.99));
	record_number(writer, "max_ns", stat->wall.max);
}

static void write_classes(const struct table_rows *rows,
			  const struct syscalls_table *table,
			  const struct call_stat *stat)
{
	struct record_writer *writer = rows->writer;

	record_number(writer, "on_cpu_ns", system_call_on_cpu(stat->class_ns));
	table_rows_known(rows, table->has_off_cpu, "asleep_ns",
			 stat->class_ns[TIME_ASLEEP]);
	table_rows_known(rows, table->has_off_cpu, "runnable_ns",
			 stat->class_ns[TIME_RUNNABLE]);
	record_number(writer, "stolen_ns", stat->class_ns[TIME_INTERRUPT]);
	record_number(writer, "tracer_ns", stat->class_ns[TIME_TRACER]);
	record_number(writer, "unknown_ns", stat->class_ns[TIME_UNKNOWN]);
	record_number(writer, "faults", stat->faults);
	record_number(writer, "fault_ns", stat->fault_ns);
}

static void write_function(const struct table_rows *rows, const char *name,
			   bool is_known)
{
	if (rows->is_text)
		return;
	if (is_known)
		record_text(rows->writer, "function", name);
	else
		record_absent(rows->writer, "function");
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct syscalls_table *table = ctx;
	const struct call_stat *stat = call_stats_at(&table->stats, index);
	const struct function_table *functions =
		symbols_functions(table->input.symbols);
	const struct table_rows rows = { writer, table->is_text };

	table_rows_process(writer, &table->input, stat->pid);
	record_text(writer, "call",
		    system_call_name(functions,
				     symbols_arch(table->input.symbols),
				     stat->function));
	record_number(writer, "count", stat->wall.count);
	table_rows_known(&rows, table->has_results, "errors", stat->errors);
	write_times(writer, stat);
	write_classes(&rows, table, stat);
	table_rows_known(&rows, table->has_results, "restarts", stat->restarts);
	record_number(writer, "no_return", stat->no_return);
	record_number(writer, "cut", stat->cut);
	write_function(&rows, function_at(functions, stat->function)->name,
		       stat->function != FUNCTION_UNKNOWN);
}

static const struct table_need needs[] = {
	{ .columns = "system calls", .event = RECORDED_KERNEL, .is_all = true },
	{ .columns = "errors, restarts", .event = EVENT_SYS_EXIT },
	{ .columns = "asleep_ns, runnable_ns", .event = EVENT_SCHED_SWITCH },
	{ .columns = "asleep_ns, runnable_ns", .event = EVENT_SCHED_WAKING },
};

static void explain(const struct syscalls_table *table, FILE *out)
{
	if (!table->has_results || !table->has_off_cpu)
		fputs("\n", out);
	recorded_table(&table->input, needs, sizeof(needs) / sizeof(*needs),
		       call_stats_count(&table->stats),
		       "No system call was made", out);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct syscalls_table *table = (struct syscalls_table *)handler;
	int status;

	if (table->status < 0)
		return table->status;
	table->is_text = output->format == RECORD_TABLE;
	call_stats_sort(&table->stats);
	status = table_rows_render(output, write_row, table,
				   call_stats_count(&table->stats));
	if (!status && table->is_text)
		explain(table, output->out);
	return status;
}

static const struct table_records records = {
	.name = "syscalls",
	.keep = keep,
	.pack_rest = table_records_refer_to_nothing,
	.take = take_record,
	.wanted = table_records_begin_in,
};

const struct attribution_table syscalls_table = {
	.name = "syscalls",
	.columns = "group pid comm call count errors total_ns mean_ns "
		   "median_ns p99_ns max_ns on_cpu_ns asleep_ns runnable_ns "
		   "stolen_ns tracer_ns unknown_ns faults fault_ns restarts "
		   "no_return cut function",
	.help = "each process's system calls: how many, how long, and where "
		"their time went",
	.is_of_tasks = true,
	.size = sizeof(struct syscalls_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &records,
};
