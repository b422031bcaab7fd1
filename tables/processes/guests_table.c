/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/time_span.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/task_choice.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <stdlib.h>
#include <string.h>

/* report --guests: the exits of virtual machines by their reason, and who
 * handled them.
 *
 *	guest ──exit──► host: handler of the reason, [user space,] ──entry──► guest
 *
 * An exit is the interval between two runs of the guest by one thread, which is
 * a virtual CPU. Its reason is the first handler of KVM's that is called
 * in it (arch/x86/kvm/svm/svm.c, vmx/vmx.c). For an interrupt of the host there is
 * none: that is inferred from an interrupt in an exit without handler. An exit was
 * handled in user space if the thread ran there.
 *
 * A guest that exits before its first instruction is not in the trace: it ran for 0
 * ns if the function that enters it returns.
 *
 * Memory grows with the number of virtual CPUs and of rows.
 */
struct exit_stat {
	uint32_t reason;  /* the handler; FUNCTION_UNKNOWN: none was called */
	int32_t pid;	  /* or a group of input.groups */
	uint32_t is_user; /* 1: handled in user space */
	struct histogram times; /* of exits after which the guest ran again */
	uint64_t count;
	uint64_t cut;
	uint64_t guest_ns;
	uint64_t class_ns[TIME_CLASSES];
};

/* A virtual CPU, since its last exit. */
struct virtual_cpu {
	int32_t tid;
	struct task task;
	uint32_t reason;
	bool is_in_guest;
	bool has_run; /* since the last call of a function that enters it */
	uint64_t entry_ns; /* when the guest ran last */
	uint64_t exit_ns;  /* 0: none yet, or in the guest */
	uint64_t class_ns[TIME_CLASSES];
};

enum guest_mark { MARK_HANDLES = 1, MARK_ENTERS };

struct guests_table {
	struct event_handler handler;
	struct span_callback callback;
	struct attribution_input input;
	struct function_marks *marks; /* enum guest_mark */
	struct keyed_array cpus;      /* struct virtual_cpu */
	struct keyed_array stats;     /* struct exit_stat */
	int status;
};

static bool starts_with(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name);

	return length > strlen(end) &&
	       !strcmp(name + length - strlen(end), end);
}

/* Returns whether @function handles a reason. Other functions of the kernel have
 * names that start with handle_.
 */
static bool handles_exits(const struct function *function)
{
	const char *name = function->base;

	return function->space == 'k' &&
	       (ends_with(name, "_interception") ||
		starts_with(name, "kvm_emulate_") ||
		(starts_with(name, "handle_") &&
		 starts_with(function->module, "kvm")));
}

/* Returns whether @function enters a guest and returns after its exit. */
static bool enters_guests(const struct function *function)
{
	return function->space == 'k' &&
	       (!strcmp(function->base, "__svm_vcpu_run") ||
		!strcmp(function->base, "__vmx_vcpu_run"));
}

static struct function_marks *mark_functions(const struct function_table *table)
{
	uint32_t count = function_count(table);
	struct function_marks *marks = function_marks_new(count);

	for (uint32_t i = 0; marks && i < count; i++) {
		if (handles_exits(function_at(table, i)))
			marks->values[i] = MARK_HANDLES;
		else if (enters_guests(function_at(table, i)))
			marks->values[i] = MARK_ENTERS;
	}
	return marks;
}

static uint32_t reason_of(const struct virtual_cpu *cpu)
{
	return cpu->reason == FUNCTION_UNKNOWN &&
			       cpu->class_ns[TIME_INTERRUPT] ?
		       FUNCTION_NONE :
		       cpu->reason;
}

/* Adds the last exit of @cpu; @until_ns is when the guest ran again, 0: it did
 * not.
 */
static int add_exit(struct guests_table *table, const struct virtual_cpu *cpu,
		    uint64_t until_ns)
{
	const struct task_groups *groups = table->input.groups;
	struct exit_stat like = { .reason = reason_of(cpu),
				  .is_user = cpu->class_ns[TIME_USER] > 0,
				  .times = HISTOGRAM_EMPTY };
	struct exit_stat *stat;

	if (!cpu->exit_ns ||
	    !table_wants(&table->input, &cpu->task, cpu->exit_ns))
		return 0;
	like.pid = groups ? task_groups_of(groups, &cpu->task) : cpu->task.pid;
	stat = keyed_array_add(&table->stats, &like);
	if (!stat)
		return -ERROR_MEMORY;
	stat->count++;
	stat->cut += !until_ns;
	stat->guest_ns += cpu->exit_ns - cpu->entry_ns;
	for (size_t i = 0; i < TIME_CLASSES; i++)
		stat->class_ns[i] += cpu->class_ns[i];
	return until_ns ? histogram_add(&stat->times, until_ns - cpu->exit_ns) :
			  0;
}

static void enter_guest(struct guests_table *table,
			const struct call_step *step)
{
	struct virtual_cpu *cpu = keyed_array_add(
		&table->cpus, &(struct virtual_cpu){ .tid = step->task->tid });

	if (!cpu || add_exit(table, cpu, step->time_ns) < 0) {
		table->status = -ERROR_MEMORY;
		return;
	}
	*cpu = (struct virtual_cpu){ .tid = cpu->tid,
				     .task = *step->task,
				     .reason = FUNCTION_UNKNOWN,
				     .is_in_guest = true,
				     .has_run = true,
				     .entry_ns = step->time_ns };
}

static void leave_guest(struct guests_table *table,
			const struct call_step *step)
{
	struct virtual_cpu *cpu =
		keyed_array_find(&table->cpus, &step->task->tid);

	if (!cpu || !cpu->is_in_guest)
		return;
	cpu->is_in_guest = false;
	cpu->exit_ns = step->time_ns;
}

/* Adds @span to the exit that it is part of. */
static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	struct guests_table *table =
		container_of(callback, struct guests_table, callback);
	struct virtual_cpu *cpu =
		keyed_array_find(&table->cpus, &span->task->tid);

	if (cpu && cpu->exit_ns)
		cpu->class_ns[time_span_class(span)] +=
			span->end_ns - span->begin_ns;
}

static void consume_call(struct guests_table *table,
			 const struct call_step *step)
{
	enum guest_mark mark = function_marks_at(table->marks, step->function);
	struct virtual_cpu *cpu =
		mark ? keyed_array_find(&table->cpus, &step->task->tid) : NULL;

	if (mark == MARK_HANDLES) {
		if (cpu && cpu->exit_ns && cpu->reason == FUNCTION_UNKNOWN &&
		    step->kind == STEP_ENTER)
			cpu->reason = step->function;
	} else if (mark && step->kind == STEP_ENTER) {
		if (cpu)
			cpu->has_run = false;
	} else if (mark && (!cpu || !cpu->has_run)) {
		enter_guest(table, step);
		leave_guest(table, step);
	}
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct guests_table *table = (struct guests_table *)handler;

	if (step->kind == STEP_ENTER || step->kind == STEP_EXIT)
		consume_call(table, step);
	else if (step->kind == STEP_STATE && step->detail == CPU_GUEST)
		enter_guest(table, step);
	else if (step->kind == STEP_STATE || step->kind == STEP_GAP)
		leave_guest(table, step);
}

static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	return function_marks_has(((const struct guests_table *)handler)->marks,
				  function);
}

static void close_table(struct event_handler *handler)
{
	struct guests_table *table = (struct guests_table *)handler;

	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct exit_stat *stat = array_at(&table->stats.items, i);

		histogram_free(&stat->times);
	}
	keyed_array_free(&table->stats);
	keyed_array_free(&table->cpus);
	free(table->marks);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct guests_table *table = (struct guests_table *)handler;

	table->handler.step = consume_step;
	table->handler.needs = needs_function;
	table->callback.consume = consume_span;
	table->input = *input;
	table->stats = KEYED_ARRAY_OF(struct exit_stat, is_user);
	table->cpus = KEYED_ARRAY_OF(struct virtual_cpu, tid);
	table->marks = mark_functions(symbols_functions(input->symbols));
	return table->marks &&
	       !thread_tracker_hand_spans(trackers_threads(input->trackers),
					  &table->callback, TIME_WINDOW_ALL);
}

static void write_reason(struct record_writer *writer,
			 const struct column *column,
			 const struct column_row *row)
{
	const struct exit_stat *stat = row->fact;

	if (stat->reason == FUNCTION_NONE)
		record_text(writer, column->name, "interrupt");
	else if (stat->reason == FUNCTION_UNKNOWN)
		record_absent(writer, column->name);
	else
		column_write_function(writer, column, row);
}

static const char *handler_of(const struct column_row *row)
{
	const struct exit_stat *stat = row->fact;

	return stat->is_user ? "user" : "kernel";
}

/* Returns the time on a CPU in the kernel, whoever's work it was. */
static uint64_t kernel_ns(const struct column_row *row)
{
	const struct exit_stat *stat = row->fact;

	return stat->class_ns[TIME_SYSTEM_CALL] + stat->class_ns[TIME_FAULT] +
	       stat->class_ns[TIME_RECLAIM] + stat->class_ns[TIME_KERNEL];
}

static uint64_t unknown_ns(const struct column_row *row)
{
	const struct exit_stat *stat = row->fact;

	return stat->class_ns[TIME_UNKNOWN] + stat->class_ns[TIME_NOT_ASKED];
}

#define OF(member) MEMBER(struct exit_stat, member)

static const struct column columns[] = {
	PROCESS_COLUMNS(struct exit_stat, pid),
	TEXT_COLUMN("reason",
		    "reason of the exit, by the function that handled it; "
		    "interrupt: of the host",
		    WRITTEN_OF(write_reason, struct exit_stat, reason)),
	TEXT_COLUMN("handled_by",
		    "user: the process itself ran in user space; kernel",
		    NAMED(handler_of)),
	COUNT_COLUMN(OF(count)),
	INT_COLUMN("cut",
		   "of these, exits after which the guest did not run again",
		   OF(cut)),
	NS_COLUMN("guest_ns", "in the guest, before these exits", OF(guest_ns)),
	TOTAL_COLUMN(OF(times.total)),
	MEAN_COLUMN_OF(struct exit_stat, times),
	P99_COLUMN_OF(struct exit_stat, times),
	MAX_COLUMN(OF(times.max)),
	NS_COLUMN("kernel_ns", "in the kernel, on a CPU", COUNTED(kernel_ns)),
	USER_COLUMN(OF(class_ns[TIME_USER])),
	INTERRUPT_COLUMN(OF(class_ns[TIME_INTERRUPT])),
	RUNNABLE_COLUMN(OF(class_ns[TIME_RUNNABLE])),
	THROTTLED_COLUMN(OF(class_ns[TIME_THROTTLED])),
	ASLEEP_COLUMN(OF(class_ns[TIME_ASLEEP])),
	TRACER_COLUMN(OF(class_ns[TIME_TRACER])),
	UNKNOWN_COLUMN(COUNTED(unknown_ns)),
	END_OF_COLUMNS,
};

static const struct table_need needs[] = {
	{ .columns = "exits of virtual machines",
	  .event = RECORDED_KERNEL,
	  .is_all = true },
};

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct guests_table *table = (struct guests_table *)handler;
	const struct virtual_cpu *cpus = table->cpus.items.items;

	for (size_t i = 0; i < table->cpus.items.count; i++)
		if (add_exit(table, &cpus[i], 0) < 0)
			table->status = -ERROR_MEMORY;
	if (table->status)
		return table->status;
	array_sort_by(&table->stats.items,
		      KEYS(FALLING(struct exit_stat, times.total),
			   FALLING(struct exit_stat, count),
			   RISING(struct exit_stat, pid),
			   RISING(struct exit_stat, reason)));
	return table_rows_show(
		output, &(struct table_rows)TABLE_ROWS(&guests_table, table,
						       &table->stats.items));
}

const struct attribution_table guests_table = {
	.name = "guests",
	.columns = columns,
	TABLE_NEEDS(needs, "No virtual machine ran"),
	.brief = "group,pid,comm,reason,handled_by,count,guest_ns,total_ns,"
		 "max_ns,kernel_ns,user_ns,runnable_ns,asleep_ns",
	.help = "exits of virtual machines by their reason: who handled them, "
		"and how long the guest waited",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct guests_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
