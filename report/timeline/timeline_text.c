/* SPDX-License-Identifier: MIT */
#include "report/text/user_mark.h"
#include "report/timeline/timeline_text_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/flow/flow.h"
#include "report/steps/call_step.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/line_buffer.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/step_texts.h"
#include "report/timeline/timeline.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct waiting_step *at(struct leaf_queue *queue, uint32_t number)
{
	return &queue->steps[number % LEAF_QUEUE_STEPS];
}

static void write_first(struct leaf_queue *queue)
{
	const struct waiting_step *first = at(queue, queue->first++);

	queue->write(queue->ctx, &first->step,
		     first->is_leaf ? &first->exit : NULL);
}

/* Returns the open entry of @task, or NULL; there is at most one. */
static struct waiting_step *open_entry(struct leaf_queue *queue,
				       const struct task *task)
{
	for (uint32_t i = queue->end; i-- != queue->first;)
		if (at(queue, i)->is_open && at(queue, i)->step.task == task)
			return at(queue, i);
	return NULL;
}

static bool is_its_exit(const struct waiting_step *entry,
			const struct call_step *step)
{
	return step->kind == STEP_EXIT && step->depth == entry->step.depth &&
	       step->function == entry->step.function;
}

/* Consumes @step without queueing events that need not wait. Does so only if
 * nothing waits, or only an entry of the same task, which is nearly always so.
 * Returns whether it consumed @step.
 */
static bool consume_alone(struct leaf_queue *queue,
			  const struct call_step *step)
{
	struct waiting_step *entry = at(queue, queue->first);
	uint32_t count = queue->end - queue->first;

	if (count > 1 || (count && entry->step.task != step->task))
		return false;
	queue->end = queue->first;
	if (count && is_its_exit(entry, step)) {
		queue->write(queue->ctx, &entry->step, step);
		return true;
	}
	if (count)
		queue->write(queue->ctx, &entry->step, NULL);
	if (step->kind != STEP_ENTER) {
		queue->write(queue->ctx, step, NULL);
		return true;
	}
	entry->step = *step;
	entry->is_leaf = false;
	entry->is_open = true;
	queue->end++;
	return true;
}

void leaf_queue_consume(struct leaf_queue *queue, const struct call_step *step)
{
	struct waiting_step *entry;

	if (consume_alone(queue, step))
		return;
	entry = open_entry(queue, step->task);
	if (entry)
		entry->is_open = false;
	if (entry && is_its_exit(entry, step)) {
		entry->is_leaf = true;
		entry->exit = *step;
	} else {
		if (queue->end - queue->first == LEAF_QUEUE_STEPS)
			write_first(queue);
		*at(queue, queue->end++) = (struct waiting_step){
			.step = *step,
			.is_open = step->kind == STEP_ENTER,
		};
	}
	while (queue->first != queue->end && !at(queue, queue->first)->is_open)
		write_first(queue);
}

void leaf_queue_end(struct leaf_queue *queue)
{
	while (queue->first != queue->end)
		write_first(queue);
}

/* Decides which lines about tasks and CPUs a timeline in text shows between
 * those of functions: a task switch if a function of the task follows, and a
 * pause of the trace if a function precedes it.
 */
struct text_marks {
	struct array cpus; /* struct cpu_mark */
	int status;	   /* 0, or -ERROR_MEMORY: lines are missing */
};

struct cpu_mark {
	bool has_switched; /* since the last line of a function */
	bool has_shown;	   /* a function was shown since the last pause */
};

#define TEXT_MARKS_NONE \
	((struct text_marks){ .cpus = ARRAY_OF(struct cpu_mark) })

static struct cpu_mark *mark_of(struct text_marks *marks, uint32_t cpu)
{
	struct cpu_mark *mark = array_reach(&marks->cpus, cpu_slot(cpu));

	if (!mark)
		marks->status = -ERROR_MEMORY;
	return mark;
}

/* Applies a STEP_SWITCH. */
static void text_marks_switch(struct text_marks *marks,
			      const struct call_step *step)
{
	struct cpu_mark *mark = mark_of(marks, step->cpu);

	if (mark)
		mark->has_switched = true;
}

/* Must be called before each function's line. Returns whether it is the task's
 * first since it was switched to.
 */
static bool text_marks_function(struct text_marks *marks,
				const struct call_step *step)
{
	struct cpu_mark *mark = mark_of(marks, step->cpu);
	bool is_first = mark && mark->has_switched;

	if (mark)
		*mark = (struct cpu_mark){ .has_shown = true };
	return is_first;
}

/* Returns whether the pause of @step needs a line. */
static bool text_marks_pause(struct text_marks *marks,
			     const struct call_step *step)
{
	struct cpu_mark *mark = mark_of(marks, step->cpu);
	bool is_new = mark && mark->has_shown;

	if (mark)
		mark->has_shown = false;
	return is_new;
}

/* Converts a result of asprintf(), @text and @length, to the result of a
 * step_text_make.
 */
static char *made(char *text, int length, size_t *size)
{
	*size = (size_t)length;
	return length < 0 ? NULL : text;
}

/* Makes the text of a function, as "vfs_read". Like the other functions here, a
 * step_text_make whose @ctx is the struct timeline_context.
 */
static char *name_function(const void *ctx, const struct call_step *step,
			   size_t *size)
{
	const struct timeline_context *context = ctx;
	char *text = name_made(NAME_TEXT, function_text(context->functions,
							step->function));

	*size = text ? strlen(text) : 0;
	return text;
}

/* Makes the text of a function that is entered, from its name to its mark for
 * user functions (" [u]") and a comment with the source line if requested;
 * @mark is " {", or ";" for a leaf.
 */
static char *name_call(const void *ctx, const struct call_step *step,
		       const char *mark, size_t *size)
{
	const struct timeline_context *context = ctx;
	const struct function *function =
		function_at(context->functions, step->function);
	struct source_label label = { "" };
	size_t length;
	char *name = name_function(ctx, step, &length);
	char *source;
	char *text = NULL;
	int written = -1;

	if (context->lines)
		label = source_label_of(context->lines, context->functions,
					step->function);
	source = name_made(NAME_TEXT, label.text);
	if (name && source)
		written = asprintf(
			&text, *source ? "%s%s%s%s  /* %s */" : "%s%s%s%s%s",
			name, function->has_parameters ? "" : "()", mark,
			user_mark(function), source);
	free(name);
	free(source);
	return made(text, written, size);
}

static char *name_entry(const void *ctx, const struct call_step *step,
			size_t *size)
{
	return name_call(ctx, step, " {", size);
}

static char *name_leaf(const void *ctx, const struct call_step *step,
		       size_t *size)
{
	return name_call(ctx, step, ";", size);
}

/* Makes the text of a function that is left: a brace, and its name as a
 * comment.
 */
static char *name_exit(const void *ctx, const struct call_step *step,
		       size_t *size)
{
	const struct timeline_context *context = ctx;
	size_t length;
	char *name = name_function(ctx, step, &length);
	char *text = NULL;
	int written = -1;

	if (name)
		written = asprintf(&text, "}%s /* %s */%s",
				   context->colors->faint, name,
				   context->colors->plain);
	free(name);
	return made(text, written, size);
}

/* Makes the text of a task, as ")  ls-137  | ". */
static char *name_task(const void *ctx, const struct call_step *step,
		       size_t *size)
{
	const struct timeline_context *context = ctx;
	struct task_label label =
		task_label_of(context->names, step->task->tid, step->time_ns);
	char *name = name_made(NAME_TEXT, label.text);
	char *text = NULL;
	int length = name ? asprintf(&text, ")  %-20s | ", name) : -1;

	free(name);
	return made(text, length, size);
}

/* Durations from which on a color is used. */
enum { WARM_NS = 100000, HOT_NS = 1000000 };

/* The last time that was written, up to its milliseconds. */
enum { SHOWN_TIME_NS = 1000000 };
struct shown_time {
	uint64_t since_ns; /* after the origin */
	char text[32];
	uint8_t size; /* 0: none yet */
};

struct text_callback {
	struct step_callback callback;
	struct timeline_context context;
	struct shown_time last;
	struct step_texts names;   /* as "vfs_read" */
	struct step_texts entries; /* as "vfs_read() {" */
	struct step_texts leaves;  /* as "vfs_read();" */
	struct step_texts exits;   /* as "}", with the name as a comment */
	struct step_texts tasks;   /* as ")  ls-137  | " */
	struct text_marks marks;
	struct leaf_queue queue;
	struct line_buffer line;
};

static void put(struct text_callback *text, const struct step_text *made)
{
	line_buffer_put(&text->line, made->text, made->size);
}

/* Writes a time before the origin: records may precede the start of tracing. */
static void write_early_seconds(struct line_buffer *line, uint64_t time_ns,
				uint64_t origin_ns)
{
	struct duration_text text = moment_text(time_ns, origin_ns);
	size_t length = strlen(text.text);

	line_buffer_spaces(line, length < 16 ? 16 - length : 0);
	line_buffer_put(line, text.text, length);
}

/* Writes a time as "%6d.%09d". */
static void write_seconds(struct text_callback *text, uint64_t time_ns)
{
	struct line_buffer *line = &text->line;
	struct shown_time *last = &text->last;
	char *at;

	if (time_ns < text->context.origin_ns) {
		write_early_seconds(line, time_ns, text->context.origin_ns);
		return;
	}
	time_ns -= text->context.origin_ns;
	if (time_ns - last->since_ns >= SHOWN_TIME_NS || !last->size) {
		last->since_ns = time_ns - time_ns % SHOWN_TIME_NS;
		last->size = (uint8_t)snprintf(
			last->text, sizeof(last->text), "%6" PRIu64 ".%03u",
			time_ns / 1000000000,
			(unsigned int)(time_ns / 1000000 % 1000));
	}
	at = line_buffer_room(line, sizeof(last->text) + 6);
	memcpy(at, last->text, sizeof(last->text));
	digits_padded(at + last->size, time_ns - last->since_ns, 6);
	line->size += (size_t)last->size + 6;
}

static void write_left(struct text_callback *text, const struct call_step *step)
{
	if (text->context.unit->is_time)
		write_seconds(text, step->time_ns);
	else
		line_buffer_aligned(&text->line, step->time_ns, 16);
	line_buffer_text(&text->line, " ");
	/* Per-thread streams do not have the CPU. */
	if (step->cpu == UINT32_MAX)
		line_buffer_text(&text->line, "  -");
	else
		line_buffer_aligned(&text->line, step->cpu, 3);
	put(text, step_texts_task(&text->tasks, step));
}

static void write_depth(struct line_buffer *line, uint32_t depth)
{
	line_buffer_text(line, " |  ");
	line_buffer_spaces(line, (size_t)depth_indent(depth) * 2);
	if (depth > DEPTH_INDENTED)
		line_buffer_text(line, depth_mark_of(depth).text);
}

/* Writes how the function of @step was entered, and the fiber that it is the
 * outermost function of.
 */
static void write_how(struct line_buffer *line, const struct call_step *step)
{
	bool is_plain = step->how == HOW_CALL || step->how == HOW_START;
	bool has_fiber = step->fiber && !step->depth;

	if (is_plain && !has_fiber)
		return;
	line_buffer_text(line, "  /* ");
	if (!is_plain)
		line_buffer_text(line, call_how_text(step->how));
	if (has_fiber) {
		line_buffer_text(line, is_plain ? "" : ", ");
		line_buffer_text(line, fiber_kind(step->fiber));
		line_buffer_text(line, " ");
		line_buffer_number(line, fiber_number(step->fiber));
	}
	line_buffer_text(line, " */");
}

static const char *color_of_duration(const struct timeline_context *context,
				     uint64_t wall_ns)
{
	if (!context->unit->is_time || wall_ns < WARM_NS)
		return "";
	return wall_ns < HOT_NS ? context->colors->warm : context->colors->hot;
}

/* Returns the mark before a duration: ">" for at least this long, "<" for a
 * call whose end was not seen.
 */
static const char *unseen_mark(uint8_t unseen)
{
	return unseen & UNSEEN_BEGIN ? ">" : unseen & UNSEEN_END ? "<" : " ";
}

static void write_duration(struct text_callback *text,
			   const struct call_step *step)
{
	enum { WIDTH = 11 };
	const char *color = color_of_duration(&text->context, step->wall_ns);
	struct line_buffer *line = &text->line;
	struct duration_text duration;
	size_t size;
	char *at;

	line_buffer_put(line, unseen_mark(step->unseen), 1);
	line_buffer_text(line, color);
	at = line_buffer_room(line, WIDTH + sizeof(duration.text));
	memset(at, ' ', WIDTH);
	size = text->context.unit->is_time ?
		       duration_write(duration.text, step->wall_ns) :
		       digits_decimal(duration.text, step->wall_ns);
	at += size < WIDTH ? WIDTH - size : 0;
	memcpy(at, duration.text, sizeof(duration.text));
	line->size = (size_t)(at + size - line->bytes);
	if (*color)
		line_buffer_text(line, text->context.colors->plain);
}

static void write_on_cpu(struct text_callback *text, uint64_t on_cpu_ns)
{
	const struct time_unit *unit = text->context.unit;
	struct line_buffer *line = &text->line;

	line_buffer_text(line, time_unit_text(unit, on_cpu_ns).text);
	if (!unit->is_time) {
		line_buffer_text(line, " ");
		line_buffer_text(line, unit->name);
	}
	line_buffer_text(line, " on CPU");
}

static bool has_notes(const struct call_step *step)
{
	return step->on_cpu_ns != step->wall_ns || step->unseen & UNSEEN_INSIDE;
}

/* Writes as a comment the notes on a function that has ended, if has_notes() is
 * true for @step; with the function's name if @has_name.
 */
static void write_notes(struct text_callback *text,
			const struct call_step *step, bool has_name)
{
	bool has_times = step->on_cpu_ns != step->wall_ns;
	struct line_buffer *line = &text->line;

	line_buffer_text(line, text->context.colors->faint);
	line_buffer_text(line, has_name ? " /* " : "  /* ");
	if (has_name)
		put(text, step_texts_function(&text->names, step));
	if (has_times) {
		line_buffer_text(line, has_name ? ", " : "");
		write_on_cpu(text, step->on_cpu_ns);
	}
	if (step->unseen & UNSEEN_INSIDE)
		line_buffer_text(line, has_name || has_times ?
					       ", not all seen" :
					       "not all seen");
	line_buffer_text(line, " */");
	line_buffer_text(line, text->context.colors->plain);
}

/* Finds the recorded arguments and result of the call that began at @begin_ns.
 * @step is its entry or exit.
 */
static bool find_note(const struct text_callback *text,
		      const struct call_step *step, uint64_t begin_ns,
		      struct call_note *note)
{
	const struct call_notes *notes = text->context.notes;

	return notes && notes->find(notes, step->task->tid, step->function,
				    begin_ns, note);
}

/* Writes the start of a function with the arguments, and for a leaf the result,
 * of @note; @made is the text without them.
 */
static void write_noted(struct text_callback *text,
			const struct call_step *step,
			const struct call_note *note, bool is_leaf,
			const struct step_text *made)
{
	struct line_buffer *line = &text->line;
	const struct step_text *name = step_texts_function(&text->names, step);
	const struct function *function =
		function_at(text->context.functions, step->function);
	size_t before =
		name->size + (function->has_parameters ? 0 : strlen("()"));

	put(text, name);
	line_buffer_text(line, "(");
	line_buffer_text(line, note->arguments);
	line_buffer_text(line, ")");
	if (is_leaf && note->result) {
		line_buffer_text(line, " = ");
		line_buffer_text(line, note->result);
	}
	line_buffer_put(line, made->text + before, made->size - before);
}

/* Writes the start of a function; @exit is not NULL if it is a leaf. */
static void write_function(struct text_callback *text,
			   const struct call_step *step,
			   const struct call_step *exit)
{
	enum { WIDTH = 12 };
	struct line_buffer *line = &text->line;
	struct step_texts *texts = exit ? &text->leaves : &text->entries;
	const struct step_text *made;
	struct call_note note;

	write_left(text, step);
	if (exit)
		write_duration(text, exit);
	else
		line_buffer_spaces(line, WIDTH);
	write_depth(line, step->depth);
	made = step_texts_function(texts, step);
	if (find_note(text, step, step->time_ns, &note))
		write_noted(text, step, &note, exit, made);
	else
		put(text, made);
	write_how(line, step);
	if (exit && has_notes(exit))
		write_notes(text, exit, false);
	line_buffer_text(line, "\n");
}

static void write_exit(struct text_callback *text, const struct call_step *step)
{
	struct line_buffer *line = &text->line;
	struct call_note note;
	bool has_result =
		find_note(text, step, step->time_ns - step->wall_ns, &note) &&
		note.result;

	write_left(text, step);
	write_duration(text, step);
	write_depth(line, step->depth);
	if (has_result || has_notes(step)) {
		line_buffer_text(line, "}");
		line_buffer_text(line, has_result ? " = " : "");
		line_buffer_text(line, has_result ? note.result : "");
		write_notes(text, step, true);
	} else {
		put(text, step_texts_function(&text->exits, step));
	}
	line_buffer_text(line, "\n");
}

/* Writes a line about the task or the CPU. */
static void write_mark(struct text_callback *text, const struct call_step *step,
		       const char *color, const char *what, const char *which,
		       const char *rest)
{
	write_left(text, step);
	line_buffer_text(&text->line, color);
	line_buffer_text(&text->line, what);
	line_buffer_text(&text->line, which);
	line_buffer_text(&text->line, rest);
	line_buffer_text(&text->line, text->context.colors->plain);
	line_buffer_text(&text->line, "\n");
}

static void write_gap(struct text_callback *text, const struct call_step *step)
{
	char lost[64] = " ======";

	if (step->value)
		snprintf(lost, sizeof(lost),
			 ", %" PRIu64 " bytes of trace lost ======",
			 step->value);
	write_mark(text, step, text->context.colors->missing,
		   "====== gap: ", flow_gap_text(step->detail), lost);
}

static void write_runs(struct text_callback *text, const struct call_step *step)
{
	if (text_marks_function(&text->marks, step))
		write_mark(text, step, text->context.colors->subject,
			   "------ runs now ------", "", "");
}

static void write_guest(struct text_callback *text,
			const struct call_step *step)
{
	char name[32] = "";

	if (step->place)
		snprintf(name, sizeof(name), " %" PRIx64, step->place);
	write_mark(text, step, text->context.colors->faint,
		   "------ runs a virtual machine: [guest", name, "] ------");
}

static void write_pause(struct text_callback *text,
			const struct call_step *step)
{
	if (step->detail == CPU_GUEST) {
		write_guest(text, step);
		return;
	}
	if (step->detail != CPU_TRACED && step->detail != CPU_OUTSIDE &&
	    text_marks_pause(&text->marks, step))
		write_mark(text, step, text->context.colors->faint,
			   "------ trace pauses: ",
			   cpu_state_text(step->detail), " ------");
}

static void write_step(void *ctx, const struct call_step *step,
		       const struct call_step *leaf_exit)
{
	struct text_callback *text = ctx;

	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		write_runs(text, step);
		write_function(text, step, leaf_exit);
		break;
	case STEP_EXIT:
		write_runs(text, step);
		write_exit(text, step);
		break;
	case STEP_SWITCH:
		text_marks_switch(&text->marks, step);
		break;
	case STEP_STATE:
		write_pause(text, step);
		break;
	case STEP_GAP:
		write_gap(text, step);
		break;
	case STEP_COUNT:
	case STEP_LEAVE:
	case STEP_INTERRUPTS:
	case STEP_END:
		return;
	}
	line_buffer_end(&text->line);
}

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct text_callback *text = (struct text_callback *)callback;

	leaf_queue_consume(&text->queue, step);
}

static struct step_callback *open_text(const struct timeline_context *context)
{
	struct text_callback *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->callback.consume = consume;
	text->context = *context;
	text->names =
		step_texts_of(&text->context, name_function, &text->context);
	text->entries =
		step_texts_of(&text->context, name_entry, &text->context);
	text->leaves = step_texts_of(&text->context, name_leaf, &text->context);
	text->exits = step_texts_of(&text->context, name_exit, &text->context);
	text->tasks = step_texts_of(&text->context, name_task, &text->context);
	text->marks = TEXT_MARKS_NONE;
	text->queue.write = write_step;
	text->queue.ctx = text;
	line_buffer_start(&text->line, context->out);
	fputs(context->unit->note, context->out);
	fprintf(context->out, "# %14s %3s   %-20s | %12s |  %s\n",
		context->unit->is_time ? "time_s" : context->unit->name, "cpu",
		"task",
		context->unit->is_time ? "duration" : context->unit->name,
		"function");
	return &text->callback;
}

static int close_text(struct step_callback *callback)
{
	struct text_callback *text = (struct text_callback *)callback;
	struct step_texts *lists[] = { &text->names, &text->entries,
				       &text->leaves, &text->exits,
				       &text->tasks };
	int status;

	leaf_queue_end(&text->queue);
	line_buffer_flush(&text->line);
	status = text->marks.status;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		status = status ? status : lists[i]->status;
		step_texts_free(lists[i]);
	}
	array_free(&text->marks.cpus);
	free(text);
	return status;
}

const struct timeline_renderer timeline_text = {
	.command = "timeline",
	.format = "text",
	.has_notes = true,
	.open = open_text,
	.close = close_text,
};
