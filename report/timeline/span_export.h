/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SPAN_EXPORT_H
#define KT_REPORT_SPAN_EXPORT_H

#include "report/timeline/timeline.h"

#include <stdint.h>

enum span_track_kind {
	SPAN_TASK,		/* the functions of one task */
	SPAN_CPU_TASKS,		/* the tasks that run on one CPU */
	SPAN_CPU_TRACE,		/* where one CPU's trace is not complete, or
				 * does not show what runs */
};

/* A row of spans, which nest. */
struct span_track {
	enum span_track_kind kind;
	const struct task *task;	/* of SPAN_TASK, else NULL */
	uint32_t cpu;			/* of the others */
	uint64_t number;		/* unlike all others', from 1 */
	char name[48];
};

/* Names may hold any bytes; so many are shown. */
enum { SPAN_NAME_BYTES = 511 };

/* Writes spans in one format. */
struct span_writer {
	/* Set by span_export_open(); borrowed. */
	const struct function_table *functions;
	/* Each track is announced once, before its first span at @time_ns. */
	void (*announce)(struct span_writer *writer,
			 const struct span_track *track, uint64_t time_ns);
	/* @name is NULL for a function, which span_name() names. */
	void (*begin)(struct span_writer *writer,
		      const struct span_track *track, uint64_t time_ns,
		      uint32_t function, const char *name,
		      const char *category);
	void (*end)(struct span_writer *writer, const struct span_track *track,
		    uint64_t time_ns);
	/* A task begins (STEP_SWITCH) or stops to run, or a CPU ends; NULL: not
	 * wanted, but as spans.
	 */
	void (*run)(struct span_writer *writer, const struct call_step *step);
	/* Frees it.  Returns 0, or -ERROR_MEMORY if something is missing. */
	int (*finish)(struct span_writer *writer);
};

/* Returns the name of @function, which is always the same. */
const char *span_name(const struct span_writer *writer, uint32_t function);

/* Returns a sink that turns steps into spans for @writer, which it owns from
 * now on; NULL when out of memory, @writer then being freed.
 */
struct step_sink *span_export_open(const struct timeline_context *context,
				   struct span_writer *writer);

/* Finishes the writer and frees the sink.  Returns 0, or -ERROR_MEMORY if
 * spans were lost.
 */
int span_export_close(struct step_sink *sink);

#endif
