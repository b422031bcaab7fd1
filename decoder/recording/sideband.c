/* SPDX-License-Identifier: MIT */
#include "decoder/recording/sideband.h"

#include "common/array.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "decoder/recording/record_parse_internal.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording_facts.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A record that waits until all earlier ones have been read. */
struct pending {
	uint64_t time_ns;
	/* position in the file: keeps the order of equal times */
	uint64_t order;
	const uint8_t *bytes;
	uint64_t file_offset;
	uint32_t kind;
	int32_t cpu;
};

/* Puts records into the order of time. A round is one visit of the recorder to
 * all CPUs' buffers. All records written before the start of round N have been
 * read when it ends, so all records up to the latest time of round N - 1 are
 * ready then.
 */
struct record_order {
	struct array waiting; /* struct pending, sorted from next on */
	size_t next;
	uint64_t order;
	uint64_t limit_ns;  /* older records are ready */
	uint64_t latest_ns; /* latest time of a record seen so far */
	uint64_t round_ns;  /* latest_ns at the start of the round */
};

#define RECORD_ORDER_NONE \
	((struct record_order){ .waiting = ARRAY_OF(struct pending) })

struct record_lists {
	struct record_order order; /* of the records that are not listed yet */
	struct array cpus;	   /* struct array, by CPU */
	struct array tasks;	   /* const uint8_t * */
	struct array none;
};

struct record_lists *record_lists_new(void)
{
	struct record_lists *lists = calloc(1, sizeof(*lists));

	if (!lists)
		return NULL;
	lists->order = RECORD_ORDER_NONE;
	lists->cpus = ARRAY_OF(struct array);
	lists->tasks = ARRAY_OF(const uint8_t *);
	lists->none = ARRAY_OF(const uint8_t *);
	return lists;
}

/* Removes all records of @order, but keeps its memory. */
static void record_order_clear(struct record_order *order)
{
	struct array waiting = order->waiting;

	waiting.count = 0;
	*order = (struct record_order){ .waiting = waiting };
}

void record_lists_clear(struct record_lists *lists)
{
	record_order_clear(&lists->order);
	for (size_t i = 0; i < lists->cpus.count; i++)
		((struct array *)array_at(&lists->cpus, i))->count = 0;
	lists->tasks.count = 0;
}

void record_lists_free(struct record_lists *lists)
{
	if (!lists)
		return;
	for (size_t i = 0; i < lists->cpus.count; i++)
		array_free(array_at(&lists->cpus, i));
	array_free(&lists->order.waiting);
	array_free(&lists->cpus);
	array_free(&lists->tasks);
	free(lists);
}

static int kind_of(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return SIDEBAND_SWITCH;
	case PERF_RECORD_COMM:
		return SIDEBAND_COMM;
	case PERF_RECORD_FORK:
		return SIDEBAND_FORK;
	case PERF_RECORD_EXIT:
		return SIDEBAND_EXIT;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return SIDEBAND_MMAP;
	case PERF_RECORD_KSYMBOL:
		return SIDEBAND_KSYMBOL;
	case PERF_RECORD_BPF_EVENT:
		return SIDEBAND_BPF;
	case PERF_RECORD_TEXT_POKE:
		return SIDEBAND_TEXT_POKE;
	case PERF_RECORD_SAMPLE:
		return SIDEBAND_SAMPLE;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return SIDEBAND_LOST;
	case PERF_RECORD_AUX:
		return SIDEBAND_AUX;
	case PERF_RECORD_ITRACE_START:
		return SIDEBAND_ITRACE_START;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		return SIDEBAND_AUX_HW_ID;
	default:
		return -1;
	}
}

/* Adds a record to the current round. Returns 0 or -ERROR_MEMORY. */
static int record_order_add(struct record_order *order,
			    const struct record *record,
			    const struct record_origin *origin, int kind)
{
	struct pending *pending = array_add(&order->waiting);

	if (!pending)
		return -ERROR_MEMORY;
	*pending = (struct pending){
		.time_ns = origin->time_ns,
		.order = order->order++,
		.bytes = record->bytes,
		.file_offset = record->file_offset,
		.kind = (uint32_t)kind,
		.cpu = origin->cpu,
	};
	return 0;
}

/* Ends the round; without a further one (@at_end) all records are ready. */
static void record_order_end_round(struct record_order *order, bool at_end)
{
	struct array *waiting = &order->waiting;

	array_remove(waiting, 0, order->next);
	order->next = 0;
	order->limit_ns = at_end ? UINT64_MAX : order->round_ns;
	order->round_ns = order->latest_ns;
	array_sort_by(waiting, KEYS(RISING(struct pending, time_ns),
				    RISING(struct pending, order)));
}

/* Returns the next record that is ready, or NULL. */
static const struct pending *record_order_next(struct record_order *order)
{
	const struct pending *pending;

	if (order->next == order->waiting.count)
		return NULL;
	pending = array_at(&order->waiting, order->next);
	if (pending->time_ns > order->limit_ns)
		return NULL;
	order->next++;
	return pending;
}

static int add_to_cpu(struct record_lists *lists, const struct pending *record)
{
	const struct array empty = ARRAY_OF(const uint8_t *);

	if (record->cpu < 0)
		return 0;
	while (lists->cpus.count <= (size_t)record->cpu)
		if (array_append(&lists->cpus, &empty) < 0)
			return -ERROR_MEMORY;
	return array_append(array_at(&lists->cpus, (size_t)record->cpu),
			    &record->bytes);
}

static int list(struct record_lists *lists, const struct pending *record)
{
	unsigned int kind = SIDEBAND_BIT(record->kind);
	int status = 0;

	if (kind & RECORD_LISTS_OF_CPU)
		status = add_to_cpu(lists, record);
	if (!status && kind & RECORD_LISTS_OF_TASKS)
		status = array_append(&lists->tasks, &record->bytes);
	return status;
}

int record_lists_end_round(struct record_lists *lists, bool at_end)
{
	const struct pending *record;
	int status = 0;

	record_order_end_round(&lists->order, at_end);
	while (!status && (record = record_order_next(&lists->order)))
		status = list(lists, record);
	if (at_end)
		array_free(&lists->order.waiting);
	return status;
}

static bool is_breakpoint(const struct recording_event *event)
{
	return event && event->type == PERF_TYPE_BREAKPOINT;
}

int record_lists_add(struct record_lists *lists, const struct record *record,
		     const struct record_origin *origin)
{
	int kind = kind_of(record->type);

	if (kind < 0)
		return 0;
	if (origin->time_ns > lists->order.latest_ns)
		lists->order.latest_ns = origin->time_ns;
	if (!(SIDEBAND_BIT((unsigned int)kind) &
	      (RECORD_LISTS_OF_CPU | RECORD_LISTS_OF_TASKS)) ||
	    (kind == SIDEBAND_SAMPLE && !is_breakpoint(origin->event)))
		return 0;
	return record_order_add(&lists->order, record, origin, kind);
}

struct sideband {
	const struct recording *recording;
	unsigned int kinds;
	/* chooses samples by their events; NULL: all */
	bool (*wants)(const struct recording_event *event);
	struct record_walk walk;
	struct record_walk round; /* the walk at the start of the last round */
	struct record_order order;
	bool at_end;
	/* list of struct record_lists to iterate over; NULL: all records */
	const struct array *own;
	size_t own_next;
	/* end of the file's bytes given back to the system */
	uint64_t own_released;
};

/* Returns whether the recording has any record of the wanted kinds: with many
 * streams, most decoders need not walk over all records then.
 */
static bool has_any(const struct sideband *sideband)
{
	const uint64_t *by_type =
		recording_counts(sideband->recording)->by_type;

	/* kind_of() knows no later type. */
	for (uint32_t type = 0; type <= PERF_RECORD_AUX_OUTPUT_HW_ID; type++) {
		int kind = by_type[type] ? kind_of(type) : -1;

		if (kind >= 0 &&
		    sideband->kinds & SIDEBAND_BIT((unsigned int)kind))
			return true;
	}
	return false;
}

struct sideband *sideband_open(const struct recording *recording,
			       unsigned int kinds)
{
	struct sideband *sideband = calloc(1, sizeof(*sideband));

	if (!sideband)
		return NULL;
	sideband->kinds = kinds ? kinds : ~0u;
	sideband->order = RECORD_ORDER_NONE;
	sideband_reopen(sideband, recording);
	return sideband;
}

void sideband_reopen(struct sideband *sideband,
		     const struct recording *recording)
{
	const unsigned int listed = RECORD_LISTS_OF_TASKS &
				    ~SIDEBAND_BIT(SIDEBAND_SAMPLE);

	sideband->recording = recording;
	sideband->walk = record_walk_of(recording_store(recording));
	sideband->round = sideband->walk;
	record_order_clear(&sideband->order);
	sideband->at_end = !has_any(sideband);
	sideband->own = sideband->kinds & ~listed ?
				NULL :
				&recording_record_lists(recording)->tasks;
	sideband->own_next = 0;
	sideband->own_released = 0;
}

void sideband_choose_samples(struct sideband *sideband,
			     bool (*wants)(const struct recording_event *event))
{
	sideband->wants = wants;
}

/* Returns the list of the records of @cpu. */
static const struct array *cpu_list(const struct recording *recording,
				    int32_t cpu)
{
	const struct record_lists *lists = recording_record_lists(recording);

	return cpu < 0 || (size_t)cpu >= lists->cpus.count ?
		       &lists->none :
		       array_at(&lists->cpus, (size_t)cpu);
}

struct sideband *sideband_open_cpu(const struct recording *recording,
				   unsigned int kinds, int32_t cpu)
{
	struct sideband *sideband = sideband_open(recording, kinds);

	assert(kinds && !(kinds & ~RECORD_LISTS_OF_CPU));
	if (sideband)
		sideband->own = cpu_list(recording, cpu);
	return sideband;
}

struct sideband *sideband_open_tasks(const struct recording *recording,
				     unsigned int kinds)
{
	struct sideband *sideband = sideband_open(recording, kinds);

	assert(kinds && !(kinds & ~RECORD_LISTS_OF_TASKS));
	if (sideband)
		sideband->own = &recording_record_lists(recording)->tasks;
	return sideband;
}

struct sideband *sideband_open_stream(const struct recording *recording,
				      unsigned int kinds,
				      const struct aux_stream *stream)
{
	if (stream->cpu < 0)
		return sideband_open(recording, kinds);
	return sideband_open_cpu(recording, kinds, stream->cpu);
}

void sideband_reopen_stream(struct sideband *sideband,
			    const struct recording *recording,
			    const struct aux_stream *stream)
{
	sideband_reopen(sideband, recording);
	if (stream->cpu >= 0)
		sideband->own = cpu_list(recording, stream->cpu);
}

void sideband_close(struct sideband *sideband)
{
	if (!sideband)
		return;
	array_free(&sideband->order.waiting);
	free(sideband);
}

static int consume(struct sideband *sideband, const struct record *record)
{
	struct record_order *order = &sideband->order;
	int kind = kind_of(record->type);
	struct record_origin origin;

	if (kind < 0)
		return 0;
	record_parse_origin(recording_event_table(sideband->recording), record,
			    &origin);
	if (origin.time_ns > order->latest_ns)
		order->latest_ns = origin.time_ns;
	if (!(sideband->kinds & SIDEBAND_BIT((unsigned int)kind)))
		return 0;
	if (kind == SIDEBAND_SAMPLE && sideband->wants &&
	    (!origin.event || !sideband->wants(origin.event)))
		return 0;
	return record_order_add(order, record, &origin, kind);
}

/* Reads one round. */
static int fill(struct sideband *sideband)
{
	struct record record;
	int error = 0;

	record_walk_release(&sideband->walk, &sideband->round);
	sideband->round = sideband->walk;
	sideband->at_end = true;
	while (!error && record_walk_next(&sideband->walk, &record)) {
		if (record.type == PERF_DATA_FINISHED_ROUND) {
			sideband->at_end = false;
			break;
		}
		error = consume(sideband, &record);
		/* The trace in files of its own has no rounds. */
		if (sideband->walk.span != sideband->round.span)
			record_walk_release(&sideband->walk, &sideband->walk);
	}
	record_order_end_round(&sideband->order, sideband->at_end);
	return error;
}

static bool parse(const struct sideband *sideband, const uint8_t *bytes,
		  uint64_t file_offset, struct sideband_record *result)
{
	struct record record;
	uint64_t length;

	/* The first walk has checked that the record is complete. */
	if (record_frame_read(bytes, UINT16_MAX, &record, &length) ||
	    !(sideband->kinds &
	      SIDEBAND_BIT((unsigned int)kind_of(record.type))))
		return false;
	record.file_offset = file_offset;
	if (record_parse(recording_event_table(sideband->recording), &record,
			 result) != 1)
		return false;
	result->bytes = bytes;
	return true;
}

static int next_own(struct sideband *sideband, struct sideband_record *result)
{
	const struct record_store *store = recording_store(sideband->recording);

	while (sideband->own_next < sideband->own->count) {
		const uint8_t *const *bytes =
			array_at(sideband->own, sideband->own_next++);

		record_store_release(store, *bytes, &sideband->own_released);
		if (parse(sideband, *bytes, 0, result))
			return 1;
	}
	return 0;
}

int sideband_next(struct sideband *sideband, struct sideband_record *record)
{
	if (sideband->own && !sideband->at_end)
		return next_own(sideband, record);
	for (;;) {
		const struct pending *pending;

		while ((pending = record_order_next(&sideband->order)))
			if (parse(sideband, pending->bytes,
				  pending->file_offset, record))
				return 1;
		if (sideband->at_end)
			return 0;
		if (fill(sideband) < 0)
			return -ERROR_MEMORY;
	}
}

/* Adds a task; if there is no room, drops the one that exited first. */
static void add_dead(struct dead_tasks *dead,
		     const struct sideband_record *record)
{
	if (dead->count == DEAD_TASKS_MAX)
		memmove(dead->tasks, dead->tasks + 1,
			--dead->count * sizeof(*dead->tasks));
	dead->tasks[dead->count++] = (struct dead_task){
		.pid = record->pid,
		.tid = record->tid,
	};
}

/* Returns the only preempted task, or NULL. */
static const struct dead_task *find_waiting(const struct dead_tasks *dead)
{
	const struct dead_task *found = NULL;

	for (size_t i = 0; i < dead->count; i++) {
		if (!dead->tasks[i].waits)
			continue;
		if (found)
			return NULL;
		found = &dead->tasks[i];
	}
	return found;
}

/* Replaces ids of -1 by those of @known or, if @known is NULL, by those of the
 * only task that was preempted after its exit.
 */
static void name(const struct dead_tasks *dead, const struct dead_task *known,
		 int32_t *pid, int32_t *tid)
{
	const struct dead_task *task = known ? known : find_waiting(dead);

	if (*tid != -1 || !task)
		return;
	*pid = task->pid;
	*tid = task->tid;
}

static void name_both(const struct dead_tasks *dead,
		      struct sideband_record *record)
{
	struct sideband_switch *change = &record->change;
	bool out = change->out;

	name(dead, out && dead->has_current ? &dead->current : NULL,
	     &record->pid, &record->tid);
	if (change->cpu_wide)
		name(dead, !out && dead->has_left ? &dead->left : NULL,
		     &change->other_pid, &change->other_tid);
}

static void leave(struct dead_tasks *dead, int32_t tid, bool preempted)
{
	for (size_t i = 0; i < dead->count; i++)
		if (dead->tasks[i].tid == tid)
			dead->tasks[i].waits = preempted;
}

/* Updates the current task from @record, an exit or a switch. */
static void note(struct dead_tasks *dead, const struct sideband_record *record)
{
	const struct dead_task task = { .pid = record->pid,
					.tid = record->tid };
	bool leaves = record->kind == SIDEBAND_SWITCH && record->change.out;

	if (leaves)
		dead->left = task;
	else
		dead->current = task;
	dead->has_left |= leaves;
	dead->has_current = !leaves;
}

/* Replaces the missing ID of a sample of the current task, which has exited. */
static void name_sample(const struct dead_tasks *dead,
			struct sideband_record *record)
{
	if (dead->has_current)
		name(dead, &dead->current, &record->pid, &record->tid);
}

void dead_tasks_consume(struct dead_tasks *dead, struct sideband_record *record)
{
	if (record->kind == SIDEBAND_SAMPLE) {
		name_sample(dead, record);
		return;
	}
	if (record->kind == SIDEBAND_EXIT)
		add_dead(dead, record);
	else if (record->kind == SIDEBAND_SWITCH)
		name_both(dead, record);
	else
		return;
	note(dead, record);
	if (record->kind == SIDEBAND_SWITCH && record->change.out)
		leave(dead, record->tid, record->change.preempted);
}
