/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "report/text/duration_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* report --spins: the time that CPUs waited for other CPUs without going to
 * sleep: for the answers to interrupts that they sent, and for locks.
 *
 *	calls of waiting functions --> spin_task: own time of each call
 *	other CPUs: interrupt handlers, releases of locks --> spin_end
 *
 * The time of a wait is the own time of the function that waits, without its
 * callees and the interrupts that it served.
 *
 * The trace does not contain which lock a thread waits for. So what ended the
 * wait is inferred: the last CPU to start to answer, or the last release of a
 * lock of that kind on another CPU, while the wait lasted.
 */

/* Limit on waits in each other: for a lock within a lock, and an interrupt. */
enum { MOST_NESTED = 4, MOST_ENDS = 3 };

enum spin_kind {
	SPIN_NONE,
	SPIN_IPI,  /* until other CPUs have called a function */
	SPIN_STOP, /* until all CPUs have stopped */
	SPIN_SPINLOCK,
	SPIN_RWLOCK,
	SPIN_MUTEX,
	SPIN_RWSEM,
	SPIN_QUEUE, /* to be the next to wait for a mutex or rwsem */
	SPIN_KINDS,
	/* other roles of functions */
	ROLE_ANSWERS = SPIN_KINDS,
	ROLE_FREES_SPINLOCK,
	ROLE_FREES_RWLOCK,
	ROLE_FREES_MUTEX,
	ROLE_FREES_RWSEM,
	ROLE_INSIDE, /* is called on the way to a wait */
};

static const char *const kind_names[SPIN_KINDS] = {
	[SPIN_NONE] = "",	  [SPIN_IPI] = "ipi",
	[SPIN_STOP] = "stop",	  [SPIN_SPINLOCK] = "spinlock",
	[SPIN_RWLOCK] = "rwlock", [SPIN_MUTEX] = "mutex",
	[SPIN_RWSEM] = "rwsem",	  [SPIN_QUEUE] = "queue",
};

/* kernel/smp.c, stop_machine.c, locking/ of Linux 5.10 to 7.3. The first rule
 * that matches decides.
 */
static const struct name_rule rules[] = {
	{ "smp_call_function_many_cond", false, SPIN_IPI },
	{ "smp_call_function_single", false, SPIN_IPI },
	{ "multi_cpu_stop", false, SPIN_STOP },
	{ "native_queued_spin_lock_slowpath", false, SPIN_SPINLOCK },
	{ "queued_spin_lock_slowpath", false, SPIN_SPINLOCK },
	{ "__pv_queued_spin_lock_slowpath", false, SPIN_SPINLOCK },
	{ "queued_read_lock_slowpath", false, SPIN_RWLOCK },
	{ "queued_write_lock_slowpath", false, SPIN_RWLOCK },
	{ "mutex_spin_on_owner", false, SPIN_MUTEX },
	{ "rwsem_spin_on_owner", false, SPIN_RWSEM },
	{ "osq_lock", false, SPIN_QUEUE },
	{ "__flush_smp_call_function_queue", false, ROLE_ANSWERS },
	{ "_raw_spin_unlock", true, ROLE_FREES_SPINLOCK },
	{ "_raw_read_unlock", true, ROLE_FREES_RWLOCK },
	{ "_raw_write_unlock", true, ROLE_FREES_RWLOCK },
	{ "mutex_unlock", false, ROLE_FREES_MUTEX },
	{ "up_write", false, ROLE_FREES_RWSEM },
	{ "up_read", false, ROLE_FREES_RWSEM },
	{ "_raw_", true, ROLE_INSIDE },
	{ "raw_spin_rq_lock", true, ROLE_INSIDE },
	{ "smp_call_function", true, ROLE_INSIDE },
	{ "on_each_cpu", true, ROLE_INSIDE },
	{ "mutex_", true, ROLE_INSIDE },
	{ "__mutex_", true, ROLE_INSIDE },
	{ "rwsem_", true, ROLE_INSIDE },
	{ "down_", true, ROLE_INSIDE },
};

/* The thread that ended a wait, and its function then. */
struct spin_end {
	int32_t tid;	   /* -1: none was seen */
	uint32_t function; /* interrupted, or released the lock */
	uint64_t count;
	uint64_t total_ns;
};

/* A wait in progress. */
struct open_spin {
	uint8_t kind;	   /* enum spin_kind */
	uint32_t function; /* made the call that waits */
	uint32_t depth;
	uint64_t begin_ns;
	uint64_t own_ns;
	struct spin_end end; /* the last one so far */
};

/* The waits of a task, innermost last. */
struct spin_task {
	const struct task *task;
	uint32_t count;
	bool is_own;	       /* the innermost wait's function runs itself */
	uint64_t own_since_ns; /* task's own clock */
	struct open_spin open[MOST_NESTED];
};

/* The sums of all waits of a process in a function. */
struct spin_stat {
	uint32_t kind;
	uint32_t function;
	int32_t pid;
	struct histogram waits;
	struct keyed_array ends; /* struct spin_end, by its first two fields */
};

struct spins_table {
	struct event_handler handler;
	struct attribution_input input;
	const struct task_paths *paths;
	struct function_marks *marks; /* enum spin_kind, and roles */
	struct array tasks;	      /* struct spin_task by task index */
	uint32_t waiting;	      /* waits in progress */
	struct keyed_array stats;     /* struct spin_stat */
	int status;
};

static int add_end(struct spin_stat *stat, const struct open_spin *spin)
{
	struct spin_end *end;

	if (spin->end.tid < 0)
		return 0;
	end = keyed_array_add(&stat->ends,
			      &(struct spin_end){ .tid = spin->end.tid,
						  .function =
							  spin->end.function });
	if (!end)
		return -ERROR_MEMORY;
	end->count++;
	end->total_ns += spin->own_ns;
	return 0;
}

static int add_spin(struct spins_table *table, const struct task *task,
		    const struct open_spin *spin)
{
	struct spin_stat *stat;

	if (!table_wants(&table->input, task, spin->begin_ns))
		return 0;
	stat = keyed_array_add(
		&table->stats,
		&(struct spin_stat){
			.kind = spin->kind,
			.function = spin->function,
			.pid = task->pid,
			.waits = HISTOGRAM_EMPTY,
			.ends = KEYED_ARRAY_OF(struct spin_end, function),
		});
	if (!stat || histogram_add(&stat->waits, spin->own_ns) < 0)
		return -ERROR_MEMORY;
	return add_end(stat, spin);
}

/* Returns the innermost function of @task that is no part of waiting. */
static uint32_t function_of(const struct spins_table *table,
			    const struct task *task)
{
	size_t count;
	const struct path_frame *path =
		task_paths_of(table->paths, task->index, &count);

	while (count-- > 0)
		if (!function_marks_has(table->marks, path[count].function))
			return path[count].function;
	return FUNCTION_UNKNOWN;
}

/* Returns the function of @task that the innermost exception interrupted;
 * FUNCTION_NONE: user space, from which the trace may start as well.
 */
static uint32_t interrupted_of(const struct spins_table *table,
			       const struct task *task)
{
	size_t count;
	const struct path_frame *path =
		task_paths_of(table->paths, task->index, &count);

	while (count-- > 0)
		if (path[count].how == HOW_EXCEPTION ||
		    path[count].how == HOW_START)
			return count ? path[count - 1].function : FUNCTION_NONE;
	return function_of(table, task);
}

static struct spin_task *spin_task_of(struct spins_table *table,
				      const struct task *task)
{
	struct spin_task *spins = array_reach(&table->tasks, task->index);

	if (spins)
		spins->task = task;
	else
		table->status = -ERROR_MEMORY;
	return spins;
}

static void begin_spin(struct spins_table *table, const struct call_step *step,
		       uint8_t kind)
{
	struct spin_task *spins = spin_task_of(table, step->task);

	if (!spins || spins->count == MOST_NESTED)
		return;
	spins->open[spins->count++] = (struct open_spin){
		.kind = kind,
		.function = function_of(table, step->task),
		.depth = step->depth,
		.begin_ns = step->time_ns,
		.end.tid = -1,
	};
	spins->is_own = true;
	spins->own_since_ns = step->whole_ns;
	table->waiting++;
}

/* Adds the own time of the innermost wait up to @step. */
static void stop_own(struct spin_task *spins, const struct call_step *step)
{
	if (spins->is_own)
		spins->open[spins->count - 1].own_ns +=
			step->whole_ns - spins->own_since_ns;
	spins->is_own = false;
}

static void end_spin(struct spins_table *table, struct spin_task *spins)
{
	const struct open_spin *spin = &spins->open[--spins->count];

	table->waiting--;
	if (add_spin(table, spins->task, spin) < 0)
		table->status = -ERROR_MEMORY;
}

/* Follows the calls of a task that waits: callees are not part of the wait. */
static void follow(struct spins_table *table, struct spin_task *spins,
		   const struct call_step *step)
{
	uint32_t depth = spins->open[spins->count - 1].depth;

	if (step->kind == STEP_ENTER && step->depth > depth) {
		stop_own(spins, step);
		return;
	}
	if (step->kind != STEP_EXIT || step->depth > depth + 1)
		return;
	if (step->depth <= depth) {
		stop_own(spins, step);
		end_spin(table, spins);
		if (!spins->count ||
		    step->depth != spins->open[spins->count - 1].depth + 1)
			return;
	}
	spins->is_own = true;
	spins->own_since_ns = step->whole_ns;
}

/* Returns whether a function of @role may end a wait of @kind. */
static bool may_end(uint8_t kind, uint8_t role)
{
	switch ((enum spin_kind)role) {
	case ROLE_ANSWERS:
		return kind == SPIN_IPI;
	case ROLE_FREES_SPINLOCK:
		return kind == SPIN_SPINLOCK;
	case ROLE_FREES_RWLOCK:
		return kind == SPIN_RWLOCK;
	case ROLE_FREES_MUTEX:
		return kind == SPIN_MUTEX || kind == SPIN_QUEUE;
	case ROLE_FREES_RWSEM:
		return kind == SPIN_RWSEM || kind == SPIN_QUEUE;
	case SPIN_NONE:
	case SPIN_IPI:
	case SPIN_STOP:
	case SPIN_SPINLOCK:
	case SPIN_RWLOCK:
	case SPIN_MUTEX:
	case SPIN_RWSEM:
	case SPIN_QUEUE:
	case ROLE_INSIDE:
		break;
	}
	return false;
}

/* Notes that the task of @step may end the waits of tasks on other CPUs. */
static void note_end(struct spins_table *table, const struct call_step *step,
		     uint8_t role)
{
	struct spin_task *all = table->tasks.items;
	const struct spin_end end = {
		.tid = step->task->tid,
		.function = role == ROLE_ANSWERS ?
				    interrupted_of(table, step->task) :
				    function_of(table, step->task),
	};

	for (size_t i = 0; i < table->tasks.count; i++) {
		struct open_spin *spin =
			all[i].count ? &all[i].open[all[i].count - 1] : NULL;

		if (spin && all[i].task->index != step->task->index &&
		    may_end(spin->kind, role))
			spin->end = end;
	}
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct spins_table *table = (struct spins_table *)handler;
	uint8_t role;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	if (step->task->index < table->tasks.count) {
		struct spin_task *spins =
			array_at(&table->tasks, step->task->index);

		if (spins->count)
			follow(table, spins, step);
	}
	if (step->kind != STEP_ENTER)
		return;
	role = function_marks_at(table->marks, step->function);
	if (role && role < SPIN_KINDS)
		begin_spin(table, step, role);
	else if (role >= ROLE_ANSWERS && table->waiting)
		note_end(table, step, role);
}

static void close_table(struct event_handler *handler)
{
	struct spins_table *table = (struct spins_table *)handler;

	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct spin_stat *stat = array_at(&table->stats.items, i);

		histogram_free(&stat->waits);
		keyed_array_free(&stat->ends);
	}
	keyed_array_free(&table->stats);
	array_free(&table->tasks);
	free(table->marks);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct spins_table *table = (struct spins_table *)handler;
	struct thread_tracker *threads = trackers_threads(input->trackers);

	table->handler.step = consume_step;
	table->input = *input;
	table->tasks = ARRAY_OF(struct spin_task);
	table->stats = KEYED_ARRAY_OF(struct spin_stat, pid);
	table->marks =
		function_marks_by_rules(symbols_functions(input->symbols),
					rules, sizeof(rules) / sizeof(*rules));
	table->paths = threads ? thread_tracker_paths(threads) : NULL;
	return table->marks && table->paths;
}

struct ends_field {
	const struct spins_table *table;
	const struct spin_stat *stat;
	bool is_text;
};

/* "6.1 ms delays-122 in user space; 10 us cc1-9 in kfree", in CSV and JSON in
 * ns.
 */
static bool write_ends(FILE *out, const void *ctx)
{
	const struct ends_field *field = ctx;
	const struct keyed_array *ends = &field->stat->ends;
	const struct attribution_input *input = &field->table->input;
	const struct function_table *functions =
		symbols_functions(input->symbols);

	for (size_t i = 0; i < ends->items.count && i < MOST_ENDS; i++) {
		const struct spin_end *end = array_at(&ends->items, i);

		if (field->is_text)
			fprintf(out, "%s%s", i ? "; " : "",
				duration_text_of(end->total_ns).text);
		else
			fprintf(out, "%s%" PRIu64, i ? "; " : "",
				end->total_ns);
		fprintf(out, " %s in %s",
			task_label_last(input->names, end->tid).text,
			end->function == FUNCTION_NONE ?
				"user space" :
				function_at(functions, end->function)->name);
	}
	return true;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct spins_table *table = ctx;
	const struct spin_stat *stat = array_at(&table->stats.items, index);

	record_text(writer, "kind", kind_names[stat->kind]);
	record_text(writer, "function",
		    function_at(symbols_functions(table->input.symbols),
				stat->function)
			    ->name);
	record_signed(writer, "pid", stat->pid);
	record_text(writer, "comm",
		    task_names_last(table->input.names, stat->pid));
	record_number(writer, "count", stat->waits.count);
	record_number(writer, "total_ns", stat->waits.total);
	record_number(writer, "mean_ns", histogram_mean(&stat->waits));
	record_number(writer, "p99_ns", histogram_quantile(&stat->waits, 0.99));
	record_number(writer, "max_ns", stat->waits.max);
	record_written(writer, "ended_by", write_ends,
		       &(struct ends_field){ table, stat,
					     writer->format == RECORD_TABLE });
}

static void sort_all(struct spins_table *table)
{
	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct spin_stat *stat = array_at(&table->stats.items, i);

		array_sort_by(&stat->ends.items,
			      KEYS(FALLING(struct spin_end, total_ns),
				   RISING(struct spin_end, tid)));
	}
	array_sort_by(&table->stats.items,
		      KEYS(FALLING(struct spin_stat, waits.total),
			   RISING(struct spin_stat, pid)));
}

static const struct table_need needs[] = {
	{ .columns = "waits of CPUs for other CPUs",
	  .event = RECORDED_KERNEL,
	  .is_all = true },
};

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct spins_table *table = (struct spins_table *)handler;
	int status = table->status;

	if (status)
		return status;
	sort_all(table);
	status = table_rows_render(output, write_row, table,
				   table->stats.items.count);
	if (!status && output->format == RECORD_TABLE)
		recorded_table(&table->input, needs, 1,
			       table->stats.items.count,
			       "No CPU waited for another one", output->out);
	return status;
}

const struct attribution_table spins_table = {
	.name = "spins",
	.columns = "kind function pid comm count total_ns mean_ns p99_ns "
		   "max_ns ended_by",
	.help = "time in which CPUs waited for other CPUs without sleeping: "
		"for interrupts that they sent, and locks",
	.is_of_tasks = true,
	.size = sizeof(struct spins_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
