/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"

#include "decoder/flow/flow.h"
#include "report/text/function_label.h"
#include "report/text/record_writer.h"
#include "report/text/source_label.h"
#include "report/text/task_names.h"

#include <stdlib.h>

struct record_sink {
	struct step_sink sink;
	struct timeline_context context;
	struct record_writer writer;
};

/* What write_fields() needs. */
struct record_source {
	const struct timeline_context *context;
	const struct call_step *step;
};

static const char *kind_text(uint8_t kind)
{
	switch ((enum call_step_kind)kind) {
	case STEP_ENTER:
		return "enter";
	case STEP_EXIT:
		return "exit";
	case STEP_COUNT:
		return "count";
	case STEP_LEAVE:
		return "leave";
	case STEP_SWITCH:
		return "switch";
	case STEP_STATE:
		return "state";
	case STEP_GAP:
		return "gap";
	case STEP_END:
		return "end";
	}
	return "?";
}

static bool has_function(const struct call_step *step)
{
	return step->kind == STEP_ENTER || step->kind == STEP_EXIT;
}

static const char *detail_text(const struct call_step *step)
{
	if (has_function(step))
		return call_how_text(step->how);
	if (step->kind == STEP_STATE)
		return cpu_state_text(step->detail);
	if (step->kind == STEP_GAP)
		return flow_gap_text(step->detail);
	return "";
}

static void write_source(struct record_writer *writer,
			 const struct record_source *source)
{
	const struct timeline_context *context = source->context;
	struct source_label label = { "" };

	if (has_function(source->step))
		label = source_label_of(context->lines, context->functions,
					source->step->function);
	record_text(writer, "source", label.text);
}

static void write_fields(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct record_source *source = ctx;
	const struct call_step *step = source->step;
	struct function_label label = { "" };

	(void)index;
	if (has_function(step))
		label = function_label_of(
			source->context->functions, step->function,
			source->context->by_process ? step->task->pid : -1);
	record_text(writer, "event", kind_text(step->kind));
	record_number(writer, "time_ns", step->time_ns);
	record_number(writer, "cpu", step->cpu);
	record_signed(writer, "pid", step->task->pid);
	record_signed(writer, "tid", step->task->tid);
	record_text(writer, "comm",
		    task_names_comm(source->context->names, step->task->tid,
				    step->time_ns));
	record_number(writer, "depth", step->depth);
	record_text(writer, "function", label.text);
	record_text(writer, "detail", detail_text(step));
	record_number(writer, "wall_ns", step->wall_ns);
	record_number(writer, "on_cpu_ns", step->on_cpu_ns);
	record_number(writer, "begin_unseen", !!(step->doubt & DOUBT_BEGIN));
	record_number(writer, "end_unseen", !!(step->doubt & DOUBT_END));
	record_number(writer, "not_all_seen", !!(step->doubt & DOUBT_INSIDE));
	record_number(writer, "early_ns", step->early_ns);
	record_number(writer, "late_ns", step->late_ns);
	record_number(writer, "lost_bytes", step->value);
	if (source->context->lines)
		write_source(writer, source);
}

static void take(struct step_sink *sink, const struct call_step *step)
{
	struct record_sink *record = (struct record_sink *)sink;
	struct record_source source = { &record->context, step };

	record_writer_record(&record->writer, write_fields, &source, 0);
}

static struct step_sink *open_records(const struct timeline_context *context,
				      enum record_format format)
{
	struct record_sink *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->sink.take = take;
	record->context = *context;
	record->writer = record_writer_of(context->out, format);
	record->writer.unit = context->unit;
	record_writer_begin(&record->writer);
	return &record->sink;
}

static struct step_sink *open_csv(const struct timeline_context *context)
{
	return open_records(context, RECORD_CSV);
}

static struct step_sink *open_json(const struct timeline_context *context)
{
	return open_records(context, RECORD_JSON);
}

static int close_records(struct step_sink *sink)
{
	struct record_sink *record = (struct record_sink *)sink;

	record_writer_end(&record->writer);
	free(record);
	return 0;
}

const struct timeline_renderer timeline_csv = {
	.command = "timeline",
	.format = "csv",
	.open = open_csv,
	.close = close_records,
};

const struct timeline_renderer timeline_json = {
	.command = "timeline",
	.format = "json",
	.open = open_json,
	.close = close_records,
};

const struct timeline_renderer export_csv = {
	.command = "export",
	.format = "csv",
	.open = open_csv,
	.close = close_records,
};

const struct timeline_renderer export_json = {
	.command = "export",
	.format = "json",
	.open = open_json,
	.close = close_records,
};
