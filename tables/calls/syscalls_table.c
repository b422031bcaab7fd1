/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/task_tracker.h"
#include "attribution/time/time_span.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

/* The sums of one process's calls of one function. The times are only of calls
 * that were traced from start to end.
 */
struct call_stat {
	int32_t pid;
	uint32_t function;     /* implements the call */
	struct histogram wall; /* its count is the number of calls */
	uint64_t errors;
	uint64_t restarts; /* calls that the kernel itself restarts */
	uint64_t class_ns[TIME_CLASSES];
	uint64_t faults;
	uint64_t fault_ns;
	uint64_t no_return; /* not in wall: the task ended in the call */
	uint64_t cut;	    /* not in wall: a part of the call is untraced */
};

struct call_stats {
	struct keyed_array all; /* struct call_stat by pid and function */
};

#define CALL_STATS_NONE \
	((struct call_stats){ KEYED_ARRAY_OF(struct call_stat, function) })

static struct call_stat *stat_at(const struct call_stats *stats, size_t index)
{
	return (struct call_stat *)stats->all.items.items + index;
}

static void call_stats_free(struct call_stats *stats)
{
	for (size_t i = 0; i < stats->all.items.count; i++)
		histogram_free(&stat_at(stats, i)->wall);
	keyed_array_free(&stats->all);
}

static struct call_stat *stat_of(struct call_stats *stats, int32_t pid,
				 uint32_t function)
{
	return keyed_array_add(&stats->all,
			       &(struct call_stat){ .pid = pid,
						    .function = function,
						    .wall = HISTOGRAM_EMPTY });
}

static int add_whole(struct call_stat *stat, const struct system_call *call)
{
	for (int i = 0; i < TIME_CLASSES; i++)
		stat->class_ns[i] += call->class_ns[i];
	stat->faults += call->faults;
	stat->fault_ns += call->fault_ns;
	if (call->has_exit && system_call_is_error(call->result))
		stat->errors++;
	if (call->has_exit && system_call_is_restart(call->result))
		stat->restarts++;
	return histogram_add(&stat->wall, call->end_ns - call->begin_ns);
}

/* Counts @call, which has ended, for the process or group @pid.  Returns 0 or
 * -ERROR_MEMORY.
 */
static int call_stats_add(struct call_stats *stats, int32_t pid,
			  const struct system_call *call)
{
	struct call_stat *stat = stat_of(stats, pid, call->function);

	if (!stat)
		return -ERROR_MEMORY;
	switch ((enum system_call_end)call->end) {
	case CALL_RETURNED:
		return add_whole(stat, call);
	case CALL_NO_RETURN:
		stat->no_return++;
		return 0;
	case CALL_CUT:
		stat->cut++;
		return 0;
	case CALL_ENDS:
		break;
	}
	return 0;
}

static size_t call_stats_count(const struct call_stats *stats)
{
	return stats->all.items.count;
}

/* report --syscalls: sums of each process's system calls. */
struct syscalls_table {
	struct event_handler handler;
	struct task_listener listener;
	struct attribution_input input;
	struct call_stats stats;
	bool has_results;
	bool has_off_cpu;
};

static int count_call(struct syscalls_table *table,
		      const struct system_call *call)
{
	const struct task_groups *groups = table->input.groups;
	int32_t pid = call->task->pid < 0 ? call->task->tid : call->task->pid;

	if (!table_wants(&table->input, call->task, call->begin_ns))
		return 0;
	return call_stats_add(&table->stats,
			      groups ? task_groups_of(groups, call->task) : pid,
			      call);
}

static int consume_call(struct task_listener *listener,
			const struct system_call *call)
{
	struct syscalls_table *table =
		container_of(listener, struct syscalls_table, listener);

	return count_call(table, call);
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

	table->listener.ended = consume_call;
	table->listener.reads_records = true;
	table->input = *input;
	table->has_results = known_events_has(input->events, EVENT_SYS_EXIT);
	table->has_off_cpu =
		known_events_has(input->events, EVENT_SCHED_SWITCH) &&
		known_events_has(input->events, EVENT_SCHED_WAKING);
	table->stats = CALL_STATS_NONE;
	return trackers_plain_tasks(input->trackers, &table->listener);
}

static const char *call_of(const struct column_row *row)
{
	const struct call_stat *stat = row->fact;

	return system_call_name(symbols_functions(row->input->symbols),
				symbols_arch(row->input->symbols),
				stat->function);
}

static uint64_t on_cpu_ns(const struct column_row *row)
{
	const struct call_stat *stat = row->fact;

	return system_call_on_cpu(stat->class_ns);
}

static const char *function_of(const struct column_row *row)
{
	const struct call_stat *stat = row->fact;

	return stat->function == FUNCTION_UNKNOWN ?
		       NULL :
		       function_at(symbols_functions(row->input->symbols),
				   stat->function)
			       ->name;
}

#define OF(member) MEMBER(struct call_stat, member)
#define OF_CLASS(time_class) OF(class_ns[time_class])
#define IF_OFF_CPU KNOWN_BY(struct syscalls_table, has_off_cpu)
#define IF_RESULTS KNOWN_BY(struct syscalls_table, has_results)

static const struct column columns[] = {
	PROCESS_COLUMNS(struct call_stat, pid),
	CALL_COLUMN(NAMED(call_of)),
	COUNT_COLUMN(OF(wall.count)),
	INT_COLUMN("errors", "calls that returned an error", OF(errors),
		   IF_RESULTS),
	TOTAL_COLUMN(OF(wall.total)),
	MEAN_COLUMN_OF(struct call_stat, wall),
	MEDIAN_COLUMN_OF(struct call_stat, wall),
	P99_COLUMN_OF(struct call_stat, wall),
	MAX_COLUMN(OF(wall.max)),
	ON_CPU_COLUMN(COUNTED(on_cpu_ns)),
	ASLEEP_COLUMN(OF_CLASS(TIME_ASLEEP), IF_OFF_CPU),
	RUNNABLE_COLUMN(OF_CLASS(TIME_RUNNABLE), IF_OFF_CPU),
	STOLEN_COLUMN(OF_CLASS(TIME_INTERRUPT)),
	TRACER_COLUMN(OF_CLASS(TIME_TRACER)),
	UNKNOWN_COLUMN(OF_CLASS(TIME_UNKNOWN)),
	FAULTS_COLUMN(OF(faults)),
	NS_COLUMN("fault_ns",
		  "page faults in it, from start to end: also asleep",
		  OF(fault_ns)),
	INT_COLUMN("restarts", "calls that the kernel restarted after a signal",
		   OF(restarts), IF_RESULTS),
	INT_COLUMN("no_return", "calls that do not return, such as exit",
		   OF(no_return)),
	CUT_COLUMN(OF(cut)),
	TEXT_COLUMN("function", "function of the kernel", NAMED(function_of),
		    .rows = COLUMN_OF_DATA),
	END_OF_COLUMNS,
};

static const struct table_need needs[] = {
	{ .columns = "system calls", .event = RECORDED_KERNEL, .is_all = true },
	{ .columns = "errors, restarts", .event = EVENT_SYS_EXIT },
	{ .columns = "asleep_ns, runnable_ns", .event = EVENT_SCHED_SWITCH },
	{ .columns = "asleep_ns, runnable_ns", .event = EVENT_SCHED_WAKING },
};

/* Writes how many calls the times of the table leave out. */
static void explain_no_return(const struct syscalls_table *table, FILE *out)
{
	const struct call_stat *stats = table->stats.all.items.items;
	uint64_t count = 0;

	for (size_t i = 0; i < call_stats_count(&table->stats); i++)
		count += stats[i].no_return;
	if (count)
		fprintf(out,
			"Left out: %" PRIu64
			" call%s in which the thread ended "
			"(--wide: no return).\n",
			count, count == 1 ? "" : "s");
}

static void explain(const struct syscalls_table *table, FILE *out)
{
	explain_no_return(table, out);
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

	array_sort_by(&table->stats.all.items,
		      KEYS(FALLING(struct call_stat, wall.total),
			   RISING(struct call_stat, pid),
			   RISING(struct call_stat, function)));
	status = table_rows_show(output, &(struct table_rows)TABLE_ROWS(
						 &syscalls_table, table,
						 &table->stats.all.items));
	if (!status && output->format == RECORD_TABLE)
		explain(table, output->out);
	return status;
}

const struct attribution_table syscalls_table = {
	.name = "syscalls",
	.columns = columns,
	.help = "each process's system calls: how many, how long, and where "
		"their time went",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct syscalls_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &system_call_records,
};
