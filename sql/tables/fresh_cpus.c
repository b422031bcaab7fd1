/* SPDX-License-Identifier: MIT */
#include "sql/tables/fresh_cpus.h"

#include "common/error.h"
#include "report/steps/call_step.h"

#include <stdbool.h>

void fresh_cpus_free(struct fresh_cpus *cpus)
{
	array_free(&cpus->is_fresh);
}

/* Most calls only prolong the thread's current class. An entry from outside
 * begins another kernel context and does not.
 */
static bool changes_nothing(const struct call_step *step)
{
	if (step->kind == STEP_ENTER)
		return step->how != HOW_EXCEPTION &&
		       step->how != HOW_SYSTEM_CALL;
	return step->kind == STEP_EXIT || step->kind == STEP_COUNT;
}

int fresh_cpus_take(struct fresh_cpus *cpus, const struct call_step *step)
{
	bool is_fresh = step->kind == STEP_SWITCH && step->task->tid;
	bool *was_fresh;

	if (changes_nothing(step))
		return 0;
	was_fresh = array_reach(&cpus->is_fresh, (size_t)(step->cpu + 1));
	if (!was_fresh)
		return -ERROR_MEMORY;
	if (is_fresh && !*was_fresh)
		cpus->count++;
	else if (!is_fresh && *was_fresh)
		cpus->count--;
	*was_fresh = is_fresh;
	return 0;
}
