/* SPDX-License-Identifier: MIT */
#include "report/timeline/span_export.h"

#include "decoder/flow/flow.h"
#include "report/text/function_label.h"
#include "report/text/task_names.h"
#include "report/timeline/span_lanes.h"
#include "report/timeline/span_tracks.h"
#include "report/timeline/step_words.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

struct span_export {
	struct step_callback callback;
	struct timeline_context context;
	struct span_writer *writer;
	struct span_tracks tracks;
	struct span_lanes lanes;
};

static struct kept_track *task_track(struct span_export *export,
				     const struct call_step *step)
{
	return span_tracks_task(&export->tracks, SPAN_TASK, step->task,
				step->time_ns);
}

static struct kept_track *cpu_track(struct span_export *export,
				    const struct call_step *step,
				    enum span_track_kind kind)
{
	return span_tracks_cpu(&export->tracks, kind, step->cpu, step->time_ns);
}

static void end_span(struct span_export *export, struct kept_track *kept,
		     uint64_t time_ns)
{
	if (!kept || !kept->is_open)
		return;
	kept->is_open = false;
	export->writer->end(export->writer, &kept->track, time_ns);
}

/* Starts a span on a CPU's track, which has one at a time. */
static void begin_span(struct span_export *export, struct kept_track *kept,
		       const struct span *span)
{
	end_span(export, kept, span->time_ns);
	if (!kept)
		return;
	kept->is_open = true;
	export->writer->begin(export->writer, &kept->track, span);
}

static void change_task(struct span_export *export,
			const struct call_step *step)
{
	struct task_label name = task_label_of(export->context.names,
					       step->task->tid, step->time_ns);
	const struct span span = {
		.time_ns = step->time_ns,
		.number = SPAN_NUMBER_NONE,
		.name = name.text,
		.category = "task",
	};

	begin_span(export, cpu_track(export, step, SPAN_CPU_TASKS), &span);
}

static void begin_gap(struct span_export *export, const struct call_step *step)
{
	const struct span_note notes[] = {
		{ .name = NOTE_LOST_BYTES, .number = step->value },
		{ .name = NOTE_OFFSET, .number = step->place },
	};
	char name[64];
	const struct span span = {
		.time_ns = step->time_ns,
		.number = SPAN_NUMBER_NONE,
		.name = name,
		.category = "gap",
		.notes = notes,
		.note_count = sizeof(notes) / sizeof(*notes),
	};

	snprintf(name, sizeof(name), "gap: %s", flow_gap_text(step->detail));
	begin_span(export, cpu_track(export, step, SPAN_CPU_TRACE), &span);
}

static void change_state(struct span_export *export,
			 const struct call_step *step)
{
	const struct span span = {
		.time_ns = step->time_ns,
		.number = SPAN_NUMBER_NONE,
		.name = cpu_state_text(step->detail),
		.category = "state",
	};
	struct kept_track *kept = cpu_track(export, step, SPAN_CPU_TRACE);

	if (step->detail == CPU_TRACED)
		end_span(export, kept, step->time_ns);
	else
		begin_span(export, kept, &span);
}

static void enter(struct span_export *export, const struct call_step *step)
{
	const struct kept_track *kept = task_track(export, step);
	const struct span span = {
		.time_ns = step->time_ns,
		.number = step->function,
		.category = call_how_text(step->how),
	};

	if (kept)
		export->writer->begin(export->writer, &kept->track, &span);
}

static void leave(struct span_export *export, const struct call_step *step)
{
	const struct kept_track *kept = task_track(export, step);

	if (kept)
		export->writer->end(export->writer, &kept->track,
				    step->time_ns);
}

static void take(struct step_callback *callback, const struct call_step *step)
{
	struct span_export *export = (struct span_export *)callback;
	bool is_run = step->kind == STEP_SWITCH || step->kind == STEP_LEAVE ||
		      step->kind == STEP_END;

	if (is_run && export->writer->run)
		export->writer->run(export->writer, step);
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		enter(export, step);
		break;
	case STEP_EXIT:
		leave(export, step);
		break;
	case STEP_SWITCH:
		change_task(export, step);
		break;
	case STEP_STATE:
		change_state(export, step);
		break;
	case STEP_GAP:
		begin_gap(export, step);
		break;
	case STEP_END:
		end_span(export, cpu_track(export, step, SPAN_CPU_TASKS),
			 step->time_ns);
		end_span(export, cpu_track(export, step, SPAN_CPU_TRACE),
			 step->time_ns);
		break;
	case STEP_COUNT:
	case STEP_LEAVE:
		break;
	}
}

const char *span_name(const struct span_writer *writer, uint32_t function)
{
	return function_text(writer->functions, function);
}

struct step_callback *span_export_open(const struct timeline_context *context,
				       struct span_writer *writer)
{
	struct span_export *export = calloc(1, sizeof(*export));

	if (!export) {
		writer->finish(writer);
		return NULL;
	}
	export->callback.take = take;
	export->context = *context;
	export->writer = writer;
	writer->functions = context->functions;
	export->tracks = span_tracks_of(writer, context->names);
	export->lanes = span_lanes_of(&export->tracks);
	return &export->callback;
}

struct lane_callback *span_export_lanes(struct step_callback *callback)
{
	return &((struct span_export *)callback)->lanes.callback;
}

int span_export_close(struct step_callback *callback)
{
	struct span_export *export = (struct span_export *)callback;
	int status = export->writer->finish(export->writer);

	status = status ? status : export->tracks.status;
	span_tracks_free(&export->tracks);
	free(export);
	return status;
}
