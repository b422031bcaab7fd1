/* SPDX-License-Identifier: MIT */
#include "decoder/recording/sideband.h"

#include "common/array.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/formats/recording_events.h"
#include "decoder/recording/record_parse_internal.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording_facts.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct record_lists {
	/* protects the other fields until they are built */
	pthread_mutex_t lock;
	bool is_there;
	int status;
	struct array cpus;  /* struct array, by CPU */
	struct array tasks; /* const uint8_t * */
	struct array none;
};

struct record_lists *record_lists_new(void)
{
	struct record_lists *lists = calloc(1, sizeof(*lists));

	if (!lists)
		return NULL;
	pthread_mutex_init(&lists->lock, NULL);
	lists->cpus = ARRAY_OF(struct array);
	lists->tasks = ARRAY_OF(const uint8_t *);
	lists->none = ARRAY_OF(const uint8_t *);
	return lists;
}

void record_lists_free(struct record_lists *lists)
{
	if (!lists)
		return;
	for (size_t i = 0; i < lists->cpus.count; i++)
		array_free(array_at(&lists->cpus, i));
	array_free(&lists->cpus);
	array_free(&lists->tasks);
	pthread_mutex_destroy(&lists->lock);
	free(lists);
}

static int add_to(struct array *list, const struct sideband_record *record)
{
	const uint8_t **added = array_add(list);

	if (!added)
		return -ERROR_MEMORY;
	*added = record->bytes;
	return 0;
}

static int add_to_cpu(struct record_lists *lists,
		      const struct sideband_record *record)
{
	if (record->cpu < 0)
		return 0;
	while (lists->cpus.count <= (size_t)record->cpu) {
		struct array *cpu = array_add(&lists->cpus);

		if (!cpu)
			return -ERROR_MEMORY;
		*cpu = ARRAY_OF(const uint8_t *);
	}
	return add_to(array_at(&lists->cpus, (size_t)record->cpu), record);
}

static bool is_mremap(const struct recording_event *event)
{
	return event && event->type == PERF_TYPE_BREAKPOINT &&
	       !strcmp(event->name, MREMAP_EVENT);
}

static int add(struct record_lists *lists, const struct sideband_record *record)
{
	unsigned int kind = SIDEBAND_BIT(record->kind);
	int status = 0;

	if (record->kind == SIDEBAND_SAMPLE && !is_mremap(record->event))
		return 0;
	if (kind & RECORD_LISTS_OF_CPU)
		status = add_to_cpu(lists, record);
	if (!status && kind & RECORD_LISTS_OF_TASKS)
		status = add_to(&lists->tasks, record);
	return status;
}

/* Returns the kinds of records in the lists. Samples are included only if the
 * recording has the event MREMAP_EVENT.
 */
static unsigned int listed_kinds(const struct recording *recording)
{
	unsigned int kinds = RECORD_LISTS_OF_CPU | RECORD_LISTS_OF_TASKS;

	for (size_t i = 0; i < recording_event_count(recording); i++)
		if (is_mremap(recording_event(recording, i)))
			return kinds;
	return kinds & ~SIDEBAND_BIT(SIDEBAND_SAMPLE);
}

static int find_all(struct record_lists *lists,
		    const struct recording *recording)
{
	struct sideband *sideband =
		sideband_open(recording, listed_kinds(recording));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0) {
		status = add(lists, &record);
		if (status < 0)
			break;
	}
	sideband_close(sideband);
	return status;
}

static bool are_found(struct record_lists *lists,
		      const struct recording *recording)
{
	int status;

	pthread_mutex_lock(&lists->lock);
	if (!lists->is_there)
		lists->status = find_all(lists, recording);
	lists->is_there = true;
	status = lists->status;
	pthread_mutex_unlock(&lists->lock);
	return status >= 0;
}

/* Returns the records of @cpu in @recording, each a const uint8_t * to its
 * header, in the order of sideband_next(); NULL when out of memory. @lists are
 * the lists of @recording; the first call fills them. May be called from
 * several threads at the same time.
 */
static const struct array *
record_lists_of_cpu(struct record_lists *lists,
		    const struct recording *recording, int32_t cpu)
{
	if (!are_found(lists, recording))
		return NULL;
	if (cpu < 0 || (size_t)cpu >= lists->cpus.count)
		return &lists->none;
	return array_at(&lists->cpus, (size_t)cpu);
}

/* Like record_lists_of_cpu(), for the records about tasks. */
static const struct array *
record_lists_of_tasks(struct record_lists *lists,
		      const struct recording *recording)
{
	return are_found(lists, recording) ? &lists->tasks : NULL;
}

/* A record that waits until all earlier ones have been read. */
struct pending {
	uint64_t time_ns;
	/* position in the file: keeps the order of equal times */
	uint64_t order;
	const uint8_t *bytes;
	uint64_t file_offset;
};

/* A round is one visit of the recorder to all CPUs' buffers. All records
 * written before the start of round N have been read when it ends, so all
 * records up to the latest time of round N - 1 can be returned, in order.
 */
struct sideband {
	const struct recording *recording;
	unsigned int kinds;
	/* chooses samples by their events; NULL: all */
	bool (*wants)(const struct recording_event *event);
	struct record_walk walk;
	struct record_walk round; /* the walk at the start of the last round */
	struct array waiting;	  /* struct pending, sorted from next on */
	size_t next;
	uint64_t order;
	uint64_t limit_ns;  /* older records may be returned */
	uint64_t latest_ns; /* latest time of a record seen so far */
	bool at_end;
	/* list of struct record_lists to iterate over; NULL: all records */
	const struct array *own;
	size_t own_next;
	/* end of the file's bytes given back to the system */
	uint64_t own_released;
};

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
	sideband->recording = recording;
	sideband->kinds = kinds ? kinds : ~0u;
	sideband->walk = record_walk_of(recording_store(recording));
	sideband->round = sideband->walk;
	sideband->waiting = ARRAY_OF(struct pending);
	sideband->at_end = !has_any(sideband);
	return sideband;
}

void sideband_choose_samples(struct sideband *sideband,
			     bool (*wants)(const struct recording_event *event))
{
	sideband->wants = wants;
}

/* Opens an iterator over the records of @cpu, or over those about tasks. */
static struct sideband *open_list(const struct recording *recording,
				  unsigned int kinds, const int32_t *cpu)
{
	struct sideband *sideband = sideband_open(recording, kinds);
	struct record_lists *lists = recording_record_lists(recording);

	if (!sideband || sideband->at_end)
		return sideband;
	sideband->own = cpu ? record_lists_of_cpu(lists, recording, *cpu) :
			      record_lists_of_tasks(lists, recording);
	if (sideband->own)
		return sideband;
	sideband_close(sideband);
	return NULL;
}

struct sideband *sideband_open_cpu(const struct recording *recording,
				   unsigned int kinds, int32_t cpu)
{
	assert(kinds && !(kinds & ~RECORD_LISTS_OF_CPU));
	return open_list(recording, kinds, &cpu);
}

struct sideband *sideband_open_tasks(const struct recording *recording,
				     unsigned int kinds)
{
	assert(kinds && !(kinds & ~RECORD_LISTS_OF_TASKS));
	return open_list(recording, kinds, NULL);
}

struct sideband *sideband_open_stream(const struct recording *recording,
				      unsigned int kinds,
				      const struct aux_stream *stream)
{
	if (stream->cpu < 0)
		return sideband_open(recording, kinds);
	return sideband_open_cpu(recording, kinds, stream->cpu);
}

void sideband_close(struct sideband *sideband)
{
	if (!sideband)
		return;
	array_free(&sideband->waiting);
	free(sideband);
}

static int consume(struct sideband *sideband, const struct record *record)
{
	int kind = kind_of(record->type);
	struct record_origin origin;

	if (kind < 0)
		return 0;
	record_parse_origin(recording_event_table(sideband->recording), record,
			    &origin);
	if (origin.time_ns > sideband->latest_ns)
		sideband->latest_ns = origin.time_ns;
	if (!(sideband->kinds & SIDEBAND_BIT((unsigned int)kind)))
		return 0;
	if (kind == SIDEBAND_SAMPLE && sideband->wants &&
	    (!origin.event || !sideband->wants(origin.event)))
		return 0;

	struct pending *pending = array_add(&sideband->waiting);

	if (!pending)
		return -ERROR_MEMORY;
	pending->time_ns = origin.time_ns;
	pending->order = sideband->order++;
	pending->bytes = record->bytes;
	pending->file_offset = record->file_offset;
	return 0;
}

static void drop_delivered(struct sideband *sideband)
{
	struct array *waiting = &sideband->waiting;
	struct pending *items = waiting->items;

	if (!sideband->next)
		return;
	memmove(items, items + sideband->next,
		(waiting->count - sideband->next) * sizeof(*items));
	waiting->count -= sideband->next;
	sideband->next = 0;
}

/* Reads one round. */
static int fill(struct sideband *sideband)
{
	uint64_t limit_ns = sideband->latest_ns;
	struct record record;
	int error = 0;

	drop_delivered(sideband);
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
	sideband->limit_ns = sideband->at_end ? UINT64_MAX : limit_ns;
	array_sort_by(&sideband->waiting, KEYS(RISING(struct pending, time_ns),
					       RISING(struct pending, order)));
	return error;
}

static bool parse(const struct sideband *sideband, const uint8_t *bytes,
		  uint64_t file_offset, struct sideband_record *result)
{
	struct record record;
	uint64_t length;

	/* The first walk has checked that the record is complete. */
	if (record_frame_read(bytes, UINT16_MAX, &record, &length))
		return false;
	record.file_offset = file_offset;
	if (record_parse(recording_event_table(sideband->recording), &record,
			 result) != 1)
		return false;
	result->bytes = bytes;
	return true;
}

static bool deliver(struct sideband *sideband, struct sideband_record *result)
{
	const struct pending *pending =
		array_at(&sideband->waiting, sideband->next++);

	return parse(sideband, pending->bytes, pending->file_offset, result);
}

static int next_own(struct sideband *sideband, struct sideband_record *result)
{
	const struct record_store *store = recording_store(sideband->recording);

	while (sideband->own_next < sideband->own->count) {
		const uint8_t *const *bytes =
			array_at(sideband->own, sideband->own_next++);

		record_store_release(store, *bytes, &sideband->own_released);
		if (parse(sideband, *bytes, 0, result) &&
		    sideband->kinds & SIDEBAND_BIT(result->kind))
			return 1;
	}
	return 0;
}

static bool has_ready(const struct sideband *sideband)
{
	if (sideband->next == sideband->waiting.count)
		return false;

	const struct pending *pending =
		array_at(&sideband->waiting, sideband->next);

	return pending->time_ns <= sideband->limit_ns;
}

int sideband_next(struct sideband *sideband, struct sideband_record *record)
{
	if (sideband->own)
		return next_own(sideband, record);
	for (;;) {
		while (has_ready(sideband))
			if (deliver(sideband, record))
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
