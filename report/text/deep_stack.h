/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DEEP_STACK_H
#define KT_REPORT_DEEP_STACK_H

#include <stddef.h>
#include <stdint.h>

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

/* Returns how many frames in the middle a stack of @count frames leaves out: none,
 * or several.
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

#endif
