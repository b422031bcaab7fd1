/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_HEAD_H
#define KT_REPORT_RECORD_HEAD_H

#include <stdbool.h>

/* The heading of a column in a table for people. */
struct record_head {
	char lines[2][64]; /* the first line is empty if one is enough */
};

/* Returns the heading of field @name: "context_switches" becomes "context
 * switches", "wall_ns", whose values have units, "wall", and "exact_percent"
 * "exact %". It has two lines if one would be wider than @width and two are
 * narrower.
 */
struct record_head record_head_of(const char *name, int width);

/* Returns the width of the heading in characters. */
int record_head_width(const struct record_head *head);

/* Returns whether @wanted, from a command line, is the name or the heading of
 * field @name.
 */
bool record_head_is(const char *name, const char *wanted);

#endif
