/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_SENTENCES_INTERNAL_H
#define KT_EXPLAIN_SENTENCES_INTERNAL_H

#include "explain/causes_internal.h"
#include "explain/remarks_internal.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The words of explanations: sentences about causes, their parts and sleeps,
 * for text and for JSON.
 */

/* The part of the recording that is explained. */
enum subject {
	SUBJECT_COMMAND, /* the recorded command */
	SUBJECT_CHOSEN,	 /* tasks that options choose */
	SUBJECT_ALL,	 /* no command is known: any program */
	SUBJECT_REQUEST,
};

struct waited_for {
	uint32_t thread;
	/* the thread is inferred to be the other end of a pipe; false: it is a
	 * child
	 */
	bool is_pipe;
};

/* A critical path, ready to be written. */
struct explanation {
	const struct attribution_input *input;
	enum subject subject;
	const char *program; /* the program whose end is explained */
	int32_t pid;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t request; /* SUBJECT_REQUEST: its number */
	bool is_cut;	  /* it had not ended at end_ns */
	struct causes causes;
	/* struct crash, with borrowed texts: processes that a signal ended */
	struct array crashes;
	struct last_worker last_worker;
	/* the thread whose event loop was blocked longest (its number in
	 * lives_internal.h), or LIFE_NONE, and the sums of the critical path that
	 * ends there
	 */
	uint32_t held;
	struct causes held_causes;
	/* struct waited_for: the process that the program waited for at the
	 * end, then the one that this process waited for, and so on
	 */
	struct array waited_for;
};

enum { WIDTH = 100 }; /* bytes of a line of text */

enum file_style {
	FILE_WHOLE,
	FILE_SHORT, /* the last name of a path */
	FILE_MANY,  /* no name: the calls are about several files */
	FILE_NONE,
};

/* A line of text; text_line_write() cuts it at WIDTH. */
struct text_line {
	char text[1024];
	size_t size;
	enum file_style style; /* style of the files of system calls */
};

void __attribute__((format(printf, 2, 3)))
text_line_add(struct text_line *line, const char *format, ...);

/* Add a name from the recording, or its first @length bytes, with control
 * characters escaped. At most 64 bytes of it are added.
 */
void text_line_name(struct text_line *line, const char *name);
void text_line_part(struct text_line *line, const char *name, size_t length);

/* Writes @line and a newline. A longer line than WIDTH is cut and ends in
 * "...".
 */
void text_line_write(struct text_line *line, FILE *out);

/* Returns @time_ns of the recording's clock in seconds since the recording's
 * start, as printed.
 */
double sentence_seconds(const struct explanation *explanation,
			uint64_t time_ns);

/* Adds @before and the sentence_seconds() of @time_ns. */
void sentence_time(struct text_line *line,
		   const struct explanation *explanation, const char *before,
		   uint64_t time_ns);

const struct function_table *
explanation_functions(const struct explanation *explanation);

/* Returns whether @function is a known function, so that it has a name. */
bool explanation_knows(const struct explanation *explanation,
		       uint32_t function);

/* Returns the details of all causes. */
const struct cause_detail *
explanation_details(const struct explanation *explanation, size_t *count);

/* Returns the name of a system call, by its number in the lives of the causes
 * (lives_internal.h); NULL if unknown. sentence_call_file() returns its file.
 */
const char *sentence_call_name(const struct explanation *explanation,
			       uint32_t call);
const char *sentence_call_file(const struct explanation *explanation,
			       uint32_t call);

/* Returns the function of the failed call after which a program slept until its
 * next try, if that is known; else FUNCTION_NONE.
 */
uint32_t sentence_refused(const struct explanation *explanation,
			  const struct cause_detail *detail);

/* Adds where a thread slept: the system call @call (its number in the lives), or
 * else the function @inside, of the fault or other kernel work that it was in;
 * and the position in the program: the function @user and the bytes from its
 * start.
 */
void sentence_sleep(struct text_line *line,
		    const struct explanation *explanation, uint32_t call,
		    uint32_t inside, uint32_t user, uint32_t user_offset);

/* Adds the largest details of @cause. Returns whether it added any. */
bool sentence_details(struct text_line *line,
		      const struct explanation *explanation,
		      const struct cause *cause);

/* Adds the greatest sums of the causes from number @first on, by enum why:
 * "system calls 3.10 s, waits for the disk 1.20 s".
 */
void sentence_rest(struct text_line *line,
		   const struct explanation *explanation, size_t first);

/* Adds "No function names (see --debuginfod): git, libz.so.1": the files of
 * programs with functions that no symbol names, the longest-running first.
 * Returns false if all these functions of @details ran for less than @least_ns.
 */
bool sentence_nameless(struct text_line *line,
		       const struct function_table *functions,
		       const struct cause_detail *details, size_t count,
		       uint64_t least_ns);

/* Returns a short name of @why: "disk", "lock" ... */
const char *why_name(uint32_t why);

/* Adds the sentence about @cause. */
void sentence_cause(struct text_line *line,
		    const struct explanation *explanation,
		    const struct cause *cause);

/* Adds the command that shows the evidence for @cause. */
void sentence_command(struct text_line *line,
		      const struct explanation *explanation,
		      const struct cause *cause);

/* Adds "187 ms of this are 60 short processes, 3.12 ms each, with the most time
 * in basename." Returns false if there are no such processes.
 */
bool sentence_processes(struct text_line *line,
			const struct explanation *explanation);

#endif
