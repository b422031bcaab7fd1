/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_RECORDED_H
#define KT_TABLES_RECORDED_H

#include "attribution/events/known_events.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct attribution_input;

/* Explains empty tables and columns, by one of three sentences.
 *
 * 1. Not recorded. "Not recorded: COLUMNS: REASON (COMMAND)." The recording
 *    lacks the data. The reason and the command follow from the facts of the
 *    recording: COMMAND also records the events that the recording has, is one
 *    of the program that made the recording, and is left out if no command
 *    helps, for example if the traced kernel lacks the event.
 * 2. Recorded, and none. "No lock was waited for."
 *    "No lock was waited for, in the records that were not lost." if the buffer
 *    was too small for all records.
 * 3. Left out by the options. "No lock was waited for by the tasks, on the CPUs
 *    and in the time that your options choose."
 *
 * Where all rows need an event that was not recorded, only 1 is written.
 */

/* The program that made a recording: advice names its commands. */
enum recorder {
	RECORDER_OURS,
	RECORDER_PERF,
	RECORDER_TRACE_CMD, /* only a trace.dat */
};

/* The facts of a recording on which tables depend. */
struct recorded {
	enum recorder recorder;
	enum recording_arch arch;
	uint32_t linux_version; /* 0x060c: Linux 6.12; 0: unknown */
	bool has_kernel;	/* the kernel's functions were traced */
	bool has_user;		/* user functions were traced */
	bool has_functions;	/* any function was traced */
	bool has_user_stacks;
	uint64_t events; /* bits by enum known_event */
};

_Static_assert(KNOWN_EVENTS <= 64, "struct recorded has a bit for each");

/* Needs of a column besides events. */
enum {
	RECORDED_KERNEL = KNOWN_EVENTS, /* functions of the kernel */
	/* functions of the kernel or of programs */
	RECORDED_FUNCTIONS,
	/* user stacks at system calls, or user functions in the trace */
	RECORDED_USER_STACKS,
	/* record --trigger. Always counts as missing: tables pass this need
	 * only for recordings without triggers.
	 */
	RECORDED_TRIGGERS,
};

/* A need of a table: one of two events, or an enum value above. */
struct table_need {
	const char *columns; /* as the table names them */
	int event;	     /* enum known_event, or RECORDED_* */
	int or_event;	     /* alternative to event; 0: none */
	bool is_all;	     /* no row without it */
};

struct recorded recorded_of(const struct recording *recording,
			    const struct known_events *events);

/* Returns whether @recorded satisfies @need. */
bool recorded_has(const struct recorded *recorded,
		  const struct table_need *need);

/* Writes sentence 1 about all @count @needs, which @recorded lacks: one line
 * for all needs that the same command records, and one for each other.
 */
void recorded_missing_all(const struct recorded *recorded,
			  const struct table_need *needs, size_t count,
			  FILE *out);

/* Returns sentence 1 about @need without a newline; the caller frees it. NULL
 * when out of memory.
 */
char *recorded_missing_text(const struct recorded *recorded,
			    const struct table_need *need);

/* Writes sentence 1 about those of the @count @needs that @recorded lacks, like
 * recorded_missing_all(). If no rows are possible without one of these
 * (is_all), writes only about the first such need, and returns false. Otherwise
 * returns true.
 */
bool recorded_explain(const struct recorded *recorded,
		      const struct table_need *needs, size_t count, FILE *out);

/* Writes all notes below a table of @rows rows: 2 or 3 if rows were possible and
 * @rows is 0, sentence 1 about the @count @needs that are missing, the number
 * of lost records. @none is "No lock was waited for", without a full stop.
 */
void recorded_table(const struct attribution_input *input,
		    const struct table_need *needs, size_t count, uint64_t rows,
		    const char *none, FILE *out);

/* Writes sentence 2, or 3 if the options of @input choose tasks, CPUs or a
 * time. @none is "No lock was waited for", without a full stop.
 */
void recorded_none(const struct attribution_input *input, const char *none,
		   FILE *out);

#endif
