/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/context_kinds.h"

#include "common/maps.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

/* kernel/softirq.c, kernel/workqueue.c, kernel/entry/common.c and
 * kernel/sched/core.c of Linux 5.10 to 6.15; 6.12 moved __do_softirq()'s work
 * to handle_softirqs().
 */
static const struct name_rule common_work[] = {
	{ "handle_softirqs", false, CONTEXT_SOFTIRQ },
	{ "__do_softirq", false, CONTEXT_SOFTIRQ },
	{ "process_one_work", false, CONTEXT_ITEM },
	{ "exit_to_user_mode_loop", false, CONTEXT_EXIT },
	{ "arch_do_signal_or_restart", false, CONTEXT_EXIT },
	{ "task_work_run", false, CONTEXT_EXIT },
	{ "__schedule", false, CONTEXT_SCHEDULE },
	{ "run_ksoftirqd", false, CONTEXT_THREAD },
	{ "run_ktimerd", false, CONTEXT_THREAD },
	/* mm/vmscan.c, mm/compaction.c: direct reclaim and compaction, also of a
	 * cgroup; kswapd and kcompactd have other functions.
	 */
	{ "try_to_free_pages", false, CONTEXT_RECLAIM },
	{ "try_to_free_mem_cgroup_pages", false, CONTEXT_RECLAIM },
	{ "node_reclaim", false, CONTEXT_RECLAIM },
	{ "try_to_compact_pages", false, CONTEXT_RECLAIM },
	{ "__drain_all_pages", false, CONTEXT_RECLAIM },
	/* kernel/events/ and include/trace/perf.h: handlers of tracepoints,
	 * switches of events with tasks, the trace unit's interrupt.
	 */
	{ "perf_", true, CONTEXT_TRACER },
	{ "__perf_", true, CONTEXT_TRACER },
	{ "__traceiter_", true, CONTEXT_TRACER },
	/* Entry points of the drivers of Arm's trace units. */
	{ "arm_trbe_irq_handler", false, CONTEXT_TRACER },
	{ "etm_event_", true, CONTEXT_TRACER },
};

/* Stored in place of an enum context_kind. */
enum { USER_FUNCTION = CONTEXT_KINDS };

struct context_kinds {
	uint32_t count;
	uint8_t kinds[]; /* enum context_kind, or USER_FUNCTION */
};

/* Returns the kind of context that the function @name starts. The first rule
 * that matches decides: the architecture's entries, then the common rules.
 */
static uint8_t kind_of(const struct name_lookup *entries,
		       const struct name_lookup *common, const char *name)
{
	const struct name_rule *rule = name_lookup_find(entries, name);

	if (!rule)
		rule = name_lookup_find(common, name);
	return rule ? rule->value : CONTEXT_NONE;
}

struct context_kinds *context_kinds_new(const struct function_table *functions,
					const struct arch *arch)
{
	uint32_t count = function_count(functions);
	struct context_kinds *kinds = calloc(1, sizeof(*kinds) + count);
	const struct name_lookup entries =
		name_lookup_of(arch->entries, arch->entry_count);
	const struct name_lookup common = name_lookup_of(
		common_work, sizeof(common_work) / sizeof(*common_work));

	if (!kinds)
		return NULL;
	kinds->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_at(functions, i);

		kinds->kinds[i] =
			function->space == 'k' ?
				kind_of(&entries, &common, function->base) :
				USER_FUNCTION;
	}
	return kinds;
}

void context_kinds_free(struct context_kinds *kinds)
{
	free(kinds);
}

enum context_kind context_kind_of(const struct context_kinds *kinds,
				  uint32_t function)
{
	return function < kinds->count &&
			       kinds->kinds[function] != USER_FUNCTION ?
		       kinds->kinds[function] :
		       CONTEXT_NONE;
}

bool context_kinds_is_user(const struct context_kinds *kinds, uint32_t function)
{
	return function < kinds->count &&
	       kinds->kinds[function] == USER_FUNCTION;
}
