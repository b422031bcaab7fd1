/* SPDX-License-Identifier: MIT */
#include "cmd/report/timeline_command.h"

#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "attribution/trackers.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "decoder/recording/recording.h"
#include "execution/stream/segment_ring.h"
#include "report/steps/step_select.h"
#include "report/steps/task_stacks.h"
#include "report/text/duration_text.h"
#include "report/timeline/timeline.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_name.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/read_calls.h"
#include "tables/side_tracks.h"
#include "tables/table.h"

#include <inttypes.h>
#include <stdlib.h>

/* The tracks that a timeline shows beside functions. They are made in the same
 * pass, by a callback that passes call events to @next and joins them with the
 * kernel's events. It has no is_done: an event may report much later what
 * happened to a thread.
 */
struct timeline_tracks {
	struct step_callback callback;
	struct step_callback *next;
	struct known_events *events;
	struct context_kinds *kinds;
	struct attribution_input input;
	struct side_tracks *side_tracks;
	struct step_join *join;
};

struct timeline_tracks;

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct timeline_tracks *tracks = (struct timeline_tracks *)callback;
	struct step_callback *join = step_join_callback(tracks->join);

	if (step->kind != STEP_INTERRUPTS)
		tracks->next->consume(tracks->next, step);
	join->consume(join, step);
}

static bool open_parts(struct timeline_tracks *tracks, uint64_t min_ns,
		       struct track_callback *callback)
{
	const struct side_tracks_options options = {
		.input = &tracks->input,
		.min_ns = min_ns,
	};

	if (!tracks->events || !tracks->kinds)
		return false;
	tracks->input.trackers = trackers_new(&tracks->input);
	if (tracks->input.trackers)
		tracks->side_tracks = side_tracks_new(&options, callback);
	if (!tracks->side_tracks)
		return false;
	tracks->join = trackers_join(tracks->input.trackers);
	return tracks->join;
}

static void timeline_tracks_free(struct timeline_tracks *tracks)
{
	if (!tracks)
		return;
	step_join_free(tracks->join);
	side_tracks_free(tracks->side_tracks);
	trackers_free(tracks->input.trackers);
	context_kinds_free(tracks->kinds);
	known_events_free(tracks->events);
	free(tracks);
}

/* Returns tracks that are emitted to @callback; call events are passed to
 * @next. Borrows all arguments. Returns NULL when out of memory.
 */
static struct timeline_tracks *
timeline_tracks_new(const struct session *session, uint64_t min_ns,
		    struct track_callback *callback, struct step_callback *next)
{
	struct timeline_tracks *tracks = calloc(1, sizeof(*tracks));

	if (!tracks)
		return NULL;
	tracks->callback.consume = consume;
	tracks->callback.needs_begin = true;
	tracks->next = next;
	tracks->events = known_events_new(session->recording);
	tracks->kinds = context_kinds_new(symbols_functions(session->symbols),
					  symbols_arch(session->symbols));
	tracks->input = (struct attribution_input){
		.recording = session->recording,
		.symbols = session->symbols,
		.names = session->names,
		.events = tracks->events,
		.kinds = tracks->kinds,
		.filter = &session->filter,
		.window = session->window,
		.origin_ns = session->origin_ns,
	};
	if (open_parts(tracks, min_ns, callback)) {
		tracks->callback.wants_interrupts =
			step_join_callback(tracks->join)->wants_interrupts;
		return tracks;
	}
	timeline_tracks_free(tracks);
	return NULL;
}

/* Returns the callback that consumes the pass's call events. */
static struct step_callback *
timeline_tracks_callback(struct timeline_tracks *tracks)
{
	return &tracks->callback;
}

/* Emits the remaining tracks. Returns 0 or -ERROR_MEMORY. */
static int timeline_tracks_end(struct timeline_tracks *tracks)
{
	int status = step_join_end(tracks->join);
	int next = trackers_end(tracks->input.trackers);

	status = status ? status : next;
	next = side_tracks_end(tracks->side_tracks);
	return status ? status : next;
}

/* The recorded arguments and results of calls. A separate pass finds them
 * before the timeline is written, because a call's result is known only after
 * its start was written.
 */
struct recorded_notes {
	struct call_notes notes;
	struct read_calls *calls;
};

static bool find_note(const struct call_notes *notes, int32_t tid,
		      uint32_t function, uint64_t begin_ns,
		      struct call_note *note)
{
	const struct read_call *call =
		read_calls_find(((const struct recorded_notes *)notes)->calls,
				tid, function, begin_ns);

	if (call)
		*note = (struct call_note){ call->arguments, call->result };
	return call;
}

static int run_notes(const struct session *session,
		     const struct attribution_input *input,
		     struct recorded_notes *notes)
{
	struct step_join *join;
	struct task_stacks *stacks = NULL;
	struct array *list;
	int status = -ERROR_MEMORY;

	notes->calls = read_calls_new(input);
	join = notes->calls ? trackers_join(input->trackers) : NULL;
	if (join)
		status = pipeline_run(session, step_join_callback(join),
				      &stacks);
	if (!status)
		status = step_join_end(join);
	if (!status)
		status = read_calls_end(notes->calls, &list);
	task_stacks_free(stacks);
	step_join_free(join);
	return status;
}

/* Finds the arguments, if any were recorded. Returns 0 or a negative enum error;
 * the caller must free notes->calls in any case.
 */
static int recorded_notes_open(const struct session *session,
			       struct recorded_notes *notes)
{
	struct known_events *events = known_events_new(session->recording);
	struct context_kinds *kinds =
		context_kinds_new(symbols_functions(session->symbols),
				  symbols_arch(session->symbols));
	struct attribution_input input = {
		.recording = session->recording,
		.symbols = session->symbols,
		.names = session->names,
		.events = events,
		.kinds = kinds,
		.filter = &session->filter,
		.window = session->window,
	};
	int status = events && kinds ? 0 : -ERROR_MEMORY;

	*notes = (struct recorded_notes){ .notes.find = find_note };
	if (!status && known_events_has(events, EVENT_CALL_ARGUMENTS)) {
		input.trackers = trackers_new(&input);
		status = input.trackers ? run_notes(session, &input, notes) :
					  -ERROR_MEMORY;
		trackers_free(input.trackers);
	}
	context_kinds_free(kinds);
	known_events_free(events);
	return status;
}

static int out_of_memory(void)
{
	say("out of memory");
	return EXIT_FAILED;
}

/* Runs the pass: recording -> call events -> selected call events -> renderer.
 */
static int run_selected(const struct session *session,
			const struct step_select_options *options,
			struct step_callback *callback,
			struct track_callback *track_callback)
{
	struct step_select *select = step_select_new(
		options, symbols_functions(session->symbols), callback);
	struct step_callback *first = select ? step_select_callback(select) :
					       NULL;
	struct timeline_tracks *tracks = NULL;
	struct task_stacks *stacks = NULL;
	int status = 0;

	if (select && track_callback) {
		tracks = timeline_tracks_new(session, options->min_ns,
					     track_callback, first);
		first = tracks ? timeline_tracks_callback(tracks) : NULL;
	}
	if (!first)
		status = out_of_memory();
	if (!status)
		status = run_pipeline(session, first, &stacks);
	if (!status && tracks && timeline_tracks_end(tracks) < 0)
		status = out_of_memory();
	if (!status && step_select_end(select) < 0)
		status = out_of_memory();
	timeline_tracks_free(tracks);
	task_stacks_free(stacks);
	step_select_free(select);
	return status;
}

/* Returns the callback for tracks beside functions, or NULL. Tracks need the
 * whole recording: a limit on the number of functions is not a time window, so
 * it disables them.
 */
static struct track_callback *
side_tracks_of(const struct timeline_renderer *renderer,
	       struct step_callback *callback,
	       const struct timeline_options *timeline,
	       const struct step_select_options *options)
{
	if (!renderer->side_tracks || timeline->functions_only ||
	    options->max_count != UINT64_MAX)
		return NULL;
	return renderer->side_tracks(callback);
}

/* Returns the time at which the timeline ends; 0: unknown, as a limit on the
 * number of functions may end it before the window does.
 */
static uint64_t window_end(const struct step_select_options *options)
{
	bool is_limited = options->max_count != UINT64_MAX ||
			  options->window.until_ns == UINT64_MAX;

	return is_limited ? 0 : options->window.until_ns;
}

static int close_renderer(const struct timeline_renderer *renderer,
			  struct step_callback *callback)
{
	int error = renderer->close(callback);

	if (error == -ERROR_MEMORY)
		return out_of_memory();
	return error < 0 ? EXIT_FAILED : 0;
}

static int render_session(const struct session *session,
			  const struct output_folder *folder,
			  const struct timeline_options *timeline,
			  const struct step_select_options *options,
			  const struct timeline_renderer *renderer,
			  struct timeline_summary *summary)
{
	struct clock_readings clock;
	struct timeline_context context = {
		.functions = symbols_functions(session->symbols),
		.lines = session->lines,
		.names = session->names,
		.unit = time_unit_of(session->recording),
		.origin_ns = session->origin_ns,
		.by_process = step_filter_has_tasks(&session->filter),
		.end_ns = window_end(options),
		.colors = session->colors,
		.out = session->out,
		.folder = folder,
		.log = &console_log,
		.may_start_thread = jobs_count(session->jobs) > 1,
		.info = recording_info(session->recording),
		.summary = summary,
	};
	struct recorded_notes notes = { 0 };
	struct step_callback *callback;
	int status = 0;
	int closed;

	recording_clock_read(session->recording, &clock);
	if (clock.begin.is_known)
		context.epoch_ns = (uint64_t)clock_reading_offset(&clock.begin);
	if (renderer->has_notes)
		status = recorded_notes_open(session, &notes);
	context.notes = notes.calls ? &notes.notes : NULL;
	/* Other errors occur again in the next pass, which reports them. */
	callback = status == -ERROR_MEMORY ? NULL : renderer->open(&context);
	if (!callback) {
		read_calls_free(notes.calls);
		return out_of_memory();
	}
	status = run_selected(session, options, callback,
			      side_tracks_of(renderer, callback, timeline,
					     options));
	closed = close_renderer(renderer, callback);
	read_calls_free(notes.calls);
	return status ? status : closed;
}

/* Like render_session(), into the new folder @path, which is removed after a
 * failure.
 */
static int render_folder(const struct session *session, const char *path,
			 const struct timeline_options *timeline,
			 const struct step_select_options *options,
			 const struct timeline_renderer *renderer,
			 struct timeline_summary *summary)
{
	struct output_folder folder;
	int status = EXIT_FAILED;

	if (output_folder_make(&folder, path, &console_log) < 0)
		return status;
	status = render_session(session, &folder, timeline, options, renderer,
				summary);
	if (status)
		output_folder_discard(&folder);
	else
		output_folder_close(&folder);
	return status;
}

/* Prints a summary of an exported file: its contents and omissions. */
static void say_summary(const struct timeline_summary *summary, uint64_t min_ns)
{
	say("%" PRIu64 " slices, %.1f MB (%.1f bytes each); %s%s%s",
	    summary->slices, (double)summary->bytes / 1e6,
	    summary->slices ? (double)summary->bytes / (double)summary->slices :
			      0,
	    min_ns ? "those shorter than " : "",
	    min_ns ? duration_text_of(min_ns).text : "--min-duration",
	    min_ns ? " are left out" : " leaves out short ones");
}

static bool has_any(const struct function_table *functions,
		    const struct name_choice *choice)
{
	for (uint32_t i = 0; i < function_count(functions); i++)
		if (function_is_chosen(function_at(functions, i), choice))
			return true;
	return false;
}

/* Prints a message if no function of the recording's kernel and programs
 * matches @choice.
 *
 * Returns true if one matches or if @choice is empty.
 */
static bool check_names(const struct session *session, const char *what,
			const struct name_choice *choice)
{
	if (!name_choice_is_made(choice) ||
	    has_any(symbols_functions(session->symbols), choice))
		return true;
	say("%s: the recorded kernel and programs have no function '%s'", what,
	    name_choice_first(choice));
	return false;
}

/* Selectors expect NULL for an empty choice. */
static const struct name_choice *made(const struct name_choice *choice)
{
	return name_choice_is_made(choice) ? choice : NULL;
}

/* Returns the duration below which functions are left out. */
static uint64_t shortest(const struct session *session,
			 const struct timeline_options *timeline,
			 const struct timeline_renderer *renderer)
{
	if (timeline->has_min ||
	    recording_time(session->recording) != RECORDING_TIME_NANOSECONDS)
		return timeline->min_ns;
	return renderer->default_min_ns;
}

int run_timeline_command(const struct report_options *options,
			 const struct timeline_options *timeline,
			 const struct timeline_renderer *renderer)
{
	struct session session;
	int status = renderer->is_folder ?
			     session_open_input(&session, options) :
			     session_open(&session, options);
	const uint64_t min_ns = status ? 0 :
					 shortest(&session, timeline, renderer);
	const struct step_select_options select = {
		.filter = &session.filter,
		.window = session.window,
		.shown = made(&timeline->functions),
		.hidden = made(&timeline->hidden),
		.max_depth = timeline->max_depth,
		.min_ns = min_ns,
		.max_count = options->top,
	};
	struct timeline_summary summary = { 0 };

	if (!status && renderer->needs_time)
		status = session_needs_time(&session, "--format",
					    renderer->format);
	if (!status && timeline->min_ns)
		status = session_needs_time(&session, "--min-duration", "");
	if (!status &&
	    !check_names(&session, "--function", &timeline->functions))
		status = EXIT_FAILED;
	if (!status)
		check_names(&session, "note: --hide", &timeline->hidden);
	if (!status && renderer->is_folder)
		status = render_folder(&session, options->output, timeline,
				       &select, renderer, &summary);
	else if (!status)
		status = render_session(&session, NULL, timeline, &select,
					renderer, &summary);
	if (!status && summary.bytes)
		say_summary(&summary, min_ns);
	if (!status && min_ns && !timeline->has_min)
		say("functions shorter than %s are left out; "
		    "--min-duration=0 keeps them",
		    duration_text_of(min_ns).text);
	return session_finish(&session, status);
}

const char *timeline_read_min(void *options, char *argument)
{
	struct timeline_options *timeline = options;

	timeline->has_min = true;
	return option_read_duration(&timeline->min_ns, argument);
}
