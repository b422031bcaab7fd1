/* SPDX-License-Identifier: MIT */
#include "decoder/flow/flow.h"
#include "report/text/function_label.h"
#include "report/text/line_buffer.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "report/timeline/step_texts.h"
#include "report/timeline/timeline.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

struct raw_callback {
	struct step_callback callback;
	const struct function_table *functions;
	struct line_buffer line;
};

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	enum { ADDRESS_DIGITS = 16 };
	struct raw_callback *raw = (struct raw_callback *)callback;
	struct line_buffer *line = &raw->line;
	char *text;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	text = line_buffer_room(line, 2 + ADDRESS_DIGITS);
	text[0] = step->kind == STEP_ENTER ? 'E' : 'X';
	text[1] = ' ';
	digits_hex_padded(text + 2,
			  function_at(raw->functions, step->function)->address,
			  ADDRESS_DIGITS);
	line->size += 2 + ADDRESS_DIGITS;
	line_buffer_put(line, " ", 1);
	line_buffer_number(line, step->time_ns);
	line_buffer_put(line, " ", 1);
	line_buffer_signed(line, step->task->pid);
	line_buffer_put(line, "\n", 1);
	line_buffer_end(line);
}

static struct step_callback *open_raw(const struct timeline_context *context)
{
	struct raw_callback *raw = calloc(1, sizeof(*raw));

	if (!raw)
		return NULL;
	raw->callback.consume = consume;
	raw->functions = context->functions;
	line_buffer_start(&raw->line, context->out);
	return &raw->callback;
}

static int close_raw(struct step_callback *callback)
{
	struct raw_callback *raw = (struct raw_callback *)callback;

	line_buffer_flush(&raw->line);
	free(raw);
	return 0;
}

const struct timeline_renderer timeline_raw = {
	.command = "timeline",
	.format = "raw",
	.open = open_raw,
	.close = close_raw,
};

/* Groups of adjacent fields that are equal in many records. */
enum part {
	PART_EVENT,
	PART_TASK,
	PART_FUNCTION,
	PART_DETAIL,
	PART_UNSEEN,
	PART_SOURCE,
	PARTS,
};

struct record_callback;

/* A part's texts are cached. */
struct record_part {
	const struct record_callback *record;
	record_fields *fields;
	struct step_texts texts;
};

struct record_callback {
	struct step_callback callback;
	struct timeline_context context;
	struct record_writer writer;
	struct record_part parts[PARTS];
};

/* Context of write_fields() and of the parts. */
struct record_source {
	const struct timeline_context *context;
	const struct call_step *step;
	struct record_part *parts;
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
	case STEP_INTERRUPTS:
		return "interrupts";
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

static void write_event(struct record_writer *writer, const void *ctx,
			uint64_t index)
{
	const struct record_source *source = ctx;

	(void)index;
	record_text(writer, "event", kind_text(source->step->kind));
}

static void write_task(struct record_writer *writer, const void *ctx,
		       uint64_t index)
{
	const struct record_source *source = ctx;
	const struct call_step *step = source->step;

	(void)index;
	record_signed(writer, "pid", step->task->pid);
	record_signed(writer, "tid", step->task->tid);
	record_text(writer, "comm",
		    task_names_comm(source->context->names, step->task->tid,
				    step->time_ns));
}

static void write_function(struct record_writer *writer, const void *ctx,
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
	record_text(writer, "function", label.text);
}

static void write_detail(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct record_source *source = ctx;

	(void)index;
	record_text(writer, "detail", detail_text(source->step));
}

static void write_unseen(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct record_source *source = ctx;
	uint8_t unseen = source->step->unseen;

	(void)index;
	record_number(writer, "begin_unseen", !!(unseen & UNSEEN_BEGIN));
	record_number(writer, "end_unseen", !!(unseen & UNSEEN_END));
	record_number(writer, "not_all_seen", !!(unseen & UNSEEN_INSIDE));
}

static void write_source(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct record_source *source = ctx;
	const struct timeline_context *context = source->context;
	struct source_label label = { "" };

	(void)index;
	if (has_function(source->step))
		label = source_label_of(context->lines, context->functions,
					source->step->function);
	record_text(writer, "source", label.text);
}

static char *make_part(const void *ctx, const struct call_step *step,
		       size_t *size)
{
	const struct record_part *part = ctx;
	const struct record_source source = {
		.context = &part->record->context,
		.step = step,
	};

	return record_make(&part->record->writer, part->fields == write_event,
			   part->fields, &source, 0, size);
}

static void write_part(struct record_writer *writer,
		       const struct record_source *source, enum part which)
{
	const struct call_step *step = source->step;
	struct record_part *part = &source->parts[which];
	const struct step_text *text = NULL;

	if (which == PART_EVENT)
		text = step_texts_number(&part->texts, step->kind, step);
	else if (which == PART_TASK)
		text = step_texts_task(&part->texts, step);
	else if (which == PART_UNSEEN)
		text = step_texts_number(&part->texts, step->unseen, step);
	else if (has_function(step) && which == PART_DETAIL)
		text = step_texts_number(&part->texts, step->how, step);
	else if (has_function(step))
		text = step_texts_function(&part->texts, step);
	if (text && !writer->is_header)
		record_made(writer, text->text, text->size);
	else
		part->fields(writer, source, 0);
}

static void write_fields(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct record_source *source = ctx;
	const struct call_step *step = source->step;

	(void)index;
	write_part(writer, source, PART_EVENT);
	record_number(writer, "time_ns", step->time_ns);
	if (step->cpu == UINT32_MAX)
		record_absent(writer, "cpu");
	else
		record_number(writer, "cpu", step->cpu);
	write_part(writer, source, PART_TASK);
	record_number(writer, "depth", step->depth);
	write_part(writer, source, PART_FUNCTION);
	write_part(writer, source, PART_DETAIL);
	record_number(writer, "wall_ns", step->wall_ns);
	record_number(writer, "on_cpu_ns", step->on_cpu_ns);
	write_part(writer, source, PART_UNSEEN);
	record_number(writer, "early_ns", step->early_ns);
	record_number(writer, "late_ns", step->late_ns);
	record_number(writer, "lost_bytes", step->value);
	record_number(writer, "fiber",
		      has_function(step) ? fiber_number(step->fiber) : 0);
	if (source->context->lines)
		write_part(writer, source, PART_SOURCE);
}

static void consume_record(struct step_callback *callback,
			   const struct call_step *step)
{
	struct record_callback *record = (struct record_callback *)callback;
	const struct record_source source = {
		.context = &record->context,
		.step = step,
		.parts = record->parts,
	};

	record_writer_record(&record->writer, write_fields, &source, 0);
}

static struct step_callback *
open_records(const struct timeline_context *context, enum record_format format)
{
	static record_fields *const fields[PARTS] = {
		[PART_EVENT] = write_event,	  [PART_TASK] = write_task,
		[PART_FUNCTION] = write_function, [PART_DETAIL] = write_detail,
		[PART_UNSEEN] = write_unseen,	  [PART_SOURCE] = write_source,
	};
	struct record_callback *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->callback.consume = consume_record;
	record->context = *context;
	record->writer = record_writer_of(context->out, format);
	record->writer.unit = context->unit;
	for (int i = 0; i < PARTS; i++)
		record->parts[i] = (struct record_part){
			.record = record,
			.fields = fields[i],
			.texts = step_texts_of(&record->context, make_part,
					       &record->parts[i]),
		};
	record_writer_begin(&record->writer);
	return &record->callback;
}

static struct step_callback *open_csv(const struct timeline_context *context)
{
	return open_records(context, RECORD_CSV);
}

static struct step_callback *open_json(const struct timeline_context *context)
{
	return open_records(context, RECORD_JSON);
}

static struct step_callback *open_ndjson(const struct timeline_context *context)
{
	return open_records(context, RECORD_NDJSON);
}

static int close_records(struct step_callback *callback)
{
	struct record_callback *record = (struct record_callback *)callback;
	int status = 0;

	record_writer_end(&record->writer);
	for (int i = 0; i < PARTS; i++) {
		status = status ? status : record->parts[i].texts.status;
		step_texts_free(&record->parts[i].texts);
	}
	free(record);
	return status;
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

const struct timeline_renderer export_ndjson = {
	.command = "export",
	.format = "ndjson",
	.open = open_ndjson,
	.close = close_records,
};
