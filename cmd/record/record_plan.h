/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_PLAN_H
#define KT_CMD_RECORD_PLAN_H

#include <stddef.h>

struct record_options;

enum { RECORD_PLAN_SIZE = 400 };

/* Completes @options after the source has been chosen: without --events,
 * chooses the events of attribution if this process may record them, otherwise,
 * after a message, the events of sched. Recordings of only a part of the code
 * (--filter, --only) have the events of sched, because attribution needs all
 * functions.
 */
void record_plan_choose(struct record_options *options);

/* Writes a line to @text: how much the recording slows the recorded program
 * down, and which data it will not contain. docs/cost.md has the measurements.
 */
void record_plan_describe(const struct record_options *options,
			  char text[RECORD_PLAN_SIZE]);

#endif
