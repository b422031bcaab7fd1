/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIMELINE_H
#define KT_REPORT_TIMELINE_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdio.h>

struct colors;
struct function_table;
struct lane_callback;
struct lines;
struct task_names;
struct time_unit;

/* This is what came of an export. */
struct timeline_summary {
	uint64_t slices;
	uint64_t bytes;
};

/* This is what timeline renderers write with; all borrowed. */
struct timeline_context {
	const struct function_table *functions;
	struct lines *lines; /* NULL: source lines are not wanted */
	const struct task_names *names;
	const struct time_unit *unit; /* of the steps' times */
	bool by_process;	      /* functions are written 137k:vfs_read */
	const struct colors *colors;  /* of text */
	FILE *out;
	struct timeline_summary *summary; /* NULL: not wanted; filled in
						 * by formats that count */
};

/* Renders steps as they come.  Each format fills one. */
struct timeline_renderer {
	const char *command; /* that offers it */
	const char *format;
	bool needs_time; /* cannot say that it counts something else */
	/* Returns the callback for the steps, NULL when out of memory. */
	struct step_callback *(*open)(const struct timeline_context *context);
	/* Writes what is left and frees the callback.
	 *
	 * Returns 0, or -ERROR_MEMORY if something could not be written.
	 */
	int (*close)(struct step_callback *callback);
	/* Returns what takes rows beside the functions, which @callback, of
	 * open(), owns.  NULL: the format has none.
	 */
	struct lane_callback *(*lanes)(struct step_callback *callback);
};

/* Returns the renderer, or NULL if there is none. */
const struct timeline_renderer *timeline_renderer_find(const char *command,
						       const char *format);

extern const struct timeline_renderer timeline_text;
extern const struct timeline_renderer timeline_raw;
extern const struct timeline_renderer timeline_csv;
extern const struct timeline_renderer timeline_json;
extern const struct timeline_renderer export_csv;
extern const struct timeline_renderer export_json;
extern const struct timeline_renderer export_chrome;
extern const struct timeline_renderer export_perfetto;

#endif
