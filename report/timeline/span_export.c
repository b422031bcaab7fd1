/* SPDX-License-Identifier: MIT */
#include "report/timeline/span_export.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/flow/flow.h"
#include "report/steps/call_step.h"
#include "report/text/function_label.h"
#include "report/text/task_names.h"
#include "report/timeline/step_texts.h"

#include <stdio.h>
#include <stdlib.h>

struct cached_track {
	struct span_track track;
	bool is_known;
	bool is_open; /* of a CPU's track: a span is open */
};

/* The tracks of an export. Each is announced to the writer at its first use. */
struct span_tracks {
	const struct task_names *names;	      /* borrowed */
	struct span_writer *writer;	      /* borrowed */
	struct array lists[SPAN_TRACK_KINDS]; /* struct cached_track by task
						 * index or CPU; of fibers in
						 * order of appearance */
	struct number_map fibers; /* index in that list + 1, by process */
	uint64_t count;
	int status; /* 0, or -ERROR_MEMORY */
};

/* Writes side tracks as tracks of an export. */
struct span_side_tracks {
	struct track_callback callback;
	struct span_tracks *tracks; /* borrowed */
};

static const char *const side_names[SPAN_TRACK_KINDS] = {
	[SPAN_CALLS] = "system calls",
	[SPAN_SLEEPS] = "sleeps",
	[SPAN_WORK] = "kernel work",
	[SPAN_CPU_TRACE] = "trace",
	[SPAN_CPU_INTERRUPTS] = "interrupts",
	[SPAN_THROTTLED] = "throttled",
	[SPAN_SPINS] = "spins",
	[SPAN_READ_CALLS] = "arguments",
	[SPAN_BLOCK] = "block I/O",
	[SPAN_CPU_INTERRUPTS_OFF] = "interrupts off",
	[SPAN_CPU_PREEMPTION_OFF] = "preemption off",
};

static struct span_tracks span_tracks_of(struct span_writer *writer,
					 const struct task_names *names)
{
	struct span_tracks tracks = { .names = names, .writer = writer };

	for (int i = 0; i < SPAN_TRACK_KINDS; i++)
		tracks.lists[i] = ARRAY_OF(struct cached_track);
	return tracks;
}

static void span_tracks_free(struct span_tracks *tracks)
{
	for (int i = 0; i < SPAN_TRACK_KINDS; i++)
		array_free(&tracks->lists[i]);
	number_map_free(&tracks->fibers);
}

static void name_cpu(struct span_track *track)
{
	const char *what = track->side ? track->side : "";
	const char *space = *what ? " " : "";

	if (track->kind == SPAN_BLOCK)
		snprintf(track->name, sizeof(track->name), "%s %u", what,
			 track->cpu);
	else if (track->cpu == UINT32_MAX)
		snprintf(track->name, sizeof(track->name), "unknown CPU%s%s",
			 space, what);
	else
		snprintf(track->name, sizeof(track->name), "CPU %u%s%s",
			 track->cpu, space, what);
}

static void name_task(const struct span_tracks *tracks,
		      struct span_track *track, uint64_t time_ns)
{
	const struct task *task = track->task;

	if (task->tid > 0)
		snprintf(track->name, sizeof(track->name), "%s",
			 task_names_comm(tracks->names, task->tid, time_ns));
	else
		snprintf(track->name, sizeof(track->name), "%s/%d",
			 task->tid ? "unknown" : "swapper", task->cpu);
}

static void announce(struct span_tracks *tracks, struct cached_track *kept,
		     const struct span_track *like, uint64_t time_ns)
{
	kept->is_known = true;
	kept->track = *like;
	kept->track.number = ++tracks->count;
	kept->track.side = side_names[like->kind];
	if (like->kind == SPAN_FIBER)
		snprintf(kept->track.name, sizeof(kept->track.name), "%s %u",
			 fiber_kind(like->fiber), fiber_number(like->fiber));
	else if (like->task)
		name_task(tracks, &kept->track, time_ns);
	else
		name_cpu(&kept->track);
	tracks->writer->announce(tracks->writer, &kept->track, time_ns);
}

/* Returns a track that was already announced, or NULL. */
static struct cached_track *find_known(const struct span_tracks *tracks,
				       enum span_track_kind kind, size_t index)
{
	const struct array *list = &tracks->lists[kind];
	struct cached_track *kept;

	if (index >= list->count)
		return NULL;
	kept = array_at(list, index);
	return kept->is_known ? kept : NULL;
}

static struct cached_track *add(struct span_tracks *tracks, size_t index,
				const struct span_track *like, uint64_t time_ns)
{
	struct cached_track *kept =
		array_reach(&tracks->lists[like->kind], index);

	if (kept)
		announce(tracks, kept, like, time_ns);
	else
		tracks->status = -ERROR_MEMORY;
	return kept;
}

/* Returns a task's track, valid until the next call; NULL when out of memory. A
 * track beside a thread's functions has the functions' track as its parent.
 */
static struct cached_track *span_tracks_task(struct span_tracks *tracks,
					     enum span_track_kind kind,
					     const struct task *task,
					     uint64_t time_ns)
{
	struct cached_track *known = find_known(tracks, kind, task->index);
	struct span_track track = { .kind = kind, .task = task };
	const struct cached_track *parent;

	if (known)
		return known;
	if (kind != SPAN_TASK) {
		parent = span_tracks_task(tracks, SPAN_TASK, task, time_ns);
		track.parent = parent ? parent->track.number : 0;
	}
	return add(tracks, task->index, &track, time_ns);
}

static struct cached_track *span_tracks_cpu(struct span_tracks *tracks,
					    enum span_track_kind kind,
					    uint32_t cpu, uint64_t time_ns)
{
	const struct span_track track = { .kind = kind, .cpu = cpu };
	struct cached_track *known = find_known(tracks, kind, cpu_slot(cpu));

	return known ? known : add(tracks, cpu_slot(cpu), &track, time_ns);
}

/* Returns the track of the fiber on which the task of @step runs, valid until
 * the next call; NULL when out of memory.
 */
static struct cached_track *span_tracks_fiber(struct span_tracks *tracks,
					      const struct call_step *step)
{
	const struct span_track track = {
		.kind = SPAN_FIBER,
		.task = step->task,
		.fiber = step->fiber,
	};
	struct array *list = &tracks->lists[SPAN_FIBER];
	uint64_t *index = number_map_add(
		&tracks->fibers,
		(uint64_t)(uint32_t)step->task->pid << 32 | step->fiber);

	if (!index) {
		tracks->status = -ERROR_MEMORY;
		return NULL;
	}
	if (*index)
		return array_at(list, *index - 1);
	*index = list->count + 1;
	return add(tracks, list->count, &track, step->time_ns);
}

const char *span_note_text(uint8_t name)
{
	static const char *const texts[SPAN_NOTES] = {
		[NOTE_ARGUMENTS] = "arguments",
		[NOTE_RESULT] = "result",
		[NOTE_END] = "end",
		[NOTE_INNER] = "inner",
		[NOTE_WAKER] = "waker",
		[NOTE_IS_CUT] = "is_cut",
		[NOTE_WOKEN] = "woken",
		[NOTE_WOKEN_TID] = "woken_tid",
		[NOTE_KIND] = "kind",
		[NOTE_IRQ] = "irq",
		[NOTE_ON_PID] = "on_pid",
		[NOTE_ON_TID] = "on_tid",
		[NOTE_LOST_BYTES] = "lost_bytes",
		[NOTE_OFFSET] = "offset",
		[NOTE_FUNCTION] = "function",
		[NOTE_OWN_NS] = "own_ns",
		[NOTE_ENDED_BY] = "ended_by",
		[NOTE_SECTOR] = "sector",
		[NOTE_BYTES] = "bytes",
		[NOTE_DELAYED] = "delayed",
		[NOTE_UNCERTAIN_NS] = "uncertain_ns",
	};

	return texts[name];
}

static struct span_tracks *tracks_of(struct track_callback *callback)
{
	return ((struct span_side_tracks *)callback)->tracks;
}

/* Returns the track of @side; NULL when out of memory. */
static const struct span_track *track_of(struct span_tracks *tracks,
					 const struct side_track *side,
					 uint64_t time_ns)
{
	const struct cached_track *kept =
		side->task ?
			span_tracks_task(tracks, side->kind, side->task,
					 time_ns) :
			span_tracks_cpu(tracks, side->kind, side->cpu, time_ns);

	return kept ? &kept->track : NULL;
}

static void begin(struct track_callback *callback,
		  const struct side_track *side, const struct span *span)
{
	struct span_tracks *tracks = tracks_of(callback);
	const struct span_track *track = track_of(tracks, side, span->time_ns);

	if (track)
		tracks->writer->begin(tracks->writer, track, span);
}

static void end(struct track_callback *callback, const struct side_track *side,
		uint64_t time_ns)
{
	struct span_tracks *tracks = tracks_of(callback);
	const struct span_track *track = track_of(tracks, side, time_ns);

	if (track)
		tracks->writer->end(tracks->writer, track, time_ns);
}

static void mark(struct track_callback *callback, const struct side_track *side,
		 const struct span *span)
{
	struct span_tracks *tracks = tracks_of(callback);
	const struct span_track *track;

	if (!tracks->writer->mark)
		return;
	track = track_of(tracks, side, span->time_ns);
	if (track)
		tracks->writer->mark(tracks->writer, track, span);
}

static void waking(struct track_callback *callback,
		   const struct track_waking *event)
{
	struct span_writer *writer = tracks_of(callback)->writer;

	if (writer->waking)
		writer->waking(writer, event);
}

static void blocked(struct track_callback *callback,
		    const struct track_blocked *event)
{
	struct span_writer *writer = tracks_of(callback)->writer;

	if (writer->blocked)
		writer->blocked(writer, event);
}

static void count(struct track_callback *callback,
		  const struct track_count *value)
{
	struct span_writer *writer = tracks_of(callback)->writer;

	if (writer->count)
		writer->count(writer, value);
}

static struct span_side_tracks span_side_tracks_of(struct span_tracks *tracks)
{
	return (struct span_side_tracks){
		.callback = { begin, end, mark, waking, blocked, count },
		.tracks = tracks,
	};
}

/* The thread of a CPU. */
struct cpu_runs {
	int32_t tid; /* running thread; 0: idle */
	/* tid left at left_ns; the next thread is not known yet */
	bool has_left;
	uint64_t left_ns;
};

struct span_export {
	struct step_callback callback;
	struct timeline_context context;
	struct span_writer *writer;
	struct span_tracks tracks;
	struct span_side_tracks side_tracks;
	struct array runs; /* struct cpu_runs by CPU, for switched() */
	uint64_t last_ns;  /* time of the last event of any CPU */
};

static struct cached_track *task_track(struct span_export *export,
				       const struct call_step *step)
{
	if (step->fiber)
		return span_tracks_fiber(&export->tracks, step);
	return span_tracks_task(&export->tracks, SPAN_TASK, step->task,
				step->time_ns);
}

static struct cached_track *cpu_track(struct span_export *export,
				      const struct call_step *step,
				      enum span_track_kind kind)
{
	return span_tracks_cpu(&export->tracks, kind, step->cpu, step->time_ns);
}

static void end_span(struct span_export *export, struct cached_track *kept,
		     uint64_t time_ns)
{
	if (!kept || !kept->is_open)
		return;
	kept->is_open = false;
	export->writer->end(export->writer, &kept->track, time_ns);
}

/* Starts a span on a CPU's track, which has one at a time. */
static void begin_span(struct span_export *export, struct cached_track *kept,
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
	struct cached_track *kept = cpu_track(export, step, SPAN_CPU_TRACE);

	if (step->detail == CPU_TRACED)
		end_span(export, kept, step->time_ns);
	else
		begin_span(export, kept, &span);
}

static void enter(struct span_export *export, const struct call_step *step)
{
	const struct cached_track *kept = task_track(export, step);
	const struct span span = {
		.time_ns = step->time_ns,
		.number = step->function,
		.category = call_how_text(step->how),
	};

	if (kept && export->writer->change)
		export->writer->change(export->writer, &kept->track, step);
	else if (kept)
		export->writer->begin(export->writer, &kept->track, &span);
}

static void leave(struct span_export *export, const struct call_step *step)
{
	const struct cached_track *kept = task_track(export, step);

	if (kept && export->writer->change)
		export->writer->change(export->writer, &kept->track, step);
	else if (kept)
		export->writer->end(export->writer, &kept->track,
				    step->time_ns);
}

/* Switches a CPU to @tid at the time of @event. */
static void switch_to(struct span_export *export, struct cpu_runs *runs,
		      struct span_switch event, int32_t tid)
{
	event.prev_tid = runs->tid;
	event.next_tid = tid;
	runs->tid = tid;
	runs->has_left = false;
	if (event.prev_tid != tid)
		export->writer->switched(export->writer, &event);
}

/* Applies a STEP_SWITCH, STEP_LEAVE or STEP_END. */
static void change_runs(struct span_export *export,
			const struct call_step *step)
{
	struct cpu_runs *runs = array_reach(&export->runs, cpu_slot(step->cpu));
	struct span_switch event = {
		.time_ns = step->time_ns,
		.cpu = step->cpu,
	};

	/* Per-thread streams do not have the CPU. */
	if (step->cpu == UINT32_MAX)
		return;
	if (!runs) {
		export->tracks.status = -ERROR_MEMORY;
		return;
	}
	/* The filter left out the next thread: show the CPU as idle. */
	if (runs->has_left && runs->left_ns != step->time_ns)
		switch_to(export, runs,
			  (struct span_switch){ .time_ns = runs->left_ns,
						.cpu = step->cpu },
			  0);
	if (step->kind == STEP_SWITCH) {
		event.is_preempted = step->detail;
		switch_to(export, runs, event,
			  step->task->tid > 0 ? step->task->tid : 0);
	} else if (step->kind == STEP_LEAVE) {
		runs->has_left = true;
		runs->left_ns = step->time_ns;
	} else {
		switch_to(export, runs, event, 0);
	}
}

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct span_export *export = (struct span_export *)callback;
	bool is_run = step->kind == STEP_SWITCH || step->kind == STEP_LEAVE ||
		      step->kind == STEP_END;

	if (export->last_ns < step->time_ns)
		export->last_ns = step->time_ns;
	if (is_run && export->writer->run)
		export->writer->run(export->writer, step);
	if (is_run && export->writer->switched)
		change_runs(export, step);
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
	case STEP_INTERRUPTS:
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
	export->callback.consume = consume;
	export->context = *context;
	export->writer = writer;
	writer->functions = context->functions;
	export->runs = ARRAY_OF(struct cpu_runs);
	export->tracks = span_tracks_of(writer, context->names);
	export->side_tracks = span_side_tracks_of(&export->tracks);
	return &export->callback;
}

struct track_callback *span_export_side_tracks(struct step_callback *callback)
{
	return &((struct span_export *)callback)->side_tracks.callback;
}

/* Ends the open spans of CPUs. A CPU whose events go on after the window has no
 * STEP_END.
 */
static void end_cpus(struct span_export *export, enum span_track_kind kind)
{
	const struct array *list = &export->tracks.lists[kind];
	uint64_t end_ns = export->context.end_ns;

	for (size_t i = 0; i < list->count; i++)
		end_span(export, array_at(list, i),
			 end_ns ? end_ns : export->last_ns);
}

int span_export_close(struct step_callback *callback)
{
	struct span_export *export = (struct span_export *)callback;
	int status;

	end_cpus(export, SPAN_CPU_TASKS);
	end_cpus(export, SPAN_CPU_TRACE);
	status = export->writer->finish(export->writer);
	status = status ? status : export->tracks.status;
	span_tracks_free(&export->tracks);
	array_free(&export->runs);
	free(export);
	return status;
}
