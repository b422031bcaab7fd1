/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ANSWER_ANSWER_H
#define KT_VIEW_ANSWER_ANSWER_H

/* Answers to the page's queries, as JSON.
 *
 *   server (view/http/) --> view_answer() --> an endpoint: answer_*.c
 *                                                |          |
 *                      the summary (view/data/) <+          +> the engine, for
 *                                                              short windows
 *
 * An endpoint parses its arguments, which are untrusted, with
 * answer_json_internal.h, reads the summary, and writes the members of one
 * object. Windows that are shorter than the summary resolves are decoded
 * (struct view_engine).
 *
 * Invariants:
 * 1. Endpoints run with the summary locked, so that the first decode, which
 *    fills it in another thread, cannot change it meanwhile.
 * 2. An endpoint checks its arguments before it writes. The answer of one that
 *    fails has the member "error", and is sent with the status as HTTP code.
 * 3. Names are written by json_out.c only, which escapes them.
 */

#include "report/steps/call_step.h"
#include "view/answer/json_out_internal.h"
#include "view/data/summary.h"

struct context_kinds;
struct function_table;
struct recording;
struct task_names;
struct view_request;
struct view_sources;

enum view_status {
	VIEW_OK = 200,
	VIEW_BAD = 400,
	VIEW_NOT_FOUND = 404,
	VIEW_FAILED = 500
};

/* An endpoint of the page, with a line in answer.c's table. Writes the members
 * of an object to @json. Returns VIEW_OK; or another status, before it has
 * written anything unless memory ran out or the recording could not be read.
 * Called with the summary locked.
 */
typedef enum view_status view_answer_fn(const struct view_sources *sources,
					const struct view_request *request,
					struct json_out *json);

view_answer_fn answer_recording; /* the overview */
view_answer_fn answer_tracks;	 /* ?from&to&pixels&tracks: slices */
view_answer_fn answer_profile;	 /* ?from&to[&thread][&with_idle]
					 * [&with_tracer] */
view_answer_fn answer_sleeps;	 /* ?from&to[&thread] */
view_answer_fn answer_functions; /* ?like: names */
view_answer_fn answer_next;	 /* ?function&from[&back][&thread] */
view_answer_fn answer_annotate;	 /* ?function&from&to: instructions */
view_answer_fn answer_explain;	 /* ?from&to[&thread]: why it took so long */

/* Decodes windows of the recording, one at a time. */
struct view_engine {
	/* Decodes the recording from some time before @window up to its end,
	 * and emits the call events of the window to @callback; functions open
	 * at its start are entered before it. Returns 0 or a negative enum
	 * error.
	 */
	int (*run)(struct view_engine *engine, struct time_window window,
		   struct step_callback *callback);

	/* Decodes @window and writes how often each instruction of the
	 * functions called @name ran, as annotate_json() does, to @out. Returns
	 * 0 or a negative enum error.
	 */
	int (*annotate)(struct view_engine *engine, const char *name,
			struct time_window window, FILE *out);

	/* Decodes the recording and explains @window of thread @tid, 0: of the
	 * command, as `explain --format=json` does, in *@text, which the caller
	 * frees. Returns 0 or a negative enum error.
	 */
	int (*explain)(struct view_engine *engine, struct time_window window,
		       int32_t tid, char **text);
};

/* The sources of answers, all borrowed. */
struct view_sources {
	struct view_summary *summary;
	struct view_engine *engine; /* NULL: only the summary is available */
	const struct recording *recording;
	const struct function_table *functions;
	const struct context_kinds *kinds;
	const struct task_names *names;
	/* command line of the recorder; see task_choice.h */
	const char *recorder;
};

/* A query's arguments, numbers and strings. */
struct view_request {
	/* Returns the value of argument @name, or NULL. */
	const char *(*argument)(const struct view_request *request,
				const char *name);
	const void *ctx;
};

/* Writes the answer to the query at @path, such as "recording", as JSON to
 * @out. If the query fails, the answer has the member "error". Returns VIEW_OK
 * or another HTTP status.
 */
enum view_status view_answer(const struct view_sources *sources,
			     const char *path,
			     const struct view_request *request, FILE *out);

#endif
