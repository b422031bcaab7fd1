/* SPDX-License-Identifier: MIT */
#include "tables/waits/runqueue_records_internal.h"

#include "attribution/allowed_cpus.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "report/steps/call_step.h"

struct cpu_wait_state {
	struct cpu_wait wait;
	bool is_waiting;
	bool has_run; /* its last span that was not a wait was on a CPU */
};

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

int cpu_runs_consume(struct cpu_runs *runs, const struct call_step *step)
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

/* cpu_runs_add() adds a run that has ended, without a limit on their number;
 * cpu_runs_go_on() sets the current run. Return 0, or -ERROR_MEMORY, also if
 * the CPU does not exist.
 */
static int cpu_runs_add(struct cpu_runs *runs, uint32_t cpu,
			const struct cpu_run *run)
{
	struct cpu_run_list *list = cpu < MOST_CPUS ? list_of(runs, cpu) : NULL;

	return list ? array_append(&list->runs, run) : -ERROR_MEMORY;
}

static int cpu_runs_go_on(struct cpu_runs *runs, uint32_t cpu,
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

/* Appends to @parts when the CPU of @list was idle in @window. */
static int add_idle(const struct cpu_run_list *list, struct time_window window,
		    struct array *parts)
{
	const struct cpu_run *items = list->runs.items;
	struct cpu_run run = list->now;
	size_t i = list->runs.count;
	bool is_open = list->has_now;

	run.end_ns = UINT64_MAX;
	while (is_open || i) {
		if (!is_open)
			run = items[--i];
		is_open = false;
		if (run.end_ns <= window.since_ns)
			break;
		if (!run.tid && run.begin_ns < window.until_ns &&
		    array_append(
			    parts,
			    &(struct time_window){
				    time_window_clip(window, run.begin_ns),
				    time_window_clip(window, run.end_ns) }) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

/* Returns the length of the union of @parts, which it sorts. */
static uint64_t union_of(struct array *parts)
{
	const struct time_window *items;
	uint64_t until_ns = 0;
	uint64_t sum_ns = 0;

	array_sort_by(parts, KEYS(RISING(struct time_window, since_ns)));
	items = parts->items;
	for (size_t i = 0; i < parts->count; i++) {
		uint64_t from_ns = items[i].since_ns > until_ns ?
					   items[i].since_ns :
					   until_ns;

		if (items[i].until_ns <= from_ns)
			continue;
		sum_ns += items[i].until_ns - from_ns;
		until_ns = items[i].until_ns;
	}
	return sum_ns;
}

int cpu_runs_idle_elsewhere(const struct cpu_runs *runs, int32_t cpu,
			    uint64_t begin_ns, uint64_t end_ns,
			    uint64_t *idle_ns)
{
	const struct time_window window = { begin_ns, end_ns };
	const struct cpu_run_list *lists = runs->cpus.items;
	struct array parts = ARRAY_OF(struct time_window);
	int status = 0;

	for (size_t i = 0; i < runs->cpus.count && !status; i++)
		if (cpu < 0 || i != (size_t)cpu)
			status = add_idle(&lists[i], window, &parts);
	*idle_ns = union_of(&parts);
	array_free(&parts);
	return status;
}

/* Adds when the CPU @cpu of @list was idle while @wait lasted. */
static int add_elsewhere(const struct cpu_run_list *list, uint32_t cpu,
			 const struct allowed_cpus *allowed,
			 const struct cpu_wait *wait,
			 struct idle_elsewhere *idle)
{
	const struct time_window window = { wait->begin_ns, wait->end_ns };
	struct array parts = ARRAY_OF(struct time_window);
	const struct time_window *items;
	int status = add_idle(list, window, &parts);

	items = parts.items;
	for (size_t i = 0; i < parts.count && !status; i++)
		status = idle_elsewhere_add(idle, allowed, wait->task->tid, cpu,
					    items[i]);
	array_free(&parts);
	return status;
}

int cpu_runs_forbidden(const struct cpu_runs *runs,
		       const struct allowed_cpus *allowed,
		       const struct cpu_wait *wait, struct array *parts)
{
	const struct cpu_run_list *lists = runs->cpus.items;
	struct idle_elsewhere idle = IDLE_ELSEWHERE_NONE;
	int status = 0;

	for (uint32_t i = 0; i < runs->cpus.count && !status; i++)
		status = add_elsewhere(&lists[i], i, allowed, wait, &idle);
	if (!status)
		status = idle_elsewhere_forbidden(&idle, parts);
	idle_elsewhere_free(&idle);
	return status;
}

struct cpu_waits cpu_waits_of(consume_cpu_wait *consume, void *ctx)
{
	return (struct cpu_waits){
		.threads = ARRAY_OF(struct cpu_wait_state),
		.consume = consume,
		.ctx = ctx,
	};
}

/* Frees the arrays of @wait. */
static void cpu_wait_free(struct cpu_wait *wait)
{
	array_free(&wait->recorder);
	array_free(&wait->throttled);
	array_free(&wait->affinity);
}

void cpu_waits_free(struct cpu_waits *waits)
{
	struct cpu_wait_state *threads = waits->threads.items;

	for (size_t i = 0; i < waits->threads.count; i++)
		cpu_wait_free(&threads[i].wait);
	array_free(&waits->threads);
}

static struct time_window cut(struct time_window time,
			      struct time_window window)
{
	return (struct time_window){
		time_window_clip(window, time.since_ns),
		time_window_clip(window, time.until_ns),
	};
}

/* Returns the length of the intervals @parts in @window. */
static uint64_t sum_in(const struct array *parts, struct time_window window)
{
	const struct time_window *items = parts->items;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < parts->count; i++) {
		const struct time_window part = cut(items[i], window);

		sum_ns += part.until_ns - part.since_ns;
	}
	return sum_ns;
}

bool cpu_wait_cut(struct cpu_wait *wait, struct time_window window)
{
	const struct time_window all = cut(
		(struct time_window){ wait->begin_ns, wait->end_ns }, window);

	wait->begin_ns = all.since_ns;
	wait->end_ns = all.until_ns;
	wait->recorder_ns = sum_in(&wait->recorder, window);
	wait->throttled_ns = sum_in(&wait->throttled, window);
	wait->affinity_ns = sum_in(&wait->affinity, window);
	return wait->begin_ns < wait->end_ns;
}

static int end_wait(struct cpu_waits *waits, struct cpu_wait_state *state,
		    int32_t cpu)
{
	if (!state->is_waiting)
		return 0;
	state->is_waiting = false;
	state->wait.cpu = cpu;
	return waits->consume(waits->ctx, &state->wait);
}

static void begin_wait(struct cpu_wait_state *state,
		       const struct time_span *span)
{
	struct array recorder = state->wait.recorder;
	struct array throttled = state->wait.throttled;
	struct array affinity = state->wait.affinity;

	recorder.count = 0;
	throttled.count = 0;
	state->is_waiting = true;
	state->wait = (struct cpu_wait){
		.task = span->task,
		.begin_ns = span->begin_ns,
		.was_running = state->has_run,
		.recorder = recorder,
		.throttled = throttled,
		.affinity = affinity,
	};
}

/* Appends the interval of @span to @parts, and adds its length to *@sum_ns. */
static int add_part(struct array *parts, uint64_t *sum_ns,
		    const struct time_span *span)
{
	if (array_append(parts, &(struct time_window){ span->begin_ns,
						       span->end_ns }) < 0)
		return -ERROR_MEMORY;
	*sum_ns += span->end_ns - span->begin_ns;
	return 0;
}

int cpu_waits_span(struct cpu_waits *waits, const struct time_span *span)
{
	struct cpu_wait_state *state = array_reach_like(
		&waits->threads, span->task->index,
		&(struct cpu_wait_state){
			.wait = { .recorder = ARRAY_OF(struct time_window),
				  .throttled = ARRAY_OF(struct time_window),
				  .affinity = ARRAY_OF(struct time_window) } });

	if (!state)
		return -ERROR_MEMORY;
	if (span->time_class != TIME_RUNNABLE) {
		state->has_run = span->time_class < TIME_RUNNABLE;
		return end_wait(waits, state, span->cpu);
	}
	if (!state->is_waiting)
		begin_wait(state, span);
	state->wait.end_ns = span->end_ns;
	state->wait.cpu = span->cpu;
	if (span->is_throttled)
		return add_part(&state->wait.throttled,
				&state->wait.throttled_ns, span);
	return span->is_behind_recorder ?
		       add_part(&state->wait.recorder, &state->wait.recorder_ns,
				span) :
		       0;
}

int cpu_waits_end(struct cpu_waits *waits)
{
	int status = 0;

	for (size_t i = 0; i < waits->threads.count && !status; i++) {
		struct cpu_wait_state *state = array_at(&waits->threads, i);

		status = end_wait(waits, state, state->wait.cpu);
	}
	return status;
}

enum record_kind { RECORD_WAIT, RECORD_RUN, RECORD_KINDS };

static void free_waits(struct array *waits)
{
	struct read_wait *items = waits->items;

	for (size_t i = 0; i < waits->count; i++)
		cpu_wait_free(&items[i].wait);
	array_free(waits);
}

void runqueue_records_free(struct runqueue_records *records)
{
	free_waits(&records->waits);
	free_waits(&records->last);
}

static void pack_run(struct pack *pack, uint32_t *cpu, struct cpu_run *run)
{
	pack_u32(pack, cpu);
	pack_u64(pack, &run->begin_ns);
	pack_u64(pack, &run->end_ns);
	pack_i32(pack, &run->tid);
}

static void pack_parts(struct pack *pack, struct array *parts)
{
	uint32_t count = (uint32_t)parts->count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct time_window *part = pack->is_reading ?
						   array_add(parts) :
						   array_at(parts, i);

		pack_check(pack, part);
		if (!part)
			return;
		pack_u64(pack, &part->since_ns);
		pack_u64(pack, &part->until_ns);
	}
}

static void pack_wait(struct pack *pack, struct read_wait *read)
{
	struct cpu_wait *wait = &read->wait;

	task_pack_facts(pack, &read->task);
	pack_u32(pack, &read->task.index);
	pack_u64(pack, &wait->begin_ns);
	pack_u64(pack, &wait->end_ns);
	pack_i32(pack, &wait->cpu);
	pack_bool(pack, &wait->was_running);
	pack_parts(pack, &wait->recorder);
	pack_parts(pack, &wait->throttled);
	pack_parts(pack, &wait->affinity);
}

static void write_wait(struct pack *pack, const struct cpu_wait *wait)
{
	struct read_wait kept = { .wait = *wait, .task = *wait->task };

	pack_wait(pack, &kept);
}

static void read_wait(struct pack *pack, struct array *waits)
{
	struct read_wait *read = array_add(waits);

	pack_check(pack, read);
	if (!read)
		return;
	read->wait.recorder = ARRAY_OF(struct time_window);
	read->wait.throttled = ARRAY_OF(struct time_window);
	read->wait.affinity = ARRAY_OF(struct time_window);
	pack_wait(pack, read);
}

static void keep(const struct runqueue_records *records, uint64_t begin_ns,
		 uint64_t end_ns)
{
	const struct cached_span span = cached_span_of(begin_ns, end_ns);

	cache_file_writer_add(records->writer, &span);
}

void runqueue_records_keep_wait(const struct runqueue_records *records,
				const struct cpu_wait *wait)
{
	struct pack *pack = cache_file_writer_pack(records->writer);
	uint8_t kind = RECORD_WAIT;

	pack_small(pack, &kind, RECORD_KINDS - 1);
	write_wait(pack, wait);
	keep(records, wait->begin_ns, wait->end_ns);
}

void runqueue_records_keep_run(const struct runqueue_records *records,
			       uint32_t cpu, const struct cpu_run *run)
{
	struct pack *pack = cache_file_writer_pack(records->writer);
	struct cpu_run kept = *run;
	uint8_t kind = RECORD_RUN;

	pack_small(pack, &kind, RECORD_KINDS - 1);
	pack_run(pack, &cpu, &kept);
	keep(records, run->begin_ns, run->end_ns);
}

static void read_run(struct cpu_runs *runs, struct pack *pack)
{
	struct cpu_run run;
	uint32_t cpu;

	pack_run(pack, &cpu, &run);
	if (!pack->failed)
		pack_check(pack, cpu_runs_add(runs, cpu, &run) == 0);
}

void runqueue_records_read(struct runqueue_records *records,
			   struct cpu_runs *runs, struct pack *pack)
{
	uint8_t kind;

	pack_small(pack, &kind, RECORD_KINDS - 1);
	if (pack->failed)
		return;
	if (kind == RECORD_WAIT)
		read_wait(pack, &records->waits);
	else
		read_run(runs, pack);
}

/* Writes @wait, which is open at the end, with its affinity until then. */
static void write_open(const struct cpu_runs *runs,
		       const struct allowed_cpus *allowed,
		       const struct cpu_wait *wait, struct pack *pack)
{
	struct cpu_wait kept = *wait;

	kept.affinity = ARRAY_OF(struct time_window);
	pack_check(pack,
		   !cpu_runs_forbidden(runs, allowed, wait, &kept.affinity));
	write_wait(pack, &kept);
	array_free(&kept.affinity);
}

static void write_last(const struct cpu_runs *runs,
		       const struct allowed_cpus *allowed,
		       const struct cpu_waits *waits, struct pack *pack)
{
	for (uint32_t cpu = 0; cpu < runs->cpus.count; cpu++) {
		const struct cpu_run_list *list = array_at(&runs->cpus, cpu);
		struct cpu_run now = list->now;
		uint8_t kind = RECORD_RUN;

		if (!list->has_now)
			continue;
		pack_small(pack, &kind, RECORD_KINDS - 1);
		pack_run(pack, &cpu, &now);
	}
	for (size_t i = 0; i < waits->threads.count; i++) {
		const struct cpu_wait_state *state =
			array_at(&waits->threads, i);
		uint8_t kind = RECORD_WAIT;

		if (!state->is_waiting)
			continue;
		pack_small(pack, &kind, RECORD_KINDS - 1);
		write_open(runs, allowed, &state->wait, pack);
	}
}

static void read_last(struct runqueue_records *records, struct cpu_runs *runs,
		      struct pack *pack)
{
	while (!pack->failed && byte_reader_left(&pack->reader)) {
		struct cpu_run run;
		uint32_t cpu;
		uint8_t kind;

		pack_small(pack, &kind, RECORD_KINDS - 1);
		if (kind == RECORD_WAIT) {
			read_wait(pack, &records->last);
			continue;
		}
		pack_run(pack, &cpu, &run);
		if (!pack->failed)
			pack_check(pack, cpu_runs_go_on(runs, cpu, &run) == 0);
	}
}

void runqueue_records_pack_last(struct runqueue_records *records,
				struct cpu_runs *runs,
				const struct allowed_cpus *allowed,
				const struct cpu_waits *waits,
				struct pack *pack)
{
	if (pack->is_reading)
		read_last(records, runs, pack);
	else
		write_last(runs, allowed, waits, pack);
}

static int hand_on(const struct array *waits, consume_cpu_wait *consume,
		   void *ctx)
{
	struct read_wait *items = waits->items;
	int status = 0;

	for (size_t i = 0; i < waits->count && !status; i++) {
		items[i].wait.task = &items[i].task;
		status = consume(ctx, &items[i].wait);
	}
	return status;
}

int runqueue_records_emit(struct runqueue_records *records,
			  consume_cpu_wait *consume, void *ctx)
{
	int status = hand_on(&records->waits, consume, ctx);

	return status ? status : hand_on(&records->last, consume, ctx);
}
