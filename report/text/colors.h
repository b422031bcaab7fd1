/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_COLORS_H
#define KT_REPORT_COLORS_H

/* Highlighting of text for people: each member is the escape sequence sent
 * before the text (ECMA-48, SGR), and plain is sent after it; without colours
 * all are "".
 */
struct colors {
	const char *hot;     /* a large share of the time */
	const char *warm;    /* a noticeable share */
	const char *missing; /* missing from the trace */
	const char *faint;   /* only for orientation */
	const char *subject; /* the subject of the surrounding lines */
	const char *plain;
};

extern const struct colors colors_none;
extern const struct colors colors_of_terminal;

/* Returns the colour for a share of @percent of the time: hot from 5 on, warm
 * from 0.5 on, as in perf report, otherwise "".
 */
const char *colors_of_share(const struct colors *colors, double percent);

#endif
