/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_MARKS_H
#define KT_REPORT_TEXT_MARKS_H

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>

/* Which lines about tasks and CPUs a timeline in text needs, beside those of
 * functions: that a task runs now matters where a function of it follows, and
 * that the trace pauses where one came before.
 */
struct text_marks {
	struct array cpus; /* struct cpu_mark */
	int status;	   /* 0, or -ERROR_MEMORY: lines are missing */
};

#define TEXT_MARKS_NONE \
	((struct text_marks){ .cpus = ARRAY_OF(struct cpu_mark) })

struct cpu_mark {
	bool has_switched; /* since the last function's line */
	bool has_shown;	   /* a function since the last pause */
};

void text_marks_free(struct text_marks *marks);

/* A STEP_SWITCH has come. */
void text_marks_switch(struct text_marks *marks, const struct call_step *step);

/* Returns whether the function whose line is about to come is the first one
 * since its task began to run.
 */
bool text_marks_function(struct text_marks *marks,
			 const struct call_step *step);

/* Returns whether the pause that @step tells is worth a line. */
bool text_marks_pause(struct text_marks *marks, const struct call_step *step);

#endif
