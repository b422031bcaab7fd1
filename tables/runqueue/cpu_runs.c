/* SPDX-License-Identifier: MIT */
#include "tables/runqueue/cpu_runs.h"

#include "common/error.h"
#include "report/steps/call_step.h"

/* MOST_CPUS: more than any kernel supports; only damaged recordings exceed it.
 */
enum { MOST_RUNS = 1 << 17, MOST_CPUS = 1 << 16 };

void cpu_runs_free(struct cpu_runs *runs)
{
	for (size_t i = 0; i < runs->cpus.count; i++) {
		struct cpu_run_list *list = array_at(&runs->cpus, i);

		array_free(&list->runs);
	}
	array_free(&runs->cpus);
}

static struct cpu_run_list *list_of(struct cpu_runs *runs, uint32_t cpu)
{
	return array_reach_like(
		&runs->cpus, cpu,
		&(struct cpu_run_list){ .runs = ARRAY_OF(struct cpu_run) });
}

static int end_run(const struct cpu_runs *runs, struct cpu_run_list *list,
		   const struct call_step *step)
{
	if (list->runs.count >= MOST_RUNS)
		array_remove(&list->runs, 0, list->runs.count / 2);
	list->now.end_ns = step->time_ns;
	if (runs->ended)
		runs->ended(runs->ctx, step->cpu, &list->now);
	return array_append(&list->runs, &list->now);
}

int cpu_runs_take(struct cpu_runs *runs, const struct call_step *step)
{
	const struct cpu_run run = { .begin_ns = step->time_ns,
				     .tid = step->task->tid };
	struct cpu_run_list *list;
	int status = 0;

	if (step->kind != STEP_SWITCH || step->cpu >= MOST_CPUS)
		return 0;
	list = list_of(runs, step->cpu);
	if (!list)
		return -ERROR_MEMORY;
	if (list->has_now)
		status = end_run(runs, list, step);
	list->has_now = true;
	list->now = run;
	return status;
}

int cpu_runs_add(struct cpu_runs *runs, uint32_t cpu, const struct cpu_run *run)
{
	struct cpu_run_list *list = cpu < MOST_CPUS ? list_of(runs, cpu) : NULL;

	return list ? array_append(&list->runs, run) : -ERROR_MEMORY;
}

int cpu_runs_go_on(struct cpu_runs *runs, uint32_t cpu,
		   const struct cpu_run *run)
{
	struct cpu_run_list *list = cpu < MOST_CPUS ? list_of(runs, cpu) : NULL;

	if (!list)
		return -ERROR_MEMORY;
	list->has_now = true;
	list->now = *run;
	return 0;
}

static int visit_part(const struct cpu_run *run, uint64_t begin_ns,
		      uint64_t end_ns, cpu_runs_visit *visit, void *ctx)
{
	uint64_t from_ns = run->begin_ns > begin_ns ? run->begin_ns : begin_ns;
	uint64_t to_ns = run->end_ns < end_ns ? run->end_ns : end_ns;

	return to_ns > from_ns ? visit(ctx, run->tid, to_ns - from_ns) : 0;
}

int cpu_runs_between(const struct cpu_runs *runs, int32_t cpu,
		     uint64_t begin_ns, uint64_t end_ns, cpu_runs_visit *visit,
		     void *ctx)
{
	const struct cpu_run_list *list;
	const struct cpu_run *items;
	struct cpu_run now;
	int status = 0;

	if (cpu < 0 || (size_t)cpu >= runs->cpus.count)
		return 0;
	list = array_at(&runs->cpus, (size_t)cpu);
	items = list->runs.items;
	now = list->now;
	now.end_ns = UINT64_MAX;
	if (list->has_now)
		status = visit_part(&now, begin_ns, end_ns, visit, ctx);
	for (size_t i = list->runs.count; i && !status; i--) {
		if (items[i - 1].end_ns <= begin_ns)
			break;
		status =
			visit_part(&items[i - 1], begin_ns, end_ns, visit, ctx);
	}
	return status;
}
