/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SPAN_EXPORT_H
#define KT_REPORT_SPAN_EXPORT_H

#include "report/timeline/lane_callback.h"
#include "report/timeline/span.h"
#include "report/timeline/timeline.h"

#include <stdint.h>

/* A track of nested spans. */
struct span_track {
	enum span_track_kind kind;
	const struct task *task; /* of a thread's track, else NULL */
	uint32_t cpu;		 /* of a CPU's track */
	uint64_t number;	 /* unique, from 1 */
	/* of a track beside a task's functions: the number of the functions'
	 * track; else 0
	 */
	uint64_t parent;
	/* contents, such as "sleeps"; NULL: functions, or running tasks */
	const char *lane;
	char name[48]; /* of the task or the CPU */
};

/* Maximum length of a name; longer names, which may hold any bytes, are cut. */
enum { SPAN_NAME_BYTES = 511 };

/* Writes spans in one format. */
struct span_writer {
	/* Set by span_export_open(); borrowed. */
	const struct function_table *functions;
	/* Called once for each track, before its first span, which is at about
	 * @time_ns.
	 */
	void (*announce)(struct span_writer *writer,
			 const struct span_track *track, uint64_t time_ns);
	void (*begin)(struct span_writer *writer,
		      const struct span_track *track, const struct span *span);
	void (*end)(struct span_writer *writer, const struct span_track *track,
		    uint64_t time_ns);
	/* Writes an instant; NULL: instants are dropped. */
	void (*mark)(struct span_writer *writer, const struct span_track *track,
		     const struct span *span);
	/* Called when a task starts (STEP_SWITCH) or stops to run, or a CPU
	 * ends; NULL: these are emitted as spans.
	 */
	void (*run)(struct span_writer *writer, const struct call_step *step);
	/* See struct lane_callback; NULL: dropped. */
	void (*waking)(struct span_writer *writer,
		       const struct lane_waking *waking);
	void (*blocked)(struct span_writer *writer,
			const struct lane_blocked *blocked);
	/* Frees the writer. Returns 0, or -ERROR_MEMORY if data was lost. */
	int (*finish)(struct span_writer *writer);
};

/* Returns the name of @function, the same pointer each time. */
const char *span_name(const struct span_writer *writer, uint32_t function);

/* Returns a callback that converts call events to spans for @writer, and takes
 * ownership of @writer; NULL when out of memory, after freeing @writer.
 */
struct step_callback *span_export_open(const struct timeline_context *context,
				       struct span_writer *writer);

/* Returns the receiver of tracks beside the functions; owner: @callback. */
struct lane_callback *span_export_lanes(struct step_callback *callback);

/* Finishes the writer and frees the callback.  Returns 0, or -ERROR_MEMORY if
 * spans were lost.
 */
int span_export_close(struct step_callback *callback);

#endif
