/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SPAN_EXPORT_H
#define KT_REPORT_SPAN_EXPORT_H

#include "report/timeline/lane_callback.h"
#include "report/timeline/span.h"
#include "report/timeline/timeline.h"

#include <stdint.h>

/* A row of spans, which nest. */
struct span_track {
	enum span_track_kind kind;
	const struct task *task; /* of a thread's rows, else NULL */
	uint32_t cpu;		 /* of the others */
	uint64_t number;	 /* unlike all others', from 1 */
	uint64_t parent;	 /* of a row beside a task's functions:
					 * the number of theirs; else 0 */
	const char *lane;	 /* what it shows, as "sleeps"; NULL:
					 * functions, or who runs */
	char name[48];		 /* of the task or the CPU */
};

/* Names may hold any bytes; so many are shown. */
enum { SPAN_NAME_BYTES = 511 };

/* Writes spans in one format. */
struct span_writer {
	/* Set by span_export_open(); borrowed. */
	const struct function_table *functions;
	/* Each track is announced once, before its first span, at about
	 * @time_ns.
	 */
	void (*announce)(struct span_writer *writer,
			 const struct span_track *track, uint64_t time_ns);
	void (*begin)(struct span_writer *writer,
		      const struct span_track *track, const struct span *span);
	void (*end)(struct span_writer *writer, const struct span_track *track,
		    uint64_t time_ns);
	/* A moment; NULL: not wanted. */
	void (*mark)(struct span_writer *writer, const struct span_track *track,
		     const struct span *span);
	/* A task begins (STEP_SWITCH) or stops to run, or a CPU ends; NULL: not
	 * wanted, but as spans.
	 */
	void (*run)(struct span_writer *writer, const struct call_step *step);
	/* As in struct lane_callback; NULL: not wanted. */
	void (*waking)(struct span_writer *writer,
		       const struct lane_waking *waking);
	void (*blocked)(struct span_writer *writer,
			const struct lane_blocked *blocked);
	/* Frees it.  Returns 0, or -ERROR_MEMORY if something is missing. */
	int (*finish)(struct span_writer *writer);
};

/* Returns the name of @function, which is always the same. */
const char *span_name(const struct span_writer *writer, uint32_t function);

/* Returns a callback that turns steps into spans for @writer, which it owns
 * from now on; NULL when out of memory, @writer then being freed.
 */
struct step_callback *span_export_open(const struct timeline_context *context,
				       struct span_writer *writer);

/* Returns what takes rows beside the functions; owner: @callback. */
struct lane_callback *span_export_lanes(struct step_callback *callback);

/* Finishes the writer and frees the callback.  Returns 0, or -ERROR_MEMORY if
 * spans were lost.
 */
int span_export_close(struct step_callback *callback);

#endif
