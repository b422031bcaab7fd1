/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_PLAN_H
#define KT_CMD_RECORD_PLAN_H

#include <stddef.h>

struct record_options;

enum { RECORD_PLAN_SIZE = 400 };

/* Completes @options after the source has been chosen: without --events, the
 * events of attribution if this process may record them, otherwise, after a
 * message, those of sched. Recordings of chosen code only (--filter, --only)
 * have those of sched, because attribution needs all functions.
 */
void record_plan_choose(struct record_options *options);

/* Writes to @text, in a line, what the recording costs the recorded program and
 * what it will not contain. docs/cost.md has the measurements.
 */
void record_plan_describe(const struct record_options *options,
			  char text[RECORD_PLAN_SIZE]);

#endif
