/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_CRASH_LINES_INTERNAL_H
#define KT_EXPLAIN_CRASH_LINES_INTERNAL_H

#include "explain/sentences_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The lines of an explanation about processes that a signal ended, in two groups:
 * ended by the parent or a sibling, as a server ends its workers ("by family"),
 * and ended otherwise. Writers whose reader ends first, as in "sort | head", are
 * in neither.
 */

struct crash;

/* Returns the number of processes in the group. */
size_t crash_lines_count(const struct explanation *explanation,
			 bool is_by_family);

/* Writes the first processes of the group, the number of the others, and the
 * command that lists all, with @before and @after around them; nothing if the
 * group is empty.
 */
void crash_lines_write(const struct explanation *explanation, bool is_by_family,
		       const char *before, const char *after, FILE *out);

/* Adds "sh (process 7) was ended by SIGSEGV, at 0.100000 s, in poke". JSON has
 * the time as a member instead: @has_time is false.
 */
void crash_lines_add(struct text_line *line,
		     const struct explanation *explanation,
		     const struct crash *crash, bool has_time);

/* Adds the innermost function of the program when it crashed, if it was
 * recorded. Returns false if it was not.
 */
bool crash_lines_add_place(struct text_line *line, const struct crash *crash);

#endif
