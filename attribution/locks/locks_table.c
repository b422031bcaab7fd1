/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/events/known_events.h"
#include "attribution/locks/lock_waits.h"
#include "attribution/sleeps/wait_channels.h"
#include "attribution/table.h"
#include "attribution/text/table_rows.h"
#include "attribution/time/task_paths.h"
#include "common/error.h"
#include "common/number_map.h"
#include "report/text/task_label.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* report --locks: which locks threads waited for, and who let them go. */
struct locks_table {
	struct event_handler handler;
	struct attribution_input input;
	struct lock_waits waits;
	struct task_paths *paths;
	struct wait_channels *places;
	struct function_marks *futexes;
	struct number_map *words; /* first argument of a call, by tid */
	int status;
};

/* How many of those who let a lock go a row shows. */
enum { MOST_RELEASES = 3 };

static void note(struct locks_table *table, int status)
{
	if (status < 0)
		table->status = status;
}

/* Returns the function of @task that wants the lock: the innermost outside of
 * locks and scheduler.
 */
static uint32_t function_of(const struct locks_table *table,
			    const struct task *task)
{
	size_t count = 0;
	const struct path_frame *path =
		task ? task_paths_of(table->paths, task->index, &count) : NULL;

	return wait_channels_caller(table->places, path, count);
}

static void take_futex(struct locks_table *table, const struct call_step *step)
{
	const struct task *task = step->task;
	const uint64_t *word =
		number_map_find(table->words, (uint64_t)(uint32_t)task->tid);
	const struct lock_name lock = {
		.address = word ? *word : 0,
		.pid = task->pid,
		.kind = LOCK_FUTEX,
	};

	if (step->kind == STEP_ENTER &&
	    table_wants(&table->input, task, step->time_ns))
		note(table, lock_waits_begin(&table->waits, task->tid, &lock,
					     step->function, step->time_ns));
	else if (step->kind == STEP_EXIT)
		note(table, lock_waits_end(&table->waits, task->tid, &lock,
					   step->time_ns));
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct locks_table *table = (struct locks_table *)handler;

	note(table, task_paths_take(table->paths, step));
	if ((step->kind == STEP_ENTER || step->kind == STEP_EXIT) &&
	    function_marks_has(table->futexes, step->function))
		take_futex(table, step);
}

static void take_contention(struct locks_table *table,
			    const struct event_record *event)
{
	const struct task *task =
		task_paths_task(table->paths, event->cpu, event->tid);
	const struct lock_name lock = {
		.address = (uint64_t)event->values[LOCK_ADDRESS],
		.pid = -1,
		.kind = (uint8_t)lock_kind_of(event->values[LOCK_FLAGS]),
	};

	if (event->event == EVENT_LOCK_END)
		note(table, lock_waits_end(&table->waits, event->tid, &lock,
					   event->time_ns));
	else if (task && table_wants(&table->input, task, event->time_ns))
		note(table, lock_waits_begin(&table->waits, event->tid, &lock,
					     function_of(table, task),
					     event->time_ns));
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct locks_table *table = (struct locks_table *)handler;
	uint64_t *word;

	if (event->event == EVENT_SCHED_WAKING) {
		lock_waits_wake(&table->waits,
				(int32_t)event->values[WAKING_TID], event->tid);
	} else if (event->event == EVENT_LOCK_BEGIN ||
		   event->event == EVENT_LOCK_END) {
		take_contention(table, event);
	} else if (event->event == EVENT_SYS_ENTER) {
		word = number_map_add(table->words,
				      (uint64_t)(uint32_t)event->tid);
		if (word)
			*word = (uint64_t)event->values[SYSTEM_CALL_ARGUMENT];
		else
			table->status = -ERROR_MEMORY;
	}
}

static void close_table(struct event_handler *handler)
{
	struct locks_table *table = (struct locks_table *)handler;

	lock_waits_close(&table->waits);
	task_paths_free(table->paths);
	wait_channels_free(table->places);
	free(table->futexes);
	number_map_free(table->words);
	free(table);
}

/* kernel/futex/waitwake.c of Linux 5.16 and newer, kernel/futex.c before. */
static struct function_marks *
find_futexes(const struct function_table *functions)
{
	uint32_t count = function_count(functions);
	struct function_marks *marks = function_marks_new(count);

	for (uint32_t i = 0; marks && i < count; i++)
		marks->marks[i] =
			function_at(functions, i)->space == 'k' &&
			!strcmp(function_at(functions, i)->name, "futex_wait");
	return marks;
}

static struct event_handler *open_table(const struct attribution_input *input)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	struct locks_table *table = calloc(1, sizeof(*table));
	struct wait_marks marks;

	if (!table)
		return NULL;
	marks = wait_marks_of(input->recording);
	table->handler = (struct event_handler){ .step = take_step,
						 .event = take_event };
	table->input = *input;
	table->paths = task_paths_new();
	table->places = wait_channels_new(functions, input->kinds, &marks);
	table->futexes = find_futexes(functions);
	table->words = number_map_new();
	if (lock_waits_open(&table->waits) == 0 && table->paths &&
	    table->places && table->futexes && table->words)
		return &table->handler;
	close_table(&table->handler);
	return NULL;
}

/* "hog-144 12, recv-145 3" */
static void releases_field(struct record_writer *writer,
			   const struct locks_table *table,
			   const struct lock_stat *stat)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < stat->releases.count && i < MOST_RELEASES;
	     i++) {
		const struct lock_release *release =
			array_at(&stat->releases, i);

		fprintf(out, "%s%s %" PRIu64, i ? ", " : "",
			task_label_last(table->input.names, release->tid).text,
			release->count);
	}
	if (out)
		fclose(out);
	record_text(writer, "released_by", text ? text : "");
	free(text);
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct locks_table *table = ctx;
	const struct lock_stat *stat = array_at(&table->waits.stats, index);
	const struct function_table *functions =
		symbols_functions(table->input.symbols);

	record_text(writer, "kind", lock_kind_name(stat->kind));
	if (stat->address)
		record_address(writer, "lock", stat->address);
	else
		record_absent(writer, "lock");
	if (stat->pid >= 0)
		record_signed(writer, "pid", stat->pid);
	else
		record_absent(writer, "pid");
	record_text(writer, "function",
		    function_at(functions, stat->function)->name);
	record_number(writer, "count", stat->waits.count);
	record_number(writer, "total_ns", stat->waits.total);
	record_number(writer, "mean_ns", histogram_mean(&stat->waits));
	record_number(writer, "max_ns", stat->waits.max);
	record_number(writer, "waiters_at_begin", stat->others_at_begin);
	record_number(writer, "waiters_at_end", stat->others_at_end);
	releases_field(writer, table, stat);
}

static void explain(const struct locks_table *table, FILE *out)
{
	const struct known_events *events = table->input.events;

	if (!known_events_has(events, EVENT_LOCK_BEGIN))
		table_rows_missing(out, "the kernel's locks",
				   "lock:contention_begin", "--events=locks");
	if (!known_events_has(events, EVENT_SYS_ENTER))
		table_rows_missing(out, "which futex", "raw_syscalls:sys_enter",
				   "--events=syscalls");
	if (!known_events_has(events, EVENT_SCHED_WAKING))
		table_rows_missing(out, "released_by", "sched:sched_waking",
				   "--events=sched");
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct locks_table *table = (struct locks_table *)handler;
	int status = table->status;

	if (status)
		return status;
	lock_waits_sort(&table->waits);
	status = table_rows_render(output, write_row, table,
				   table->waits.stats.count);
	if (!status && output->format == RECORD_TABLE)
		explain(table, output->out);
	return status;
}

const struct attribution_table locks_table = {
	.name = "locks",
	.help = "which locks and futexes threads waited for, and who let them go",
	.is_of_tasks = true,
	.open = open_table,
	.render = render,
	.close = close_table,
};
