/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_MARKS_H
#define KT_REPORT_TEXT_MARKS_H

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>

/* Decides which lines about tasks and CPUs a timeline in text shows between
 * those of functions: a task switch if a function of the task follows, and a
 * pause of the trace if a function precedes it.
 */
struct text_marks {
	struct array cpus; /* struct cpu_mark */
	int status;	   /* 0, or -ERROR_MEMORY: lines are missing */
};

#define TEXT_MARKS_NONE \
	((struct text_marks){ .cpus = ARRAY_OF(struct cpu_mark) })

struct cpu_mark {
	bool has_switched; /* since the last line of a function */
	bool has_shown;	   /* a function was shown since the last pause */
};

void text_marks_free(struct text_marks *marks);

/* Applies a STEP_SWITCH. */
void text_marks_switch(struct text_marks *marks, const struct call_step *step);

/* Must be called before each function's line. Returns whether it is the task's
 * first since it was switched to.
 */
bool text_marks_function(struct text_marks *marks,
			 const struct call_step *step);

/* Returns whether the pause of @step needs a line. */
bool text_marks_pause(struct text_marks *marks, const struct call_step *step);

#endif
