/* SPDX-License-Identifier: MIT */
#include "attribution/time/untraced_internal.h"

#include "attribution/events/function_marks.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/steps/call_step.h"

#include <stdlib.h>

void traced_cpus_free(struct traced_cpus *cpus)
{
	array_free(&cpus->places);
	array_free(&cpus->cpus);
}

void traced_cpus_clear(struct traced_cpus *cpus)
{
	cpus->places.count = 0;
	cpus->cpus.count = 0;
	cpus->ended = 0;
}

static struct traced_cpu *at(const struct traced_cpus *cpus, uint32_t slot)
{
	const uint32_t *places = cpus->places.items;

	return slot < cpus->places.count && places[slot] ?
		       array_at(&cpus->cpus, places[slot] - 1) :
		       NULL;
}

static struct traced_cpu *add(struct traced_cpus *cpus, uint32_t slot)
{
	uint32_t *place = array_reach(&cpus->places, slot);
	struct traced_cpu *added = place ? array_add(&cpus->cpus) : NULL;

	if (added)
		*place = (uint32_t)cpus->cpus.count;
	return added;
}

struct traced_cpu *traced_cpus_add(struct traced_cpus *cpus, uint32_t cpu)
{
	uint32_t slot = cpu_slot(cpu);
	struct traced_cpu *known = at(cpus, slot);

	return known ? known : add(cpus, slot);
}

void traced_cpus_end(struct traced_cpus *cpus, struct traced_cpu *cpu)
{
	cpus->ended += !cpu->has_ended;
	cpu->has_ended = true;
}

bool traced_cpus_are_over(const struct traced_cpus *cpus)
{
	return cpus->cpus.count && cpus->ended == cpus->cpus.count;
}

struct traced_cpu *traced_cpus_find(const struct traced_cpus *cpus, int32_t cpu)
{
	return at(cpus, cpu_slot((uint32_t)cpu));
}

bool traced_cpus_show(const struct traced_cpus *cpus, int32_t cpu)
{
	const struct traced_cpu *found = traced_cpus_find(cpus, cpu);

	/* Per-thread traces follow their threads to any CPU. */
	if (traced_cpus_find(cpus, -1))
		return true;
	return found && !found->has_ended;
}

static uint32_t first_of(const struct cpu_runs *runs)
{
	return runs->count < CPU_RUNS ? 0 : runs->count - CPU_RUNS;
}

static void pack_runs(struct cpu_runs *runs, struct pack *pack)
{
	uint32_t kept;

	pack_u32(pack, &runs->count);
	kept = runs->count - first_of(runs);
	for (uint32_t i = 0; i < kept; i++) {
		pack_u64(pack, &runs->runs[i].begin_ns);
		pack_u64(pack, &runs->runs[i].end_ns);
		pack_i32(pack, &runs->runs[i].tid);
		pack_i32(pack, &runs->runs[i].pid);
	}
}

static void pack_cpu(struct traced_cpu *cpu, struct pack *pack,
		     const struct threads *threads, pack_one_thread *pack_one)
{
	pack_bool(pack, &cpu->has_ended);
	pack_small(pack, &cpu->state, CPU_STATES - 1);
	pack_one(threads, pack, &cpu->current);
	pack_one(threads, pack, &cpu->next_owner);
	pack_runs(&cpu->recorder, pack);
	pack_runs(&cpu->throttled, pack);
	pack_i32(pack, &cpu->woken_tid);
	pack_bool(pack, &cpu->is_enqueuing);
	pack_bool(pack, &cpu->may_throttle);
}

/* Writes or reads the CPU of @slot, if any. */
static void pack_slot(struct traced_cpus *cpus, uint32_t slot,
		      struct pack *pack, const struct threads *threads,
		      pack_one_thread *pack_one)
{
	struct traced_cpu *cpu = at(cpus, slot);
	bool is_seen = cpu;

	pack_bool(pack, &is_seen);
	if (!is_seen || pack->failed)
		return;
	if (!cpu)
		cpu = add(cpus, slot);
	pack_check(pack, cpu);
	if (!cpu)
		return;
	pack_cpu(cpu, pack, threads, pack_one);
	if (pack->is_reading)
		cpus->ended += cpu->has_ended;
}

void traced_cpus_pack(struct traced_cpus *cpus, struct pack *pack,
		      const struct threads *threads, pack_one_thread *pack_one)
{
	uint32_t count = (uint32_t)cpus->places.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++)
		pack_slot(cpus, i, pack, threads, pack_one);
}

void cpu_runs_begin(struct cpu_runs *runs, uint64_t time_ns, int32_t tid,
		    int32_t pid)
{
	runs->runs[runs->count++ % CPU_RUNS] =
		(struct cpu_run){ time_ns, UINT64_MAX, tid, pid };
}

void cpu_runs_end_last(struct cpu_runs *runs, uint64_t time_ns)
{
	if (runs->count)
		runs->runs[(runs->count - 1) % CPU_RUNS].end_ns = time_ns;
}

bool cpu_runs_end_oldest(struct cpu_runs *runs, uint64_t time_ns)
{
	for (uint32_t i = first_of(runs); i < runs->count; i++) {
		struct cpu_run *run = &runs->runs[i % CPU_RUNS];

		if (run->end_ns != UINT64_MAX)
			continue;
		run->end_ns = time_ns;
		return true;
	}
	return false;
}

bool cpu_runs_find(const struct cpu_runs *runs, uint64_t from_ns,
		   uint64_t until_ns,
		   bool (*is_of)(const void *ctx, const struct cpu_run *run),
		   const void *ctx, struct cpu_run *run)
{
	for (uint32_t i = first_of(runs); i < runs->count; i++) {
		*run = runs->runs[i % CPU_RUNS];
		if (is_of && !is_of(ctx, run))
			continue;
		if (run->begin_ns < from_ns)
			run->begin_ns = from_ns;
		if (run->end_ns > until_ns)
			run->end_ns = until_ns;
		if (run->begin_ns < run->end_ns)
			return true;
	}
	return false;
}

enum mark { MARK_NONE, MARK_PERF, MARK_WAKES, MARK_BLOCKS };

/* kernel/events/core.c and kernel/sched/ of Linux 5.10 to 6.15; each class of
 * the scheduler has a dequeue_task function of its own.
 */
static const struct name_rule marked[] = {
	{ "perf_event_wakeup", false, MARK_PERF },
	{ "try_to_wake_up", false, MARK_WAKES },
	{ "dequeue_task", true, MARK_BLOCKS },
};

/* A call of perf_event_wakeup() on a CPU that has not returned. */
struct open_wakeup {
	const struct task *task; /* NULL: there is none */
	uint32_t depth;
};

struct untraced_wakeups {
	struct array cpus; /* struct open_wakeup by CPU + 1 */
	struct untraced_wakeup last;
	uint32_t open;		      /* number of open calls in cpus */
	struct function_marks *marks; /* enum mark by function */
};

struct untraced_wakeups *
untraced_wakeups_new(const struct function_table *functions)
{
	struct untraced_wakeups *wakes = calloc(1, sizeof(*wakes));

	if (!wakes)
		return NULL;
	wakes->cpus = ARRAY_OF(struct open_wakeup);
	wakes->marks = function_marks_by_rules(
		functions, marked, sizeof(marked) / sizeof(*marked));
	if (wakes->marks)
		return wakes;
	untraced_wakeups_free(wakes);
	return NULL;
}

void untraced_wakeups_free(struct untraced_wakeups *wakes)
{
	if (!wakes)
		return;
	array_free(&wakes->cpus);
	free(wakes->marks);
	free(wakes);
}

void untraced_wakeups_clear(struct untraced_wakeups *wakes)
{
	wakes->cpus.count = 0;
	wakes->last = (struct untraced_wakeup){ 0 };
	wakes->open = 0;
}

static enum mark mark_at(const struct untraced_wakeups *wakes,
			 uint32_t function)
{
	return (enum mark)function_marks_at(wakes->marks, function);
}

static void enter(struct untraced_wakeups *wakes, struct open_wakeup *open,
		  const struct call_step *step)
{
	enum mark mark = mark_at(wakes, step->function);

	if (mark == MARK_PERF) {
		wakes->open += !open->task;
		open->task = step->task;
		open->depth = step->depth;
	} else if (mark == MARK_WAKES && open->task == step->task) {
		wakes->last = (struct untraced_wakeup){
			.time_ns = step->time_ns,
			.tid = step->task->tid,
		};
	}
}

static void close_wakeup(struct untraced_wakeups *wakes,
			 struct open_wakeup *open)
{
	open->task = NULL;
	wakes->open--;
}

int untraced_wakeups_consume(struct untraced_wakeups *wakes,
			     const struct call_step *step)
{
	struct open_wakeup *open =
		array_reach(&wakes->cpus, cpu_slot(step->cpu));

	if (!open)
		return -ERROR_MEMORY;
	if (step->kind == STEP_ENTER)
		enter(wakes, open, step);
	else if (open->task == step->task && step->depth <= open->depth)
		close_wakeup(wakes, open);
	return 0;
}

bool untraced_wakeups_has(const struct untraced_wakeups *wakes,
			  uint32_t function)
{
	return mark_at(wakes, function) != MARK_NONE;
}

bool untraced_wakeups_are_open(const struct untraced_wakeups *wakes)
{
	return wakes->open;
}

struct untraced_wakeup
untraced_wakeups_last(const struct untraced_wakeups *wakes)
{
	return wakes->last;
}

bool untraced_wakeups_blocks(const struct untraced_wakeups *wakes,
			     uint32_t function)
{
	return mark_at(wakes, function) == MARK_BLOCKS;
}

void untraced_wakeups_pack(struct untraced_wakeups *wakes,
			   const struct task_pack *tasks)
{
	struct pack *pack = tasks->pack;
	uint32_t count = (uint32_t)wakes->cpus.count;

	pack_u64(pack, &wakes->last.time_ns);
	pack_i32(pack, &wakes->last.tid);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct open_wakeup *open = array_reach(&wakes->cpus, i);

		pack_check(pack, open);
		if (!open)
			return;
		task_pack_task(tasks, &open->task);
		pack_u32(pack, &open->depth);
		if (pack->is_reading)
			wakes->open += !!open->task;
	}
}
