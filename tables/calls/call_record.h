/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_RECORD_H
#define KT_TABLES_CALL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct arch;
struct attribution_input;
struct call_trace;
struct call_tree;
struct function_table;
struct lines;
struct sleep_places;
struct system_call;
struct task_names;
struct task_tracker;
struct wakers;

/* All about one system call, as DeBox (Ruan and Pai, "Making the 'Box'
 * Transparent", USENIX 2004) tells it to the one who made it.
 */
struct call_record {
	const struct system_call *call;
	const struct call_trace *trace;
	const struct sleep_places *places;
};

/* This is what it is written with; all borrowed. */
struct call_record_context {
	const struct function_table *functions;
	const struct arch *arch;
	const struct task_names *names;
	const struct wakers *wakers;
	const struct call_tree *stacks; /* of the sleeps */
	struct lines *lines;		/* of source code; a cache */
	uint32_t max_depth;		/* of the trace */
	bool has_off_cpu;		/* sleeps were recorded */
	FILE *out;
};

/* Returns what records of @tracker's calls are written with; max_depth and out
 * are the caller's to set.  Borrows both.
 */
struct call_record_context
call_record_context_of(const struct attribution_input *input,
		       const struct task_tracker *tracker);

struct sleep_place;

/* Finds the line of source code at which the label of @place began to sleep.
 *
 * Returns it as "kernel/time/hrtimer.c:2083" in @text, cut to @size; false if
 * debug information does not tell.
 */
bool call_record_line(const struct call_record_context *context,
		      const struct sleep_place *place, char *text, size_t size);

/* Writes what stands over the lines of call_line_text(). */
void call_line_head(FILE *out);

/* Writes a record as one line, as strace does. */
void call_line_text(const struct call_record_context *context,
		    const struct call_record *record);

/* Writes the call alone: name, arguments and result. */
void call_line_call(const struct call_record_context *context,
		    const struct system_call *call);

/* Writes all of a record for people to read. */
void call_record_text(const struct call_record_context *context,
		      const struct call_record *record);

/* Writes it as a JSON object on one line, without an end of line; what its
 * members are, docs/formats.md says.
 */
void call_record_json(const struct call_record_context *context,
		      const struct call_record *record);

#endif
