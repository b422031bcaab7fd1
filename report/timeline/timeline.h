/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIMELINE_H
#define KT_REPORT_TIMELINE_H

/* The renderers of timelines: a callback for call events that writes each as it
 * is emitted, so that memory does not grow with the trace.
 *
 *  call events --> step_select.h --> open(): struct step_callback --> out
 *                                    close(): the rest, and errors
 *  system calls, sleeps, interrupts --> side_tracks(): tracks beside functions
 *  (tables/side_tracks.h)
 *
 * timeline.c lists them by command and format: a new format is a struct
 * timeline_renderer and a line there. Formats for viewers are span writers
 * (span_export.h).
 *
 * Errors: -ERROR_MEMORY from close() if data was lost; errors of writing stay
 * in the FILE (ferror), or are -ERROR_SYSTEM from close() for a folder.
 */

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdio.h>

struct colors;
struct function_table;
struct track_callback;
struct lines;
struct log;
struct output_folder;
struct recording_info;
struct task_names;
struct time_unit;

/* Totals of an export. */
struct timeline_summary {
	uint64_t slices;
	uint64_t bytes;
};

/* The recorded arguments and result of a call, as text. */
struct call_note {
	const char *arguments;
	const char *result; /* NULL: unknown */
};

/* Finds records of calls besides the trace: record --args. */
struct call_notes {
	/* Sets *@note for the call of @function by thread @tid that began at
	 * @begin_ns. Returns false if nothing was recorded of it.
	 */
	bool (*find)(const struct call_notes *notes, int32_t tid,
		     uint32_t function, uint64_t begin_ns,
		     struct call_note *note);
};

/* The context of timeline renderers; all borrowed. */
struct timeline_context {
	const struct function_table *functions;
	struct lines *lines; /* NULL: no source lines */
	const struct task_names *names;
	const struct call_notes *notes; /* NULL: there are none */
	const struct time_unit *unit;	/* of the events' times */
	/* text shows times relative to this one; 0: it shows absolute times */
	uint64_t origin_ns;
	/* functions are written as 137k:vfs_read */
	bool by_process;
	/* End of the time window, where spans of CPUs end that are still open;
	 * 0: they end at the last event.
	 */
	uint64_t end_ns;
	const struct colors *colors; /* of text */
	FILE *out;		     /* NULL for formats that write a folder */
	/* the folder that such formats write, and the log for its errors; else
	 * NULL
	 */
	const struct output_folder *folder;
	const struct log *log;
	/* CLOCK_REALTIME minus the recording's clock; 0: unknown */
	uint64_t epoch_ns;
	/* the traced machine; NULL: unknown */
	const struct recording_info *info;
	bool may_start_thread; /* for formats that compress */
	/* NULL: not needed; filled in by formats that count */
	struct timeline_summary *summary;
};

/* Renders call events as they are emitted. Each format has one. */
struct timeline_renderer {
	const char *command; /* command that has the format */
	const char *format;
	bool needs_time; /* the format has no units other than time */
	bool is_folder;	 /* the output is a folder of files */
	bool has_notes;	 /* the format shows timeline_context.notes */
	/* Unless the user chooses, shorter functions are left out, since the
	 * programs that read the format cannot load as many; 0: none are.
	 */
	uint64_t default_min_ns;
	/* Returns the callback for the call events, NULL when out of memory. */
	struct step_callback *(*open)(const struct timeline_context *context);
	/* Writes buffered data and frees the callback.
	 *
	 * Returns 0; -ERROR_MEMORY if data was lost; or -ERROR_SYSTEM, with
	 * the message in the log, if a folder could not be written.
	 */
	int (*close)(struct step_callback *callback);
	/* Returns the receiver of tracks beside the functions, owned by
	 * @callback. NULL: the format has none.
	 */
	struct track_callback *(*side_tracks)(struct step_callback *callback);
};

/* Returns the renderer, or NULL if the format does not exist. */
const struct timeline_renderer *timeline_renderer_find(const char *command,
						       const char *format);

extern const struct timeline_renderer timeline_text;
extern const struct timeline_renderer timeline_raw;
extern const struct timeline_renderer timeline_csv;
extern const struct timeline_renderer timeline_json;
extern const struct timeline_renderer export_csv;
extern const struct timeline_renderer export_json;
extern const struct timeline_renderer export_ndjson;
extern const struct timeline_renderer export_chrome;
extern const struct timeline_renderer export_ctf;
extern const struct timeline_renderer export_firefox;
extern const struct timeline_renderer export_perfetto;
extern const struct timeline_renderer export_trace_dat;

#endif
