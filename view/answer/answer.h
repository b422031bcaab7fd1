/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ANSWER_H
#define KT_VIEW_ANSWER_H

#include "report/steps/call_step.h"
#include "report/steps/time_window.h"
#include "view/answer/json_out.h"
#include "view/data/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;
struct recording;
struct task_names;
struct context_kinds;

/* Decodes windows of the recording, one at a time. */
struct view_engine {
	/* Sends what happened up to @window's end, from some time before it
	 * on, to @callback; as steps tell it in the window, and open functions
	 * entered before it.  Returns 0 or a negative enum error.
	 */
	int (*run)(struct view_engine *engine, struct time_window window,
		   struct step_callback *callback);
};

/* This is what answers are made from, all borrowed. */
struct view_sources {
	struct view_summary *summary;
	struct view_engine *engine; /* NULL: the summary is all there is */
	const struct recording *recording;
	const struct function_table *functions;
	const struct context_kinds *kinds;
	const struct task_names *names;
	const char *recorder; /* see recorder_task.h */
};

/* This is what is asked for: the arguments of an address, as numbers and
 * texts.
 */
struct view_request {
	/* Returns the value of argument @name, or NULL. */
	const char *(*argument)(const struct view_request *request,
				const char *name);
	const void *ctx;
};

enum view_status {
	VIEW_OK = 200,
	VIEW_BAD = 400,
	VIEW_NOT_FOUND = 404,
	VIEW_FAILED = 500
};

/* Writes the answer to what is asked for under @path, such as "recording", as
 * JSON to @out.  What it does not like of @request it says there: {"error":…}.
 *
 * Returns VIEW_OK or another status of HTTP.
 */
enum view_status view_answer(const struct view_sources *sources,
			     const char *path,
			     const struct view_request *request, FILE *out);

#endif
