/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_HEAD_H
#define KT_REPORT_RECORD_HEAD_H

#include <stdbool.h>

/* A field's name over a column of a table for people. */
struct record_head {
	char lines[2][64]; /* the first one is empty if one is enough */
};

/* Returns the head of field @name: "context_switches" is "context switches",
 * "wall_ns", whose values have their units, "wall", and "exact_percent"
 * "exact %".  It has two lines where one would be wider than @width and two are
 * narrower.
 */
struct record_head record_head_of(const char *name, int width);

/* Returns the width of the head in characters. */
int record_head_width(const struct record_head *head);

/* Returns whether @wanted, from a command line, is field @name or its head. */
bool record_head_is(const char *name, const char *wanted);

#endif
