/* SPDX-License-Identifier: MIT */
#include "report/timeline/span_export.h"

#include "common/array.h"
#include "common/error.h"
#include "report/steps/cpu_slot.h"
#include "report/text/function_label.h"
#include "report/text/task_label.h"
#include "report/text/task_names.h"
#include "symbolize/function_table.h"

#include <stdlib.h>

struct kept_track {
	struct span_track track;
	bool is_known;
	bool is_open;		/* a CPU's: a span is */
};

struct span_export {
	struct step_sink sink;
	struct timeline_context context;
	struct span_writer *writer;
	struct array tasks;	/* struct kept_track by task index */
	struct array cpus;	/* two struct kept_track each */
	uint64_t tracks;
	int status;
};

static void name_track(const struct span_export *export,
		       struct span_track *track, uint64_t time_ns)
{
	const struct task *task = track->task;
	const char *trace = track->kind == SPAN_CPU_TRACE ? " trace" : "";

	if (!task && track->cpu == UINT32_MAX)
		snprintf(track->name, sizeof(track->name), "unknown CPU%s",
			 trace);
	else if (!task)
		snprintf(track->name, sizeof(track->name), "CPU %u%s",
			 track->cpu, trace);
	else if (task->tid > 0)
		snprintf(track->name, sizeof(track->name), "%s",
			 task_names_comm(export->context.names, task->tid,
					 time_ns));
	else
		snprintf(track->name, sizeof(track->name), "%s/%d",
			 task->tid ? "unknown" : "swapper", task->cpu);
}

/* Returns entry @index of @list, announcing @like if it is new. */
static struct kept_track *get_track(struct span_export *export,
				    struct array *list, size_t index,
				    const struct span_track *like,
				    uint64_t time_ns)
{
	struct kept_track *kept;

	kept = index < list->count ? (struct kept_track *)list->items + index :
				     array_reach(list, index);
	if (!kept) {
		export->status = -ERROR_MEMORY;
		return NULL;
	}
	if (!kept->is_known) {
		kept->is_known = true;
		kept->track = *like;
		kept->track.number = ++export->tracks;
		name_track(export, &kept->track, time_ns);
		export->writer->announce(export->writer, &kept->track, time_ns);
	}
	return kept;
}

static struct kept_track *task_track(struct span_export *export,
				     const struct call_step *step)
{
	const struct span_track track = {
		.kind = SPAN_TASK,
		.task = step->task,
	};

	return get_track(export, &export->tasks, step->task->index, &track,
			 step->time_ns);
}

static struct kept_track *cpu_track(struct span_export *export,
				    const struct call_step *step,
				    enum span_track_kind kind)
{
	const struct span_track track = { .kind = kind, .cpu = step->cpu };
	uint32_t slot = cpu_slot(step->cpu) * 2 + (kind == SPAN_CPU_TRACE);

	return get_track(export, &export->cpus, slot, &track, step->time_ns);
}

static void end_span(struct span_export *export, struct kept_track *kept,
		     uint64_t time_ns)
{
	if (!kept || !kept->is_open)
		return;
	kept->is_open = false;
	export->writer->end(export->writer, &kept->track, time_ns);
}

/* Begins a span on a CPU's track, which holds one at a time. */
static void begin_span(struct span_export *export, struct kept_track *kept,
		       uint64_t time_ns, const char *name, const char *category)
{
	end_span(export, kept, time_ns);
	if (!kept)
		return;
	kept->is_open = true;
	export->writer->begin(export->writer, &kept->track, time_ns,
			      FUNCTION_NONE, name, category);
}

static void change_task(struct span_export *export,
			const struct call_step *step)
{
	struct task_label name = task_label_of(
		export->context.names, step->task->tid, step->time_ns);

	begin_span(export, cpu_track(export, step, SPAN_CPU_TASKS),
		   step->time_ns, name.text, "task");
}

static void change_state(struct span_export *export,
			 const struct call_step *step)
{
	struct kept_track *kept = cpu_track(export, step, SPAN_CPU_TRACE);

	if (step->kind == STEP_GAP)
		begin_span(export, kept, step->time_ns, "gap", "gap");
	else if (step->detail == CPU_TRACED)
		end_span(export, kept, step->time_ns);
	else
		begin_span(export, kept, step->time_ns,
			   cpu_state_text(step->detail), "state");
}

static void enter(struct span_export *export, const struct call_step *step)
{
	const struct kept_track *kept = task_track(export, step);

	if (kept)
		export->writer->begin(export->writer, &kept->track,
				      step->time_ns, step->function, NULL,
				      call_how_text(step->how));
}

static void leave(struct span_export *export, const struct call_step *step)
{
	const struct kept_track *kept = task_track(export, step);

	if (kept)
		export->writer->end(export->writer, &kept->track,
				    step->time_ns);
}

static void take(struct step_sink *sink, const struct call_step *step)
{
	struct span_export *export = (struct span_export *)sink;
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
	case STEP_GAP:
		change_state(export, step);
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

struct step_sink *span_export_open(const struct timeline_context *context,
				   struct span_writer *writer)
{
	struct span_export *export = calloc(1, sizeof(*export));

	if (!export) {
		writer->finish(writer);
		return NULL;
	}
	export->sink.take = take;
	export->context = *context;
	export->writer = writer;
	writer->functions = context->functions;
	export->tasks = ARRAY_OF(struct kept_track);
	export->cpus = ARRAY_OF(struct kept_track);
	return &export->sink;
}

int span_export_close(struct step_sink *sink)
{
	struct span_export *export = (struct span_export *)sink;
	int status = export->writer->finish(export->writer);

	status = status ? status : export->status;
	array_free(&export->tasks);
	array_free(&export->cpus);
	free(export);
	return status;
}
