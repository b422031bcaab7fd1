/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/events/known_events.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "execution/instruction/instruction.h"
#include "report/steps/call_step.h"
#include "report/text/duration_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* report --irqsoff: the time in which CPUs let no interrupts through, in which
 * function that began, and which interrupts waited until its end.
 *
 *               cli, an exception or system call starts
 *          ┌────────────────────────────────────────────────┐
 *          │                                                ▼
 *	OFF_NO ◄─ sti, return to where it was OFF_NO, user ─ OFF_YES ─► OFF_IDLE
 *	   ▲                                                   ▲  waits for an
 *	   └── OFF_UNKNOWN: at the start and after gaps ───────┘  interrupt
 *
 * 1. The processor's flag is not in the trace. The instructions that write it
 *    are (STEP_INTERRUPTS), and so are exceptions, which clear it, and their
 *    ends, which restore it.
 * 2. popf and msr daif restore a value that the trace does not contain: it is
 *    inferred to be the flag at the last pushf or mrs daif of the same context,
 *    and counted as inferred.
 * 3. An interval whose start is not in the trace is not counted. Nor is one in
 *    which an interrupt is served: the state was wrong, and a line below the
 *    table reports this.
 * 4. An interrupt that is served at the end of an interval, before any other
 *    call, waited for that end, but not longer than the interval: the time of
 *    its request is not in the trace.
 */

enum off_state { OFF_UNKNOWN, OFF_NO, OFF_YES, OFF_IDLE };

/* How interrupts were switched off. */
enum off_kind {
	OFF_BY_INSTRUCTION,
	OFF_BY_INTERRUPT,
	OFF_BY_NMI,
	OFF_BY_EXCEPTION,
	OFF_BY_SYSTEM_CALL,
};

static const char *const kind_names[] = {
	[OFF_BY_INSTRUCTION] = "instruction",
	[OFF_BY_INTERRUPT] = "interrupt",
	[OFF_BY_NMI] = "nmi",
	[OFF_BY_EXCEPTION] = "exception",
	[OFF_BY_SYSTEM_CALL] = "system call",
};

enum { MOST_SAVED = 8, MOST_CONTEXTS = 8, MOST_FRAMES = 8, MOST_DELAYS = 3 };

enum { ROLE_INSIDE = 1, ROLE_WAITS };

/* Functions that switch interrupts off for their callers: kernel/locking; and
 * those that wait with interrupts off until one comes: drivers/idle,
 * drivers/acpi/processor_idle.c, arch/arm64/kernel/idle.c.
 */
static const struct name_rule rules[] = {
	{ "_raw_", true, ROLE_INSIDE },
	{ "__raw_", true, ROLE_INSIDE },
	{ "raw_spin_rq_lock", true, ROLE_INSIDE },
	{ "task_rq_lock", false, ROLE_INSIDE },
	{ "lock_timer_base", false, ROLE_INSIDE },
	{ "lock_hrtimer_base", false, ROLE_INSIDE },
	{ "intel_idle", true, ROLE_WAITS },
	{ "acpi_idle_", true, ROLE_WAITS },
	{ "mwait_idle", true, ROLE_WAITS },
	{ "cpu_do_idle", false, ROLE_WAITS },
	{ "psci_cpu_suspend", true, ROLE_WAITS },
};

/* An exception or system call of a task, and the flag when it began. */
struct off_context {
	uint32_t depth; /* of its function */
	uint8_t kind;	/* enum off_kind */
	uint8_t before; /* enum off_state */
	uint8_t saved_count;
	uint8_t saved[MOST_SAVED]; /* enum off_state: see invariant 2 */
};

/* The contexts of a task, innermost last; the first is the task itself. */
struct off_task {
	uint32_t count; /* without the first */
	struct off_context contexts[MOST_CONTEXTS + 1];
};

/* An interval when interrupts are off. */
struct off_interval {
	const struct task *task; /* NULL: its start is unknown */
	uint64_t begin_ns;
	uint8_t kind; /* enum off_kind */
	bool is_inferred;
	uint32_t count;
	uint32_t path[MOST_FRAMES]; /* functions, innermost first */
};

/* Interrupts that waited for the ends of intervals, and a thread that one of
 * them woke.
 */
struct off_delay {
	uint32_t handler;
	int32_t tid; /* -1: none */
	uint64_t count;
	uint64_t most_ns;
};

struct off_stat {
	uint32_t kind;
	uint32_t function;
	int32_t pid;
	uint64_t inferred;
	struct histogram times;
	struct off_interval longest;
	struct keyed_array delays; /* struct off_delay by its first two */
};

struct irq_cpu {
	uint8_t state; /* enum off_state */
	struct off_interval now;
	uint32_t idle_depth; /* with OFF_IDLE */
	/* The stat of the interval that ended last, plus 1, and its time: until
	 * the next call. 0: none.
	 */
	size_t ended;
	uint64_t ended_ns;
	/* They are off, too, while the interrupt that waited for the end is served. */
	size_t serves;
	uint32_t handler;
	uint32_t handler_depth;
	const struct task *handler_task;
};

struct irqsoff_table {
	struct event_handler handler;
	struct attribution_input input;
	const struct task_paths *paths;
	struct function_marks *marks; /* ROLE_* */
	struct array tasks;	      /* struct off_task by task index */
	struct array cpus;	      /* struct irq_cpu by cpu_slot() */
	struct keyed_array stats;     /* struct off_stat */
	bool has_instructions;	      /* STEP_INTERRUPTS occurred */
	uint64_t contradictions;      /* invariant 3 */
	int status;
};

/* Sets the functions where @task switches interrupts off. Returns false if
 * there is none.
 */
static bool set_path(const struct irqsoff_table *table, const struct task *task,
		     struct off_interval *interval)
{
	size_t left;
	const struct path_frame *path =
		task_paths_of(table->paths, task->index, &left);

	interval->count = 0;
	while (left-- > 0 && interval->count < MOST_FRAMES) {
		uint32_t function = path[left].function;

		if (interval->count ||
		    function_marks_at(table->marks, function) != ROLE_INSIDE)
			interval->path[interval->count++] = function;
	}
	return interval->count;
}

static void begin_off(const struct irqsoff_table *table, struct irq_cpu *cpu,
		      const struct call_step *step, uint8_t kind)
{
	cpu->state = OFF_YES;
	cpu->ended = 0;
	cpu->now = (struct off_interval){
		.task = step->task,
		.begin_ns = step->time_ns,
		.kind = kind,
	};
	if (!set_path(table, step->task, &cpu->now))
		cpu->now.task = NULL;
}

/* Interrupts are off, since an unknown time. */
static void assume_off(struct irq_cpu *cpu)
{
	cpu->state = OFF_YES;
	cpu->now.task = NULL;
}

static struct off_stat *stat_of(struct irqsoff_table *table,
				const struct off_interval *interval)
{
	return keyed_array_add(
		&table->stats,
		&(struct off_stat){
			.kind = interval->kind,
			.function = interval->path[0],
			.pid = interval->task->pid,
			.times = HISTOGRAM_EMPTY,
			.delays = KEYED_ARRAY_OF(struct off_delay, tid),
		});
}

static void end_off(struct irqsoff_table *table, struct irq_cpu *cpu,
		    uint64_t time_ns, bool is_inferred)
{
	struct off_interval *interval = &cpu->now;
	uint64_t ns = time_ns - interval->begin_ns;
	bool is_counted =
		cpu->state == OFF_YES && interval->task &&
		time_ns >= interval->begin_ns &&
		table_wants(&table->input, interval->task, interval->begin_ns);
	struct off_stat *stat = NULL;

	cpu->state = OFF_NO;
	cpu->ended = 0;
	if (!is_counted)
		return;
	stat = stat_of(table, interval);
	if (!stat || histogram_add(&stat->times, ns) < 0) {
		table->status = -ERROR_MEMORY;
		return;
	}
	stat->inferred += interval->is_inferred || is_inferred;
	if (ns == stat->times.max)
		stat->longest = *interval;
	cpu->ended =
		(size_t)(stat - (struct off_stat *)table->stats.items.items) +
		1;
	cpu->ended_ns = ns;
}

static void add_delay(struct irqsoff_table *table, const struct irq_cpu *cpu,
		      int32_t tid)
{
	struct off_stat *stat = array_at(&table->stats.items, cpu->serves - 1);
	struct off_delay *delay = keyed_array_add(
		&stat->delays,
		&(struct off_delay){ .handler = cpu->handler, .tid = tid });

	if (!delay) {
		table->status = -ERROR_MEMORY;
		return;
	}
	delay->count++;
	if (cpu->ended_ns > delay->most_ns)
		delay->most_ns = cpu->ended_ns;
}

static uint8_t kind_of(enum context_kind kind, uint8_t how)
{
	if (kind == CONTEXT_SYSTEM_CALL || how == HOW_SYSTEM_CALL)
		return OFF_BY_SYSTEM_CALL;
	if (kind == CONTEXT_INTERRUPT)
		return OFF_BY_INTERRUPT;
	return kind == CONTEXT_NMI ? OFF_BY_NMI : OFF_BY_EXCEPTION;
}

/* Returns the flag when an exception or system call of @kind began. */
static uint8_t state_before(struct irqsoff_table *table,
			    const struct irq_cpu *cpu, uint8_t kind)
{
	if (kind == OFF_BY_SYSTEM_CALL || cpu->state == OFF_IDLE)
		return OFF_NO;
	if (kind != OFF_BY_INTERRUPT)
		return cpu->state;
	table->contradictions += cpu->state == OFF_YES;
	return OFF_NO;
}

static void enter_context(struct irqsoff_table *table, struct irq_cpu *cpu,
			  struct off_task *task, const struct call_step *step,
			  uint8_t kind)
{
	uint8_t before = state_before(table, cpu, kind);

	if (task->count < MOST_CONTEXTS)
		task->contexts[++task->count] = (struct off_context){
			.depth = step->depth,
			.kind = kind,
			.before = before,
		};
	if (kind == OFF_BY_INTERRUPT && cpu->ended) {
		cpu->serves = cpu->ended;
		cpu->handler = step->function;
		cpu->handler_depth = step->depth;
		cpu->handler_task = step->task;
		add_delay(table, cpu, -1);
	}
	if (before == OFF_NO)
		begin_off(table, cpu, step, kind);
	else if (before == OFF_UNKNOWN)
		assume_off(cpu);
}

static void enter(struct irqsoff_table *table, struct irq_cpu *cpu,
		  struct off_task *task, const struct call_step *step)
{
	enum context_kind kind =
		context_kind_of(table->input.kinds, step->function);

	while (task->count &&
	       (task->contexts[task->count].depth > step->depth ||
		(step->how != HOW_TAIL &&
		 task->contexts[task->count].depth == step->depth)))
		task->count--;
	if (step->how == HOW_EXCEPTION || step->how == HOW_SYSTEM_CALL ||
	    (step->how == HOW_START && kind != CONTEXT_NONE &&
	     cpu->state == OFF_NO)) {
		enter_context(table, cpu, task, step, kind_of(kind, step->how));
		return;
	}
	cpu->ended = 0;
	if (cpu->state != OFF_YES || step->task->tid ||
	    function_marks_at(table->marks, step->function) != ROLE_WAITS)
		return;
	end_off(table, cpu, step->time_ns, false);
	cpu->state = OFF_IDLE;
	cpu->idle_depth = step->depth;
}

/* Sets the flag to @state, an enum off_state, at the end of a context or by an
 * instruction.
 */
static void restore(struct irqsoff_table *table, struct irq_cpu *cpu,
		    const struct call_step *step, uint8_t state,
		    bool is_inferred)
{
	if (state == OFF_NO) {
		end_off(table, cpu, step->time_ns, is_inferred);
	} else if (state == OFF_YES && cpu->state == OFF_NO) {
		begin_off(table, cpu, step, OFF_BY_INSTRUCTION);
		cpu->now.is_inferred = is_inferred;
	} else if (state == OFF_UNKNOWN) {
		cpu->state = OFF_UNKNOWN;
	}
}

static void leave(struct irqsoff_table *table, struct irq_cpu *cpu,
		  struct off_task *task, const struct call_step *step)
{
	const struct off_context *context = &task->contexts[task->count];

	if (cpu->serves && cpu->handler_task == step->task &&
	    step->depth <= cpu->handler_depth && !step->detail)
		cpu->serves = 0;
	cpu->ended = 0;
	if (cpu->state == OFF_IDLE && step->depth <= cpu->idle_depth &&
	    !step->task->tid)
		begin_off(table, cpu, step, OFF_BY_INSTRUCTION);
	/* detail: jumps to the function that ends the context. */
	if (!task->count || step->depth > context->depth || step->detail)
		return;
	task->count--;
	restore(table, cpu, step, context->before, false);
}

/* Returns the value that a task without a saved one restores: the handlers of
 * Arm's exceptions, for what they interrupted
 * (arch/arm64/kernel/entry-common.c).
 */
static uint8_t restored_default(const struct irq_cpu *cpu,
				const struct off_task *task)
{
	const struct off_context *context = &task->contexts[task->count];

	if (!task->count || context->kind == OFF_BY_INTERRUPT ||
	    context->kind == OFF_BY_NMI)
		return cpu->state;
	return context->before;
}

static void take_instruction(struct irqsoff_table *table, struct irq_cpu *cpu,
			     struct off_task *task,
			     const struct call_step *step)
{
	struct off_context *context = &task->contexts[task->count];
	uint8_t *count = &context->saved_count;

	table->has_instructions = true;
	switch ((enum instruction_interrupts)step->detail) {
	case INTERRUPTS_UNTOUCHED:
		break;
	case INTERRUPTS_OFF:
		if (cpu->state == OFF_NO)
			begin_off(table, cpu, step, OFF_BY_INSTRUCTION);
		else if (cpu->state == OFF_UNKNOWN)
			assume_off(cpu);
		break;
	case INTERRUPTS_ON:
		restore(table, cpu, step, OFF_NO, false);
		break;
	case INTERRUPTS_SAVED:
		if (*count == MOST_SAVED)
			memmove(context->saved, context->saved + 1, --*count);
		context->saved[(*count)++] = cpu->state;
		break;
	case INTERRUPTS_RESTORED:
		restore(table, cpu, step,
			*count ? context->saved[--*count] :
				 restored_default(cpu, task),
			true);
		break;
	}
}

/* In user space interrupts are on. */
static void change_state(struct irqsoff_table *table, struct irq_cpu *cpu,
			 const struct call_step *step)
{
	if (step->kind == STEP_STATE && step->detail == CPU_TRACED)
		return;
	if (step->kind == STEP_STATE && step->detail == CPU_OUTSIDE)
		end_off(table, cpu, step->time_ns, false);
	else
		cpu->state = OFF_UNKNOWN;
	cpu->ended = 0;
	cpu->serves = 0;
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct irqsoff_table *table = (struct irqsoff_table *)handler;
	struct irq_cpu *cpu = array_reach(&table->cpus, cpu_slot(step->cpu));
	struct off_task *task = array_reach(&table->tasks, step->task->index);

	if (!cpu || !task) {
		table->status = -ERROR_MEMORY;
		return;
	}
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		enter(table, cpu, task, step);
		break;
	case STEP_EXIT:
		leave(table, cpu, task, step);
		break;
	case STEP_INTERRUPTS:
		take_instruction(table, cpu, task, step);
		break;
	case STEP_STATE:
	case STEP_GAP:
	case STEP_END:
		change_state(table, cpu, step);
		break;
	case STEP_SWITCH:
		cpu->ended = 0;
		break;
	case STEP_COUNT:
	case STEP_LEAVE:
		break;
	}
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct irqsoff_table *table = (struct irqsoff_table *)handler;
	const struct irq_cpu *cpu;
	size_t slot = cpu_slot((uint32_t)event->cpu);

	if (event->event != EVENT_SCHED_WAKING || slot >= table->cpus.count)
		return;
	cpu = array_at(&table->cpus, slot);
	if (cpu->serves)
		add_delay(table, cpu, (int32_t)event->values[WAKING_TID]);
}

static void close_table(struct event_handler *handler)
{
	struct irqsoff_table *table = (struct irqsoff_table *)handler;

	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct off_stat *stat = array_at(&table->stats.items, i);

		histogram_free(&stat->times);
		keyed_array_free(&stat->delays);
	}
	keyed_array_free(&table->stats);
	array_free(&table->tasks);
	array_free(&table->cpus);
	free(table->marks);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct irqsoff_table *table = (struct irqsoff_table *)handler;
	struct thread_tracker *threads = trackers_threads(input->trackers);

	table->handler.step = take_step;
	table->handler.event = take_event;
	table->handler.wants_interrupts = true;
	table->input = *input;
	table->tasks = ARRAY_OF(struct off_task);
	table->cpus = ARRAY_OF(struct irq_cpu);
	table->stats = KEYED_ARRAY_OF(struct off_stat, pid);
	table->marks =
		function_marks_by_rules(symbols_functions(input->symbols),
					rules, sizeof(rules) / sizeof(*rules));
	table->paths = threads ? thread_tracker_paths(threads) : NULL;
	return table->marks && table->paths;
}

struct off_field {
	const struct irqsoff_table *table;
	const struct off_stat *stat;
	bool is_text;
};

static const char *function_name(const struct irqsoff_table *table,
				 uint32_t function)
{
	return function_at(symbols_functions(table->input.symbols), function)
		->name;
}

/* "path_lookup < open < system call": the callers of the longest interval. */
static bool write_path(FILE *out, const void *ctx)
{
	const struct off_field *field = ctx;
	const struct off_interval *longest = &field->stat->longest;

	for (uint32_t i = 0; i < longest->count; i++)
		fprintf(out, "%s%s", i ? " < " : "",
			function_name(field->table, longest->path[i]));
	return true;
}

/* "3 asm_common_interrupt at most 1.2 ms; 2 wakes-122 by asm_sysvec... at most
 * 40 us", in CSV and JSON in ns.
 */
static bool write_delays(FILE *out, const void *ctx)
{
	const struct off_field *field = ctx;
	const struct keyed_array *delays = &field->stat->delays;

	for (size_t i = 0; i < delays->items.count && i < MOST_DELAYS; i++) {
		const struct off_delay *delay = array_at(&delays->items, i);

		fprintf(out, "%s%" PRIu64 " ", i ? "; " : "", delay->count);
		if (delay->tid >= 0)
			fprintf(out, "%s by ",
				task_label_last(field->table->input.names,
						delay->tid)
					.text);
		fprintf(out, "%s at most ",
			function_name(field->table, delay->handler));
		if (field->is_text)
			fputs(duration_text_of(delay->most_ns).text, out);
		else
			fprintf(out, "%" PRIu64, delay->most_ns);
	}
	return true;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct irqsoff_table *table = ctx;
	const struct off_stat *stat = array_at(&table->stats.items, index);
	const struct off_field field = { table, stat,
					 writer->format == RECORD_TABLE };

	record_text(writer, "off_by", kind_names[stat->kind]);
	record_text(writer, "function", function_name(table, stat->function));
	record_signed(writer, "pid", stat->pid);
	record_text(writer, "comm",
		    task_names_last(table->input.names, stat->pid));
	record_number(writer, "count", stat->times.count);
	record_number(writer, "inferred", stat->inferred);
	record_number(writer, "total_ns", stat->times.total);
	record_number(writer, "mean_ns", histogram_mean(&stat->times));
	record_number(writer, "p99_ns", histogram_quantile(&stat->times, 0.99));
	record_number(writer, "max_ns", stat->times.max);
	record_number(writer, "max_at_ns",
		      stat->longest.begin_ns -
			      (field.is_text ? table->input.origin_ns : 0));
	record_written(writer, "max_path", write_path, &field);
	record_written(writer, "delayed", write_delays, &field);
}

static void sort_all(struct irqsoff_table *table)
{
	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct off_stat *stat = array_at(&table->stats.items, i);

		array_sort_by(&stat->delays.items,
			      KEYS(FALLING(struct off_delay, most_ns),
				   FALLING(struct off_delay, tid)));
	}
	array_sort_by(&table->stats.items,
		      KEYS(FALLING(struct off_stat, times.max),
			   RISING(struct off_stat, pid)));
}

static const struct table_need needs[] = {
	{ .columns = "intervals with interrupts off",
	  .event = RECORDED_KERNEL,
	  .is_all = true },
	{ .columns = "delayed threads", .event = EVENT_SCHED_WAKING },
};

static void write_notes(const struct irqsoff_table *table, FILE *out)
{
	if (!table->has_instructions && table->stats.items.count) {
		fputs("Not known: this trace, or --engine, does not show the "
		      "instructions that switch interrupts off.\n",
		      out);
		return;
	}
	recorded_table(&table->input, needs, sizeof(needs) / sizeof(*needs),
		       table->stats.items.count,
		       "Interrupts were never switched off", out);
	if (table->contradictions)
		fprintf(out,
			"Left out: %" PRIu64 " intervals in which an interrupt "
			"was served: how they began is not known.\n",
			table->contradictions);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct irqsoff_table *table = (struct irqsoff_table *)handler;
	int status = table->status;

	if (status)
		return status;
	sort_all(table);
	status = table_rows_render(
		output, write_row, table,
		table->has_instructions ? table->stats.items.count : 0);
	if (!status && output->format == RECORD_TABLE)
		write_notes(table, output->out);
	return status;
}

const struct attribution_table irqsoff_table = {
	.name = "irqsoff",
	.columns = "off_by function pid comm count inferred total_ns mean_ns "
		   "p99_ns max_ns max_at_ns max_path delayed",
	.help = "time in which CPUs let no interrupts through: the longest, "
		"where, and which interrupts waited",
	.is_of_tasks = true,
	.size = sizeof(struct irqsoff_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
