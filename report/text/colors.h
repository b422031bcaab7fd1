/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_COLORS_H
#define KT_REPORT_COLORS_H

/* This is what stands out in a text for people, and how: each is what a
 * terminal is sent before it (ECMA-48, SGR), and plain behind it; or all are
 * "".
 */
struct colors {
	const char *hot;     /* a large share of the time */
	const char *warm;    /* one to be seen */
	const char *missing; /* what the trace does not hold */
	const char *faint;   /* what only helps to find one's place */
	const char *subject; /* what the lines around it are about */
	const char *plain;
};

extern const struct colors colors_none;
extern const struct colors colors_of_terminal;

/* Returns what @percent of the time is sent as: hot from 5 on, warm from 0.5
 * on, as perf report has it, else "".
 */
const char *colors_of_share(const struct colors *colors, double percent);

#endif
