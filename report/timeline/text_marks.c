/* SPDX-License-Identifier: MIT */
#include "report/timeline/text_marks.h"

#include "common/error.h"
#include "report/steps/call_step.h"

static struct cpu_mark *mark_of(struct text_marks *marks, uint32_t cpu)
{
	struct cpu_mark *mark = array_reach(&marks->cpus, cpu_slot(cpu));

	if (!mark)
		marks->status = -ERROR_MEMORY;
	return mark;
}

void text_marks_free(struct text_marks *marks)
{
	array_free(&marks->cpus);
}

void text_marks_switch(struct text_marks *marks, const struct call_step *step)
{
	struct cpu_mark *mark = mark_of(marks, step->cpu);

	if (mark)
		mark->has_switched = true;
}

bool text_marks_function(struct text_marks *marks, const struct call_step *step)
{
	struct cpu_mark *mark = mark_of(marks, step->cpu);
	bool is_first = mark && mark->has_switched;

	if (mark)
		*mark = (struct cpu_mark){ .has_shown = true };
	return is_first;
}

bool text_marks_pause(struct text_marks *marks, const struct call_step *step)
{
	struct cpu_mark *mark = mark_of(marks, step->cpu);
	bool is_new = mark && mark->has_shown;

	if (mark)
		mark->has_shown = false;
	return is_new;
}
