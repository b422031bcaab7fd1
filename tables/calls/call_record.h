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

/* The full record of one system call, in the manner of DeBox (Ruan and Pai,
 * "Making the 'Box' Transparent", USENIX 2004), which returns it to the caller.
 */
struct call_record {
	const struct system_call *call;
	const struct call_trace *trace;
	const struct sleep_places *places;
};

/* Context for writing records; all borrowed. */
struct call_record_context {
	const struct function_table *functions;
	const struct arch *arch;
	const struct task_names *names;
	const struct wakers *wakers;
	const struct call_tree *stacks; /* stacks of the sleeps */
	struct lines *lines;		/* cache of source lines */
	uint32_t max_depth;		/* of the call trace */
	bool has_off_cpu;		/* sleeps were recorded */
	FILE *out;
};

/* Returns the context for writing records of @tracker's calls; the caller must
 * set max_depth and out. Borrows both.
 */
struct call_record_context
call_record_context_of(const struct attribution_input *input,
		       const struct task_tracker *tracker);

struct sleep_place;

/* Finds the source line at which the label of @place began to sleep.
 *
 * Returns it as "kernel/time/hrtimer.c:2083" in @text, cut to @size; false if
 * debug information has none.
 */
bool call_record_line(const struct call_record_context *context,
		      const struct sleep_place *place, char *text, size_t size);

/* Writes the header of the lines of call_line_text(). */
void call_line_head(FILE *out);

/* Writes a record as one line, as strace does. */
void call_line_text(const struct call_record_context *context,
		    const struct call_record *record);

/* Writes only the call: name, arguments and result. */
void call_line_call(const struct call_record_context *context,
		    const struct system_call *call);

/* Writes a whole record as text. */
void call_record_text(const struct call_record_context *context,
		      const struct call_record *record);

/* Writes a record as a JSON object on one line, without a newline;
 * docs/formats.md describes its members.
 */
void call_record_json(const struct call_record_context *context,
		      const struct call_record *record);

#endif
