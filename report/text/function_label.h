/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_FUNCTION_LABEL_H
#define KT_REPORT_TEXT_FUNCTION_LABEL_H

/* How functions are labelled in every text: names, with the process where
 * several are shown; states of threads that stand in place of functions (enum
 * frame_state); source lines; and the bounds on deep stacks.
 *
 * Invariants:
 * 1. A number of function_table.h and a number of frame_state_function() never
 *    equal each other, so a call tree can hold both.
 * 2. A label is a name as recorded: it may hold any bytes, and its writer
 *    escapes it (name_text.h).
 * 3. No output grows with the square of a stack's depth: see the enum below.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct function_table;
struct lines;

/* The source location of a function. */
struct source_label {
	char text[512]; /* truncated if longer; "" if unknown */
};

/* Returns "fs/read_write.c:450"; "" if @lines is NULL. */
struct source_label source_label_of(struct lines *lines,
				    const struct function_table *functions,
				    uint32_t function);

/* Bounds that keep the size of every output linear in the number of calls.
 *
 * A program may recurse to any depth.  A line that is indented by its depth,
 * or that repeats its whole stack, makes an output that grows with the square
 * of the depth: 60,000 nested calls would be 10 GB of timeline.  So:
 *
 * 1. Indentation stops at DEPTH_INDENTED levels.  A deeper line begins with
 *    its depth as a number, "[65] name".
 * 2. A stack written as one text has at most STACK_ENDS frames of either end;
 *    "[N frames]" stands for the N frames between them.
 * 3. Flame graphs and folded stacks have DEPTH_DRAWN levels.  All deeper time
 *    stays, collected at the last level.
 */
enum {
	DEPTH_INDENTED = 64,
	STACK_ENDS = 64,
	DEPTH_DRAWN = 512,
};

struct depth_mark {
	char text[16];
};

/* Returns how many frames in the middle a stack of @count frames leaves out:
 * none, or several.
 */
static inline size_t stack_left_out(size_t count)
{
	return count > 2 * STACK_ENDS + 1 ? count - 2 * STACK_ENDS : 0;
}

struct stack_gap {
	char text[32];
};

/* Returns the frame "[N frames]" that stands for those left out. */
struct stack_gap stack_gap_of(size_t left_out);

/* Returns the number of levels by which a line of @depth is indented. */
static inline uint32_t depth_indent(uint32_t depth)
{
	return depth < DEPTH_INDENTED ? depth : DEPTH_INDENTED;
}

/* Returns "[@depth] " if the indentation does not show @depth, otherwise "". */
struct depth_mark depth_mark_of(uint32_t depth);

/* The states of a thread outside of functions: the innermost frame in a call
 * tree of wall time. The unknown states are in the order of enum unknown_reason
 * (attribution/time/time_span.h).
 */
enum frame_state {
	FRAME_LEFT_OUT, /* stands for the middle of a deep path */
	FRAME_USER,	/* in user code that is not traced */
	FRAME_RUNNABLE,
	FRAME_ASLEEP,
	FRAME_NOT_ASKED, /* outside of the calls chosen by --only */
	FRAME_GUEST,	 /* runs a virtual machine as its virtual CPU */
	FRAME_UNKNOWN_GAP,
	FRAME_UNKNOWN_FILTERED,
	FRAME_UNKNOWN_OFF,
	FRAME_UNKNOWN_UNTRACED,
	FRAME_UNKNOWN_NO_EVENTS,
	FRAME_UNKNOWN_LOST_EVENTS,
	FRAME_STATES,
};

/* Returns the number that represents a state in place of a function in a call
 * tree.
 */
static inline uint32_t frame_state_function(enum frame_state state)
{
	return UINT32_MAX - FRAME_STATES + (uint32_t)state;
}

/* Returns whether @function represents a state, and the state. */
bool frame_state_of(uint32_t function, enum frame_state *state);

/* The name of a function in reports. */
struct function_label {
	char text[512]; /* truncated if longer */
};

/* Returns "vfs_read"; if @pid is not negative, "137k:vfs_read" (kernel) or
 * "137u:main" (user). States have no process: "[asleep]".
 */
struct function_label function_label_of(const struct function_table *functions,
					uint32_t function, int32_t pid);

/* Like function_label_of(), with @prefix instead of the process; NULL: none. */
struct function_label
function_label_under(const struct function_table *functions, uint32_t function,
		     const char *prefix);

/* Returns only the name of the function or state (enum frame_state). */
const char *function_text(const struct function_table *functions,
			  uint32_t function);

/* Writes the name of @function, which must not be a state, as text for people
 * (NAME_TEXT).
 */
void function_name_write(const struct function_table *functions,
			 uint32_t function, FILE *out);

#endif
