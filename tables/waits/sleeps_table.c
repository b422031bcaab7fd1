/* SPDX-License-Identifier: MIT */
#include "tables/waits/sleeps_table_internal.h"

#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/profile/call_tree.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/stack_text.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

/* The sums of the sleeps that one chain of wakers ended, or that waited for one
 * descriptor.
 */
struct waker_stat {
	/* a chain's number, or WAKER_NONE; in fds, a descriptor */
	uint32_t waker;
	uint64_t count;
	uint64_t total_ns;
};

/* The sums of one process's, or group's, sleeps with one stack. The times are
 * of sleeps that were traced from start to end.
 */
struct sleep_stat {
	int32_t pid;
	uint32_t stack;
	uint32_t user_stack;
	uint32_t label;
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
	uint64_t longest_place; /* place of the longest; see struct sleep */
	uint64_t runnable_ns;	/* after them, until the task ran */
	/* number of other sleeps, cut by the start or end of the recording */
	uint64_t cut;
	uint64_t cut_ns;
	struct keyed_array wakers; /* struct waker_stat; the longest first once
				 * sorted */
	/* struct waker_stat by descriptor, where known */
	struct keyed_array fds;
};

struct sleep_stats {
	struct keyed_array all; /* struct sleep_stat by pid and stack */
};

#define SLEEP_STATS_NONE \
	((struct sleep_stats){ KEYED_ARRAY_OF(struct sleep_stat, user_stack) })

/* report --sleeps: the sleeps of each process, by stack and waker. */
struct sleeps_table {
	struct event_handler handler;
	struct task_listener listener;
	struct attribution_input input;
	struct task_tracker *tracker;
	struct sleep_stats stats;
	/* sleeps left out: kernel threads that waited for work */
	uint64_t idle_count;
	uint64_t idle_ns;
	bool has_user_stacks;
	bool has_fds;
};

static inline const struct function_table *
sleeps_table_functions(const struct sleeps_table *table)
{
	return symbols_functions(table->input.symbols);
}

bool is_idle_sleep(const struct sleep *sleep, const struct call_tree *stacks,
		   const struct function_table *functions,
		   const struct task_names *names)
{
	uint32_t own = FUNCTION_NONE;

	if (!task_names_is_of_kernel(names, sleep->task->pid))
		return false;
	if (sleep->label == FUNCTION_UNKNOWN || sleep->stack == CALL_NODE_NONE)
		return true;
	if (sleep->inner != FUNCTION_UNKNOWN &&
	    sleep_is_timed(function_at(functions, sleep->inner)->base))
		return true;
	for (uint32_t at = sleep->stack;;) {
		const struct call_node *node = call_tree_at(stacks, at);

		if (node->parent == CALL_NODE_NONE)
			break;
		if (!sleep_is_thread_start(
			    function_at(functions, node->function)->base))
			own = node->function;
		at = node->parent;
	}
	return own == sleep->label;
}

static struct sleep_stat *stat_at(const struct sleep_stats *stats, size_t index)
{
	return (struct sleep_stat *)stats->all.items.items + index;
}

static void sleep_stats_free(struct sleep_stats *stats)
{
	for (size_t i = 0; i < stats->all.items.count; i++) {
		keyed_array_free(&stat_at(stats, i)->wakers);
		keyed_array_free(&stat_at(stats, i)->fds);
	}
	keyed_array_free(&stats->all);
}

/* Returns the process that slept, or the thread if its process is unknown. */
static int32_t sleep_stats_process(const struct sleep *sleep)
{
	return sleep->task->pid < 0 ? sleep->task->tid : sleep->task->pid;
}

static struct sleep_stat *stat_of(struct sleep_stats *stats, int32_t pid,
				  const struct sleep *sleep)
{
	return keyed_array_add(
		&stats->all,
		&(struct sleep_stat){
			.pid = pid,
			.stack = sleep->stack,
			.user_stack = sleep->user_stack,
			.label = sleep->label,
			.wakers = KEYED_ARRAY_OF(struct waker_stat, waker),
			.fds = KEYED_ARRAY_OF(struct waker_stat, waker),
		});
}

static int add_to(struct keyed_array *list, uint32_t number,
		  const struct sleep *sleep)
{
	struct waker_stat *waker =
		keyed_array_add(list, &(struct waker_stat){ .waker = number });

	if (!waker)
		return -ERROR_MEMORY;
	waker->count++;
	waker->total_ns += sleep->asleep_ns;
	return 0;
}

/* Counts @sleep for process or group @pid.  Returns 0 or -ERROR_MEMORY. */
static int sleep_stats_add(struct sleep_stats *stats, int32_t pid,
			   const struct sleep *sleep)
{
	struct sleep_stat *stat = stat_of(stats, pid, sleep);

	if (!stat)
		return -ERROR_MEMORY;
	if (sleep->is_cut) {
		stat->cut++;
		stat->cut_ns += sleep->asleep_ns;
		return 0;
	}
	stat->count++;
	stat->total_ns += sleep->asleep_ns;
	stat->runnable_ns += sleep->runnable_ns;
	if (sleep->asleep_ns > stat->max_ns || !stat->longest_place)
		stat->longest_place = sleep->place;
	if (sleep->asleep_ns > stat->max_ns)
		stat->max_ns = sleep->asleep_ns;
	if (sleep->fd >= 0 &&
	    add_to(&stat->fds, (uint32_t)sleep->fd, sleep) < 0)
		return -ERROR_MEMORY;
	return add_to(&stat->wakers, sleep->waker, sleep);
}

static int compare_wakers(const void *a, const void *b)
{
	const struct waker_stat *x = a;
	const struct waker_stat *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->waker < y->waker ? -1 : x->waker > y->waker;
}

/* Sorts by falling total time. */
static void sleep_stats_sort(struct sleep_stats *stats)
{
	array_sort_by(&stats->all.items,
		      KEYS(FALLING(struct sleep_stat, total_ns),
			   FALLING(struct sleep_stat, cut_ns),
			   RISING(struct sleep_stat, pid),
			   RISING(struct sleep_stat, stack),
			   RISING(struct sleep_stat, user_stack)));
	for (size_t i = 0; i < stats->all.items.count; i++) {
		array_sort(&stat_at(stats, i)->wakers.items, compare_wakers);
		array_sort(&stat_at(stats, i)->fds.items, compare_wakers);
	}
}

static size_t sleep_stats_count(const struct sleep_stats *stats)
{
	return stats->all.items.count;
}

static const struct sleep_stat *sleep_stats_at(const struct sleep_stats *stats,
					       size_t index)
{
	return stat_at(stats, index);
}

/* Maximum number of waker chains in a row. */
enum { MAX_WAKERS = 5 };

/* Maximum number of wakers of a chain in text. */
enum { MAX_CHAIN = 6 };

/* Writes "3x prog-7 pipe_write", with at most @most wakers of the chain. */
static void write_waker(const struct sleeps_table *table,
			const struct waker_stat *waker, uint32_t most,
			FILE *out)
{
	fprintf(out, "%" PRIu64 "x ", waker->count);
	wakers_write_any(task_tracker_wakers(table->tracker), waker->waker,
			 most, sleeps_table_functions(table),
			 table->input.names, out);
}

static void write_node(const struct sleeps_table *table, uint32_t node,
		       FILE *out)
{
	stack_text_write(task_tracker_stacks(table->tracker), node,
			 sleeps_table_functions(table), out);
}

static bool write_stack(FILE *out, const void *ctx)
{
	const struct column_row *row = ctx;
	const struct sleep_stat *stat = row->fact;

	write_node(row->state, stat->stack, out);
	return true;
}

static bool write_user_stack(FILE *out, const void *ctx)
{
	const struct column_row *row = ctx;
	const struct sleeps_table *table = row->state;
	const struct sleep_stat *stat = row->fact;
	uint32_t node = stat->user_stack;

	if (node == CALL_NODE_NONE)
		node = stack_text_user_part(task_tracker_stacks(table->tracker),
					    stat->stack,
					    sleeps_table_functions(table));
	write_node(table, node, out);
	return true;
}

/* Writes the wakers of a row: "3x prog-7 pipe_write; 1x interrupt ..." */
static bool write_wakers(FILE *out, const void *ctx)
{
	const struct column_row *row = ctx;
	const struct sleep_stat *stat = row->fact;
	const struct array *wakers = &stat->wakers.items;

	for (size_t i = 0; i < wakers->count && i < MAX_WAKERS; i++) {
		fputs(i ? "; " : "", out);
		write_waker(row->state, array_at(wakers, i), UINT32_MAX, out);
	}
	return true;
}

/* Writes "3 12x; 0 1x": the descriptors. */
static bool write_fds(FILE *out, const void *ctx)
{
	const struct column_row *row = ctx;
	const struct sleep_stat *stat = row->fact;
	const struct array *fds = &stat->fds.items;

	for (size_t i = 0; i < fds->count && i < MAX_WAKERS; i++) {
		const struct waker_stat *fd = array_at(fds, i);

		fprintf(out, "%s%" PRIu32 " %" PRIu64 "x", i ? "; " : "",
			fd->waker, fd->count);
	}
	return true;
}

static bool find_line(const struct sleeps_table *table,
		      const struct sleep_stat *stat, struct source_line *line)
{
	return sleep_find_line(table->input.lines,
			       sleeps_table_functions(table), stat->label,
			       stat->longest_place, line);
}

static void write_file(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	struct source_line line;

	if (find_line(row->state, row->fact, &line))
		record_text(writer, column->name, line.file);
	else
		record_absent(writer, column->name);
}

static void write_line(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	struct source_line line;

	if (find_line(row->state, row->fact, &line))
		record_number(writer, column->name, (uint64_t)line.line);
	else
		record_absent(writer, column->name);
}

static const char *label_of(const struct column_row *row)
{
	const struct sleep_stat *stat = row->fact;

	return sleep_label_name(sleeps_table_functions(row->state),
				stat->label);
}

static uint64_t mean_ns(const struct column_row *row)
{
	const struct sleep_stat *stat = row->fact;

	return stat->count ? stat->total_ns / stat->count : 0;
}

#define OF(member) MEMBER(struct sleep_stat, member)

static const struct column columns[] = {
	PROCESS_COLUMNS(struct sleep_stat, pid),
	TEXT_COLUMN("label", "kernel function in which it slept",
		    NAMED(label_of)),
	COUNT_COLUMN(OF(count)),
	TOTAL_COLUMN(OF(total_ns)),
	MEAN_COLUMN(COUNTED(mean_ns)),
	MAX_COLUMN(OF(max_ns)),
	RUNNABLE_COLUMN(OF(runnable_ns)),
	CUT_COLUMN(OF(cut)),
	NS_COLUMN("cut_ns", "time of those that are cut", OF(cut_ns)),
	STACK_COLUMN(PRINTED(write_stack)),
	TEXT_COLUMN("user_stack",
		    "functions of the program, the innermost first",
		    PRINTED(write_user_stack),
		    KNOWN_BY(struct sleeps_table, has_user_stacks)),
	TEXT_COLUMN("wakers",
		    "threads and interrupts that ended the sleeps, with their "
		    "own wakers",
		    PRINTED(write_wakers)),
	TEXT_COLUMN("fds", "descriptors that it waited for", PRINTED(write_fds),
		    KNOWN_BY(struct sleeps_table, has_fds)),
	TEXT_COLUMN(
		"blocking_file",
		"the kernel's source file, if its debug information is there",
		WRITTEN(write_file)),
	INT_COLUMN("blocking_line", "line of the longest sleep in it",
		   WRITTEN(write_line)),
	END_OF_COLUMNS,
};

static void print_numbers(const struct sleep_stat *stat, FILE *out)
{
	if (stat->count)
		fprintf(out,
			"    %" PRIu64 " times, %s, mean %s, max %s; then "
			"runnable %s\n",
			stat->count, duration_text_of(stat->total_ns).text,
			duration_text_of(stat->total_ns / stat->count).text,
			duration_text_of(stat->max_ns).text,
			duration_text_of(stat->runnable_ns).text);
	if (stat->cut)
		fprintf(out, "    %" PRIu64 " times cut by the recording, %s\n",
			stat->cut, duration_text_of(stat->cut_ns).text);
}

static void print_stack(const struct sleeps_table *table, const char *name,
			uint32_t stack, FILE *out)
{
	stack_text_lines(task_tracker_stacks(table->tracker), stack,
			 sleeps_table_functions(table), name, out);
}

/* Writes a row of the text, with stacks on lines of their own: they are too
 * long for a row of one line.
 */
static void print_row(const struct sleeps_table *table,
		      const struct sleep_stat *stat, FILE *out)
{
	struct source_line line;

	if (table->input.groups)
		name_write(
			out, NAME_TEXT,
			task_groups_label(table->input.groups, stat->pid).text);
	else
		task_label_write_last(table->input.names, stat->pid, out);
	fputs("  ", out);
	name_write(out, NAME_TEXT,
		   sleep_label_name(sleeps_table_functions(table),
				    stat->label));
	if (find_line(table, stat, &line)) {
		fputs(" at ", out);
		name_write(out, NAME_TEXT, line.file);
		fprintf(out, ":%d", line.line);
	}
	fputs("\n", out);
	print_numbers(stat, out);
	for (size_t i = 0; i < stat->wakers.items.count && i < MAX_WAKERS;
	     i++) {
		fputs("    woken by  ", out);
		write_waker(table, array_at(&stat->wakers.items, i), MAX_CHAIN,
			    out);
		fputs("\n", out);
	}
	if (stat->fds.items.count) {
		fputs("    on fd     ", out);
		write_fds(out, &(struct column_row){ .fact = stat });
		fputs("\n", out);
	}
	print_stack(table, "kernel", stat->stack, out);
	print_stack(table, "user", stat->user_stack, out);
	fputs("\n", out);
}

static void say_idle(const struct sleeps_table *table, FILE *out)
{
	if (table->idle_count)
		fprintf(out,
			"Left out: kernel threads that waited for work or for "
			"their time, %" PRIu64 " times, %s (--with-idle).\n%s",
			table->idle_count,
			duration_text_of(table->idle_ns).text,
			out == stderr ? "" : "\n");
}

static int print_rows(const struct sleeps_table *table,
		      const struct attribution_output *output)
{
	const struct table_rows rows =
		TABLE_ROWS(&sleeps_table, table, &table->stats.all.items);
	uint64_t *order;
	int status = table_rows_order(output, table_rows_write, &rows,
				      rows.count, &order);

	for (uint64_t i = 0; !status && i < rows.count && i < output->top; i++)
		print_row(table, sleep_stats_at(&table->stats, order[i]),
			  output->out);
	free(order);
	return status;
}

static const struct table_need needs[] = {
	{ .columns = "sleeps", .event = EVENT_SCHED_SWITCH, .is_all = true },
	{ .columns = "sleeps and their wakers",
	  .event = EVENT_SCHED_WAKING,
	  .is_all = true },
	{ .columns = "user_stack", .event = RECORDED_USER_STACKS },
	{ .columns = "fds", .event = EVENT_SYS_ENTER },
};

static void explain(const struct sleeps_table *table, FILE *out)
{
	uint64_t refused = task_tracker_refused_stacks(table->tracker);

	recorded_table(&table->input, needs, sizeof(needs) / sizeof(*needs),
		       sleep_stats_count(&table->stats), "No sleep was seen",
		       out);
	if (refused)
		fprintf(out,
			"Not known: user_stack of %" PRIu64 " sleeps of 32-bit "
			"programs: such stacks are not unwound.\n",
			refused);
}

/* Writes the sorted rows, and notes on them. Returns like render() in struct
 * attribution_table.
 */
static int sleeps_show(const struct sleeps_table *table,
		       const struct attribution_output *output)
{
	int status;

	if (output->format == RECORD_TABLE)
		say_idle(table, output->out);
	else if (!output->is_quiet)
		say_idle(table, stderr);
	if (output->format != RECORD_TABLE)
		return table_rows_show(output,
				       &(struct table_rows)TABLE_ROWS(
					       &sleeps_table, table,
					       &table->stats.all.items));
	status = print_rows(table, output);
	if (!status)
		explain(table, output->out);
	return status;
}

/* Returns whether the report omits a sleep. Tasks that the user chose are shown
 * whatever they wait for.
 */
static bool is_left_out(const struct sleeps_table *table,
			const struct sleep *sleep)
{
	return !table->input.with_idle &&
	       !step_filter_has_tasks(table->input.filter) &&
	       is_idle_sleep(sleep, task_tracker_stacks(table->tracker),
			     symbols_functions(table->input.symbols),
			     table->input.names);
}

static int count_sleep(struct sleeps_table *table, const struct sleep *sleep)
{
	const struct task_groups *groups = table->input.groups;

	if (!table_wants(&table->input, sleep->task, sleep->begin_ns))
		return 0;
	if (is_left_out(table, sleep)) {
		table->idle_count++;
		table->idle_ns += sleep->asleep_ns;
		return 0;
	}
	return sleep_stats_add(&table->stats,
			       groups ? task_groups_of(groups, sleep->task) :
					sleep_stats_process(sleep),
			       sleep);
}

static int consume_sleep(struct task_listener *listener,
			 const struct sleep *sleep)
{
	struct sleeps_table *table =
		container_of(listener, struct sleeps_table, listener);

	return count_sleep(table, sleep);
}

static void close_table(struct event_handler *handler)
{
	struct sleeps_table *table = (struct sleeps_table *)handler;

	sleep_stats_free(&table->stats);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct sleeps_table *table = (struct sleeps_table *)handler;

	table->listener.slept = consume_sleep;
	table->listener.reads_records = true;
	table->input = *input;
	table->has_user_stacks = known_events_has_user_stacks(input->events) ||
				 recording_traces_user(input->recording);
	table->has_fds = known_events_has(input->events, EVENT_SYS_ENTER);
	table->stats = SLEEP_STATS_NONE;
	table->tracker = trackers_tasks(input->trackers, &table->listener);
	return table->tracker;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct sleeps_table *table = (struct sleeps_table *)handler;

	sleep_stats_sort(&table->stats);
	return sleeps_show(table, output);
}

const struct attribution_table sleeps_table = {
	.name = "sleeps",
	.columns = columns,
	.help = "where each process slept, for how long, and its wakers",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct sleeps_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &sleep_records,
};
