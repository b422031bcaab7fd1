/* SPDX-License-Identifier: MIT */
#include "tables/lanes/interrupt_lanes.h"

#include "attribution/interrupts/interrupt_slice.h"
#include "common/array.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/timeline/span_export.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/interrupts/interrupt_columns.h"
#include "tables/table.h"

#define SLICE_NONE UINT32_MAX

struct slice {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t function;
	uint32_t around; /* the enclosing slice, or SLICE_NONE */
	int32_t irq;	 /* or -1 */
	uint8_t kind;	 /* enum interrupt_kind */
};

/* An outermost slice and the slices in it, by start. */
struct slices {
	struct array all; /* struct slice */
	uint32_t open;	  /* the innermost open slice, or SLICE_NONE */
	uint32_t cpu;
};

struct task_slices {
	const struct task *task;
	struct slices interrupts;
	struct slices work; /* of a kernel thread that runs deferred work */
};

static struct slices *slices_of(struct interrupt_lanes *lanes,
				const struct task *task,
				const struct interrupt_slice *slice)
{
	const struct slices none = { .all = ARRAY_OF(struct slice),
				     .open = SLICE_NONE };
	struct task_slices *slices = array_reach_like(
		&lanes->tasks, task->index,
		&(struct task_slices){ .interrupts = none, .work = none });

	if (!slices) {
		lanes->status = -ERROR_MEMORY;
		return NULL;
	}
	slices->task = task;
	return slice->is_thread_work ? &slices->work : &slices->interrupts;
}

static void begin(struct interrupt_observer *observer,
		  const struct interrupt_slice *begun,
		  const struct call_step *step)
{
	struct interrupt_lanes *lanes = (struct interrupt_lanes *)observer;
	struct slices *slices = slices_of(lanes, step->task, begun);
	struct slice *slice = slices ? array_add(&slices->all) : NULL;

	if (!slice) {
		lanes->status = -ERROR_MEMORY;
		return;
	}
	if (slices->open == SLICE_NONE)
		slices->cpu = step->cpu;
	*slice = (struct slice){
		.begin_ns = step->time_ns,
		.function = begun->function,
		.around = slices->open,
		.irq = begun->irq,
		.kind = begun->kind,
	};
	slices->open = (uint32_t)slices->all.count - 1;
}

static void put_begin(struct interrupt_lanes *lanes, const struct lane *lane,
		      const struct task *task, const struct slice *slice)
{
	const struct span_note notes[] = {
		{ .name = NOTE_KIND, .text = interrupt_kind_name(slice->kind) },
		{ .name = NOTE_ON_PID,
		  .number = task->pid > 0 ? (uint64_t)task->pid : 0 },
		{ .name = NOTE_ON_TID,
		  .number = task->tid > 0 ? (uint64_t)task->tid : 0 },
		{ .name = NOTE_IRQ, .number = (uint64_t)slice->irq },
	};
	const struct function_table *functions =
		symbols_functions(lanes->options.input->symbols);
	const struct span span = {
		.time_ns = slice->begin_ns,
		.number = slice->function,
		.name = function_at(functions, slice->function)->name,
		.category = notes[0].text,
		.notes = notes,
		.note_count = slice->irq < 0 ? 3 : 4,
	};

	lanes->callback->begin(lanes->callback, lane, &span);
}

/* A nested slice is never longer than the enclosing one, so no orphans remain.
 */
static bool is_long(const struct interrupt_lanes *lanes,
		    const struct slice *slice)
{
	return slice->end_ns - slice->begin_ns >= lanes->options.min_ns;
}

/* Ends the slices from @from outwards, up to but not including @until. */
static void put_ends(struct interrupt_lanes *lanes, const struct lane *lane,
		     const struct slices *slices, uint32_t from, uint32_t until)
{
	while (from != until) {
		const struct slice *slice = array_at(&slices->all, from);

		if (is_long(lanes, slice))
			lanes->callback->end(lanes->callback, lane,
					     slice->end_ns);
		from = slice->around;
	}
}

/* Threads with a trace stream of their own have no CPU track. */
static struct lane lane_of(const struct task_slices *task,
			   const struct slices *slices)
{
	if (slices == &task->work || slices->cpu == UINT32_MAX)
		return (struct lane){ .kind = SPAN_WORK, .task = task->task };
	return (struct lane){ .kind = SPAN_CPU_INTERRUPTS, .cpu = slices->cpu };
}

static bool is_wanted(const struct interrupt_lanes *lanes,
		      const struct task_slices *task,
		      const struct slices *slices)
{
	const struct attribution_input *input = lanes->options.input;
	const struct slice *first = array_at(&slices->all, 0);

	return step_filter_task(input->filter, task->task) &&
	       step_filter_cpu(input->filter, slices->cpu) &&
	       time_window_has(input->window, first->begin_ns);
}

static void put_all(struct interrupt_lanes *lanes,
		    const struct task_slices *task, struct slices *slices)
{
	const struct lane lane = lane_of(task, slices);
	uint32_t last = SLICE_NONE;

	for (uint32_t i = 0; i < slices->all.count; i++) {
		const struct slice *slice = array_at(&slices->all, i);

		put_ends(lanes, &lane, slices, last, slice->around);
		if (is_long(lanes, slice))
			put_begin(lanes, &lane, task->task, slice);
		last = i;
	}
	put_ends(lanes, &lane, slices, last, SLICE_NONE);
}

static void hand_on(struct interrupt_lanes *lanes,
		    const struct task_slices *task, struct slices *slices)
{
	if (is_wanted(lanes, task, slices))
		put_all(lanes, task, slices);
	slices->all.count = 0;
	slices->open = SLICE_NONE;
}

static void end(struct interrupt_observer *observer,
		const struct interrupt_slice *ended,
		const struct call_step *step)
{
	struct interrupt_lanes *lanes = (struct interrupt_lanes *)observer;
	struct slices *slices = slices_of(lanes, step->task, ended);
	struct slice *slice;

	lanes->last_ns = step->time_ns;
	if (!slices || slices->open == SLICE_NONE)
		return;
	slice = array_at(&slices->all, slices->open);
	slice->end_ns = step->time_ns;
	slice->function = ended->function;
	slice->irq = ended->irq;
	slices->open = slice->around;
	if (slices->open == SLICE_NONE)
		hand_on(lanes, array_at(&lanes->tasks, step->task->index),
			slices);
}

/* Ends all open slices at the last time at which any slice ended. */
static void cut(struct interrupt_lanes *lanes, const struct task_slices *task,
		struct slices *slices)
{
	while (slices->open != SLICE_NONE) {
		struct slice *slice = array_at(&slices->all, slices->open);

		slice->end_ns = slice->begin_ns > lanes->last_ns ?
					slice->begin_ns :
					lanes->last_ns;
		slices->open = slice->around;
	}
	if (slices->all.count)
		hand_on(lanes, task, slices);
}

struct interrupt_lanes interrupt_lanes_of(const struct lanes_options *options,
					  struct lane_callback *callback)
{
	return (struct interrupt_lanes){
		.observer = { begin, end },
		.options = *options,
		.callback = callback,
		.tasks = ARRAY_OF(struct task_slices),
	};
}

int interrupt_lanes_end(struct interrupt_lanes *lanes)
{
	for (size_t i = 0; i < lanes->tasks.count; i++) {
		struct task_slices *task = array_at(&lanes->tasks, i);

		if (!task->task)
			continue;
		cut(lanes, task, &task->interrupts);
		cut(lanes, task, &task->work);
	}
	return lanes->status;
}

void interrupt_lanes_free(struct interrupt_lanes *lanes)
{
	for (size_t i = 0; i < lanes->tasks.count; i++) {
		struct task_slices *task = array_at(&lanes->tasks, i);

		array_free(&task->interrupts.all);
		array_free(&task->work.all);
	}
	array_free(&lanes->tasks);
}
