/* SPDX-License-Identifier: MIT */
#include "attribution/lanes/interrupt_lanes.h"

#include "attribution/interrupts/interrupt_columns.h"
#include "attribution/interrupts/interrupt_piece.h"
#include "attribution/table.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/steps/step_filter.h"
#include "report/timeline/lane_sink.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#define PIECE_NONE UINT32_MAX

struct piece {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t function;
	uint32_t around; /* the piece that it is in, or PIECE_NONE */
	int32_t irq;	 /* or -1 */
	uint8_t kind;	 /* enum interrupt_kind */
};

/* Pieces by begin, from the outermost one's on. */
struct pieces {
	struct array all; /* struct piece */
	uint32_t open;	  /* the innermost, or PIECE_NONE */
	uint32_t cpu;
};

struct task_pieces {
	const struct task *task;
	struct pieces interrupts;
	struct pieces work; /* of a kernel thread that is there for it */
};

static struct pieces *pieces_of(struct interrupt_lanes *lanes,
				const struct task *task,
				const struct interrupt_piece *piece)
{
	struct task_pieces *pieces = array_reach(&lanes->tasks, task->index);

	if (!pieces) {
		lanes->status = -ERROR_MEMORY;
		return NULL;
	}
	if (!pieces->task)
		pieces->interrupts = pieces->work = (struct pieces){
			.all = ARRAY_OF(struct piece),
			.open = PIECE_NONE,
		};
	pieces->task = task;
	return piece->is_thread_work ? &pieces->work : &pieces->interrupts;
}

static void begin(struct interrupt_observer *observer,
		  const struct interrupt_piece *begun,
		  const struct call_step *step)
{
	struct interrupt_lanes *lanes = (struct interrupt_lanes *)observer;
	struct pieces *pieces = pieces_of(lanes, step->task, begun);
	struct piece *piece = pieces ? array_add(&pieces->all) : NULL;

	if (!piece) {
		lanes->status = -ERROR_MEMORY;
		return;
	}
	if (pieces->open == PIECE_NONE)
		pieces->cpu = step->cpu;
	*piece = (struct piece){
		.begin_ns = step->time_ns,
		.function = begun->function,
		.around = pieces->open,
		.irq = begun->irq,
		.kind = begun->kind,
	};
	pieces->open = (uint32_t)pieces->all.count - 1;
}

static void put_begin(struct interrupt_lanes *lanes, const struct lane *lane,
		      const struct task *task, const struct piece *piece)
{
	const struct span_note notes[] = {
		{ .name = NOTE_KIND, .text = interrupt_kind_name(piece->kind) },
		{ .name = NOTE_ON_PID,
		  .number = task->pid > 0 ? (uint64_t)task->pid : 0 },
		{ .name = NOTE_ON_TID,
		  .number = task->tid > 0 ? (uint64_t)task->tid : 0 },
		{ .name = NOTE_IRQ, .number = (uint64_t)piece->irq },
	};
	const struct function_table *functions =
		symbols_functions(lanes->options.input->symbols);
	const struct span span = {
		.time_ns = piece->begin_ns,
		.number = piece->function,
		.name = function_at(functions, piece->function)->name,
		.category = notes[0].text,
		.notes = notes,
		.note_count = piece->irq < 0 ? 3 : 4,
	};

	lanes->sink->begin(lanes->sink, lane, &span);
}

/* What is in a piece is no longer than it. */
static bool is_long(const struct interrupt_lanes *lanes,
		    const struct piece *piece)
{
	return piece->end_ns - piece->begin_ns >= lanes->options.min_ns;
}

/* Ends pieces from @from outwards, up to @until. */
static void put_ends(struct interrupt_lanes *lanes, const struct lane *lane,
		     const struct pieces *pieces, uint32_t from, uint32_t until)
{
	while (from != until) {
		const struct piece *piece = array_at(&pieces->all, from);

		if (is_long(lanes, piece))
			lanes->sink->end(lanes->sink, lane, piece->end_ns);
		from = piece->around;
	}
}

/* The threads of a stream of their own have no CPU to share. */
static struct lane lane_of(const struct task_pieces *task,
			   const struct pieces *pieces)
{
	if (pieces == &task->work || pieces->cpu == UINT32_MAX)
		return (struct lane){ .kind = SPAN_WORK, .task = task->task };
	return (struct lane){ .kind = SPAN_CPU_INTERRUPTS, .cpu = pieces->cpu };
}

static bool is_wanted(const struct interrupt_lanes *lanes,
		      const struct task_pieces *task,
		      const struct pieces *pieces)
{
	const struct attribution_input *input = lanes->options.input;
	const struct piece *first = array_at(&pieces->all, 0);

	return step_filter_task(input->filter, task->task) &&
	       step_filter_cpu(input->filter, pieces->cpu) &&
	       time_window_has(input->window, first->begin_ns);
}

static void put_all(struct interrupt_lanes *lanes,
		    const struct task_pieces *task, struct pieces *pieces)
{
	const struct lane lane = lane_of(task, pieces);
	uint32_t last = PIECE_NONE;

	for (uint32_t i = 0; i < pieces->all.count; i++) {
		const struct piece *piece = array_at(&pieces->all, i);

		put_ends(lanes, &lane, pieces, last, piece->around);
		if (is_long(lanes, piece))
			put_begin(lanes, &lane, task->task, piece);
		last = i;
	}
	put_ends(lanes, &lane, pieces, last, PIECE_NONE);
}

static void hand_on(struct interrupt_lanes *lanes,
		    const struct task_pieces *task, struct pieces *pieces)
{
	if (is_wanted(lanes, task, pieces))
		put_all(lanes, task, pieces);
	pieces->all.count = 0;
	pieces->open = PIECE_NONE;
}

static void end(struct interrupt_observer *observer,
		const struct interrupt_piece *ended,
		const struct call_step *step)
{
	struct interrupt_lanes *lanes = (struct interrupt_lanes *)observer;
	struct pieces *pieces = pieces_of(lanes, step->task, ended);
	struct piece *piece;

	lanes->last_ns = step->time_ns;
	if (!pieces || pieces->open == PIECE_NONE)
		return;
	piece = array_at(&pieces->all, pieces->open);
	piece->end_ns = step->time_ns;
	piece->function = ended->function;
	piece->irq = ended->irq;
	pieces->open = piece->around;
	if (pieces->open == PIECE_NONE)
		hand_on(lanes, array_at(&lanes->tasks, step->task->index),
			pieces);
}

/* They end with the last that did. */
static void cut(struct interrupt_lanes *lanes, const struct task_pieces *task,
		struct pieces *pieces)
{
	while (pieces->open != PIECE_NONE) {
		struct piece *piece = array_at(&pieces->all, pieces->open);

		piece->end_ns = piece->begin_ns > lanes->last_ns ?
					piece->begin_ns :
					lanes->last_ns;
		pieces->open = piece->around;
	}
	if (pieces->all.count)
		hand_on(lanes, task, pieces);
}

struct interrupt_lanes interrupt_lanes_of(const struct lanes_options *options,
					  struct lane_sink *sink)
{
	return (struct interrupt_lanes){
		.observer = { begin, end },
		.options = *options,
		.sink = sink,
		.tasks = ARRAY_OF(struct task_pieces),
	};
}

int interrupt_lanes_end(struct interrupt_lanes *lanes)
{
	for (size_t i = 0; i < lanes->tasks.count; i++) {
		struct task_pieces *task = array_at(&lanes->tasks, i);

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
		struct task_pieces *task = array_at(&lanes->tasks, i);

		array_free(&task->interrupts.all);
		array_free(&task->work.all);
	}
	array_free(&lanes->tasks);
}
