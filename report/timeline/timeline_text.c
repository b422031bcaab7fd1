/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"

#include "decoder/flow/flow.h"
#include "report/text/colors.h"
#include "report/text/function_label.h"
#include "report/text/line_buffer.h"
#include "report/text/name_text.h"
#include "report/text/source_label.h"
#include "report/text/task_label.h"
#include "report/text/time_unit.h"
#include "report/timeline/step_texts.h"

#include <inttypes.h>
#include <stdlib.h>

/* Durations that stand out. */
enum { WARM_NS = 100000, HOT_NS = 1000000 };

struct text_sink {
	struct step_sink sink;
	struct timeline_context context;
	struct step_texts functions;	/* as "vfs_read" */
	struct step_texts sources;	/* behind a function: a comment with its line */
	struct step_texts tasks;	/* as ")  ls-137  | " */
	struct line_buffer line;
};

static char *make_function(const void *ctx, const struct call_step *step,
			   size_t *size)
{
	const struct timeline_context *context = ctx;
	struct function_label label = function_label_of(
		context->functions, step->function,
		context->by_process ? step->task->pid : -1);
	char *text = name_made(NAME_TEXT, label.text);

	*size = text ? strlen(text) : 0;
	return text;
}

static char *make_source(const void *ctx, const struct call_step *step,
			 size_t *size)
{
	const struct timeline_context *context = ctx;
	struct source_label label = source_label_of(
		context->lines, context->functions, step->function);
	char *name = name_made(NAME_TEXT, label.text);
	char *text = NULL;
	int length = -1;

	if (name)
		length = asprintf(&text, *name ? "  /* %s */" : "%s", name);
	free(name);
	*size = (size_t)length;
	return length < 0 ? NULL : text;
}

static char *make_task(const void *ctx, const struct call_step *step,
		       size_t *size)
{
	const struct timeline_context *context = ctx;
	struct task_label label = task_label_of(context->names,
						step->task->tid, step->time_ns);
	char *name = name_made(NAME_TEXT, label.text);
	char *text = NULL;
	int length = name ? asprintf(&text, ")  %-20s | ", name) : -1;

	free(name);
	*size = (size_t)length;
	return length < 0 ? NULL : text;
}

static void put(struct text_sink *text, const struct step_text *made)
{
	line_buffer_put(&text->line, made->text, made->size);
}

/* As "%6d.%09d". */
static void write_seconds(struct line_buffer *line, uint64_t time_ns)
{
	char *fraction;

	line_buffer_aligned(line, time_ns / 1000000000, 6);
	fraction = line_buffer_room(line, 1 + 9);
	*fraction = '.';
	digits_padded(fraction + 1, time_ns % 1000000000, 9);
	line->size += 1 + 9;
}

static void write_left(struct text_sink *text, const struct call_step *step)
{
	if (text->context.unit->is_time)
		write_seconds(&text->line, step->time_ns);
	else
		line_buffer_aligned(&text->line, step->time_ns, 16);
	line_buffer_text(&text->line, " ");
	line_buffer_aligned(&text->line, step->cpu, 3);
	put(text, step_texts_task(&text->tasks, step));
}

/* The columns before the function, behind the duration. */
static void write_depth(struct line_buffer *line, uint32_t depth)
{
	line_buffer_text(line, " ");
	line_buffer_aligned(line, depth, 5);
	line_buffer_text(line, " |  ");
	line_buffer_spaces(line, (size_t)depth * 2);
}

static void write_how(struct line_buffer *line, uint8_t how)
{
	if (how == HOW_CALL || how == HOW_START)
		return;
	line_buffer_text(line, "  /* ");
	line_buffer_text(line, call_how_text(how));
	line_buffer_text(line, " */");
}

static void write_enter(struct text_sink *text, const struct call_step *step)
{
	write_left(text, step);
	line_buffer_spaces(&text->line, 12);
	write_depth(&text->line, step->depth);
	put(text, step_texts_function(&text->functions, step));
	line_buffer_text(&text->line, "() {");
	write_how(&text->line, step->how);
	if (text->context.lines)
		put(text, step_texts_function(&text->sources, step));
	line_buffer_text(&text->line, "\n");
}

static const char *color_of_duration(const struct timeline_context *context,
				     uint64_t wall_ns)
{
	if (!context->unit->is_time || wall_ns < WARM_NS)
		return "";
	return wall_ns < HOT_NS ? context->colors->warm : context->colors->hot;
}

/* ">" before a duration: at least so long. */
static const char *mark_of(uint8_t doubt)
{
	return doubt & DOUBT_BEGIN ? ">" : doubt & DOUBT_END ? "<" : " ";
}

static void write_duration(struct text_sink *text, const struct call_step *step)
{
	const char *color = color_of_duration(&text->context, step->wall_ns);
	struct line_buffer *line = &text->line;

	line_buffer_put(line, mark_of(step->doubt), 1);
	line_buffer_text(line, color);
	line_buffer_aligned(line, step->wall_ns, 8);
	line_buffer_text(line, " ");
	line_buffer_text(line, text->context.unit->name);
	if (*color)
		line_buffer_text(line, text->context.colors->plain);
}

static void write_on_cpu(struct text_sink *text, uint64_t on_cpu_ns)
{
	line_buffer_text(&text->line, ", ");
	line_buffer_number(&text->line, on_cpu_ns);
	line_buffer_text(&text->line, " ");
	line_buffer_text(&text->line, text->context.unit->name);
	line_buffer_text(&text->line, " on CPU");
}

static void write_exit(struct text_sink *text, const struct call_step *step)
{
	const struct colors *colors = text->context.colors;
	struct line_buffer *line = &text->line;

	write_left(text, step);
	write_duration(text, step);
	write_depth(line, step->depth);
	line_buffer_text(line, "} ");
	line_buffer_text(line, colors->faint);
	line_buffer_text(line, "/* ");
	put(text, step_texts_function(&text->functions, step));
	if (step->on_cpu_ns != step->wall_ns)
		write_on_cpu(text, step->on_cpu_ns);
	if (step->doubt & DOUBT_INSIDE)
		line_buffer_text(line, ", not all seen");
	line_buffer_text(line, " */");
	line_buffer_text(line, colors->plain);
	line_buffer_text(line, "\n");
}

/* A line that is about the task or the CPU. */
static void write_mark(struct text_sink *text, const struct call_step *step,
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

static void write_gap(struct text_sink *text, const struct call_step *step)
{
	char lost[64] = " ======";

	if (step->value)
		snprintf(lost, sizeof(lost),
			 ", %" PRIu64 " bytes of trace lost ======",
			 step->value);
	write_mark(text, step, text->context.colors->missing, "====== gap: ",
		   flow_gap_text(step->detail), lost);
}

static void take(struct step_sink *sink, const struct call_step *step)
{
	struct text_sink *text = (struct text_sink *)sink;
	const struct colors *colors = text->context.colors;

	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		write_enter(text, step);
		break;
	case STEP_EXIT:
		write_exit(text, step);
		break;
	case STEP_SWITCH:
		write_mark(text, step, colors->subject, "------ runs now ------",
			   "", "");
		break;
	case STEP_STATE:
		if (step->detail == CPU_TRACED || step->detail == CPU_OUTSIDE)
			return;
		write_mark(text, step, colors->faint, "------ trace pauses: ",
			   cpu_state_text(step->detail), " ------");
		break;
	case STEP_GAP:
		write_gap(text, step);
		break;
	case STEP_COUNT:
	case STEP_LEAVE:
	case STEP_END:
		return;
	}
	line_buffer_end(&text->line);
}

static struct step_sink *open_text(const struct timeline_context *context)
{
	struct text_sink *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->sink.take = take;
	text->context = *context;
	text->functions = step_texts_of(&text->context, make_function,
					&text->context);
	text->sources = step_texts_of(&text->context, make_source,
				      &text->context);
	text->tasks = step_texts_of(&text->context, make_task, &text->context);
	line_buffer_start(&text->line, context->out);
	fputs(context->unit->note, context->out);
	fprintf(context->out, "# %14s %3s   %-20s | %12s %5s |  %s\n",
		context->unit->is_time ? "time_s" : context->unit->name, "cpu",
		"task", "duration", "depth", "function");
	return &text->sink;
}

static int close_text(struct step_sink *sink)
{
	struct text_sink *text = (struct text_sink *)sink;
	int status = text->functions.status;

	status = status ? status : text->sources.status;
	status = status ? status : text->tasks.status;

	line_buffer_flush(&text->line);
	step_texts_free(&text->functions);
	step_texts_free(&text->sources);
	step_texts_free(&text->tasks);
	free(text);
	return status;
}

const struct timeline_renderer timeline_text = {
	.command = "timeline",
	.format = "text",
	.open = open_text,
	.close = close_text,
};
