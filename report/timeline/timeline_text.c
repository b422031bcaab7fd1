/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"

#include "decoder/flow/flow.h"
#include "report/text/colors.h"
#include "report/text/function_label.h"
#include "report/text/source_label.h"
#include "report/text/task_label.h"
#include "report/text/time_unit.h"

#include <inttypes.h>
#include <stdlib.h>

/* Durations that stand out. */
enum { WARM_NS = 100000, HOT_NS = 1000000 };

struct text_sink {
	struct step_sink sink;
	struct timeline_context context;
};

static void write_left(const struct text_sink *text,
		       const struct call_step *step)
{
	struct task_label task = task_label_of(
		text->context.names, step->task->tid, step->time_ns);

	if (text->context.unit->is_time)
		fprintf(text->context.out, "%6" PRIu64 ".%09" PRIu64,
			step->time_ns / 1000000000,
			step->time_ns % 1000000000);
	else
		fprintf(text->context.out, "%16" PRIu64, step->time_ns);
	fprintf(text->context.out, " %3" PRIu32 ")  %-20s | ", step->cpu,
		task.text);
}

static void write_indent(FILE *out, uint32_t depth)
{
	for (uint32_t i = 0; i < depth; i++)
		fputs("  ", out);
}

static void write_how(FILE *out, uint8_t how)
{
	if (how != HOW_CALL && how != HOW_START)
		fprintf(out, "  /* %s */", call_how_text(how));
}

static void write_source(const struct text_sink *text, uint32_t function)
{
	struct source_label source = source_label_of(
		text->context.lines, text->context.functions, function);

	if (*source.text)
		fprintf(text->context.out, "  /* %s */", source.text);
}

static void write_enter(const struct text_sink *text,
			const struct call_step *step)
{
	struct function_label label = function_label_of(
		text->context.functions, step->function,
		text->context.by_process ? step->task->pid : -1);
	FILE *out = text->context.out;

	write_left(text, step);
	fprintf(out, "%12s %5" PRIu32 " |  ", "", step->depth);
	write_indent(out, step->depth);
	fprintf(out, "%s() {", label.text);
	write_how(out, step->how);
	write_source(text, step->function);
	fputc('\n', out);
}

static const char *color_of_duration(const struct timeline_context *context,
				     uint64_t wall_ns)
{
	if (!context->unit->is_time || wall_ns < WARM_NS)
		return "";
	return wall_ns < HOT_NS ? context->colors->warm : context->colors->hot;
}

/* ">" before a duration: at least so long. */
static void write_exit(const struct text_sink *text,
		       const struct call_step *step)
{
	struct function_label label = function_label_of(
		text->context.functions, step->function,
		text->context.by_process ? step->task->pid : -1);
	const struct colors *colors = text->context.colors;
	const char *color = color_of_duration(&text->context, step->wall_ns);
	FILE *out = text->context.out;

	write_left(text, step);
	fprintf(out, "%s%s%8" PRIu64 " %s%s %5" PRIu32 " |  ",
		step->doubt & DOUBT_BEGIN ? ">" :
		step->doubt & DOUBT_END	  ? "<" :
					    " ",
		color, step->wall_ns, text->context.unit->name,
		*color ? colors->plain : "", step->depth);
	write_indent(out, step->depth);
	fprintf(out, "} %s/* %s", colors->faint, label.text);
	if (step->on_cpu_ns != step->wall_ns)
		fprintf(out, ", %" PRIu64 " %s on CPU", step->on_cpu_ns,
			text->context.unit->name);
	if (step->doubt & DOUBT_INSIDE)
		fputs(", not all seen", out);
	fprintf(out, " */%s\n", colors->plain);
}

static void write_gap(const struct text_sink *text,
		      const struct call_step *step)
{
	const struct colors *colors = text->context.colors;

	write_left(text, step);
	fprintf(text->context.out, "%s====== gap: %s", colors->missing,
		flow_gap_text(step->detail));
	if (step->value)
		fprintf(text->context.out, ", %" PRIu64 " bytes of trace lost",
			step->value);
	fprintf(text->context.out, " ======%s\n", colors->plain);
}

static void take(struct step_sink *sink, const struct call_step *step)
{
	const struct text_sink *text = (const struct text_sink *)sink;

	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		write_enter(text, step);
		break;
	case STEP_EXIT:
		write_exit(text, step);
		break;
	case STEP_SWITCH:
		write_left(text, step);
		fprintf(text->context.out, "%s------ runs now ------%s\n",
			text->context.colors->subject,
			text->context.colors->plain);
		break;
	case STEP_STATE:
		if (step->detail == CPU_TRACED || step->detail == CPU_OUTSIDE)
			break;
		write_left(text, step);
		fprintf(text->context.out,
			"%s------ trace pauses: %s ------%s\n",
			text->context.colors->faint,
			cpu_state_text(step->detail),
			text->context.colors->plain);
		break;
	case STEP_GAP:
		write_gap(text, step);
		break;
	case STEP_COUNT:
	case STEP_LEAVE:
	case STEP_END:
		break;
	}
}

static struct step_sink *open_text(const struct timeline_context *context)
{
	struct text_sink *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->sink.take = take;
	text->context = *context;
	fputs(context->unit->note, context->out);
	fprintf(context->out, "# %14s %3s   %-20s | %12s %5s |  %s\n",
		context->unit->is_time ? "time_s" : context->unit->name, "cpu",
		"task", "duration", "depth", "function");
	return &text->sink;
}

static int close_text(struct step_sink *sink)
{
	free(sink);
	return 0;
}

const struct timeline_renderer timeline_text = {
	.command = "timeline",
	.format = "text",
	.open = open_text,
	.close = close_text,
};
