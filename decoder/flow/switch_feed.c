/* SPDX-License-Identifier: MIT */
#include "decoder/flow/switch_feed.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <stdbool.h>
#include <stdlib.h>

struct task {
	int32_t tid;
	int32_t pid;
};

struct task_ids {
	struct array tasks; /* struct task, by tid */
};

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a;
	const struct task *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int read_tasks(struct task_ids *tasks, struct sideband *sideband)
{
	struct sideband_record record;
	int status;

	while ((status = sideband_next(sideband, &record)) > 0) {
		if (record.tid < 0 || record.pid < 0)
			continue;
		if (array_append(&tasks->tasks,
				 &(struct task){ record.tid, record.pid }) < 0)
			return -ERROR_MEMORY;
	}
	array_sort(&tasks->tasks, compare_tasks);
	return status;
}

struct task_ids *task_ids_new(const struct recording *recording)
{
	struct task_ids *tasks = calloc(1, sizeof(*tasks));
	struct sideband *sideband = sideband_open_tasks(
		recording, SIDEBAND_BIT(SIDEBAND_COMM) |
				   SIDEBAND_BIT(SIDEBAND_FORK) |
				   SIDEBAND_BIT(SIDEBAND_ITRACE_START));
	int status = -ERROR_MEMORY;

	if (tasks && sideband) {
		tasks->tasks = ARRAY_OF(struct task);
		status = read_tasks(tasks, sideband);
	}
	sideband_close(sideband);
	if (status < 0) {
		task_ids_free(tasks);
		return NULL;
	}
	return tasks;
}

void task_ids_free(struct task_ids *tasks)
{
	if (!tasks)
		return;
	array_free(&tasks->tasks);
	free(tasks);
}

int32_t task_ids_process(const struct task_ids *tasks, int32_t tid)
{
	const struct task wanted = { .tid = tid };
	const struct task *found =
		tasks->tasks.count ?
			bsearch(&wanted, tasks->tasks.items, tasks->tasks.count,
				sizeof(wanted), compare_tasks) :
			NULL;

	if (!found)
		return tid == 0 ? 0 : -1;
	return found->pid;
}

struct switch_feed {
	const struct aux_stream *stream;
	struct sideband *sideband;
	struct flow_item item;
	bool has_item;
	/* running task according to the records; -1: unknown */
	int32_t tid;
	bool is_arrival;  /* see switch_feed_is_arrival() */
	uint64_t done_ns; /* see switch_feed_done_ns() */
	struct dead_tasks dead;
};

static void set_item(struct switch_feed *feed, uint64_t time_ns, uint8_t detail,
		     int32_t pid, int32_t tid)
{
	feed->tid = tid;
	feed->has_item = true;
	feed->item = (struct flow_item){
		.time_ns = time_ns,
		.kind = FLOW_SWITCH,
		.detail = detail & 0xf,
		.ip = (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid,
	};
}

static bool concerns(const struct switch_feed *feed,
		     const struct sideband_record *record)
{
	const struct aux_stream *stream = feed->stream;

	if (stream->cpu >= 0)
		return record->cpu == stream->cpu;
	return record->tid == stream->tid;
}

/* Applies a switch record. An "out" that names the next task already is the
 * switch; the "in" of that task then adds nothing.
 */
static void consume(struct switch_feed *feed,
		    const struct sideband_record *record)
{
	const struct sideband_switch *change = &record->change;
	uint64_t time_ns = record->time_ns;

	if (!change->out && record->tid == feed->tid) {
		if (feed->done_ns == UINT64_MAX)
			feed->done_ns = time_ns;
		return;
	}
	feed->is_arrival = !change->out;
	if (!change->out) {
		set_item(feed, time_ns, FLOW_SWITCH_TO, record->pid,
			 record->tid);
	} else if (change->cpu_wide) {
		set_item(feed, time_ns,
			 change->preempted ? FLOW_SWITCH_PREEMPT :
					     FLOW_SWITCH_TO,
			 change->other_pid, change->other_tid);
	} else {
		set_item(feed, time_ns, FLOW_SWITCH_AWAY, -1, -1);
	}
}

/* Applies a record of losses that the recorder has written, which has no task:
 * the CPU was switched off, and what ran there after its last switch is not
 * known. The kernel's own records of losses are written only when there is room
 * again, together with the next switch.
 */
static void consume_loss(struct switch_feed *feed,
			 const struct sideband_record *record)
{
	uint64_t last_ns = feed->item.time_ns;

	if (record->tid != -1)
		return;
	feed->dead.has_current = false;
	feed->dead.has_left = false;
	if (feed->tid == -1)
		return;
	feed->is_arrival = false;
	set_item(feed, record->time_ns > last_ns ? record->time_ns : last_ns,
		 FLOW_SWITCH_AWAY, -1, -1);
}

int switch_feed_advance(struct switch_feed *feed)
{
	feed->has_item = false;
	feed->done_ns = feed->is_arrival ? feed->item.time_ns : UINT64_MAX;
	while (!feed->has_item) {
		struct sideband_record record;
		int status = sideband_next(feed->sideband, &record);

		if (status <= 0)
			return status;
		if (!concerns(feed, &record))
			continue;
		dead_tasks_consume(&feed->dead, &record);
		if (record.kind == SIDEBAND_SWITCH)
			consume(feed, &record);
		else if (record.kind == SIDEBAND_LOST)
			consume_loss(feed, &record);
	}
	return 0;
}

struct switch_feed *switch_feed_new(const struct recording *recording,
				    const struct aux_stream *stream)
{
	struct switch_feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return NULL;
	feed->stream = stream;
	feed->tid = -1;
	feed->sideband = sideband_open_stream(
		recording,
		SIDEBAND_BIT(SIDEBAND_SWITCH) | SIDEBAND_BIT(SIDEBAND_EXIT) |
			SIDEBAND_BIT(SIDEBAND_LOST),
		stream);
	if (!feed->sideband || switch_feed_advance(feed) < 0) {
		switch_feed_free(feed);
		return NULL;
	}
	return feed;
}

int switch_feed_reopen(struct switch_feed *feed,
		       const struct recording *recording,
		       const struct aux_stream *stream)
{
	*feed = (struct switch_feed){
		.stream = stream,
		.sideband = feed->sideband,
		.tid = -1,
	};
	sideband_reopen_stream(feed->sideband, recording, stream);
	return switch_feed_advance(feed);
}

bool switch_feed_is_arrival(const struct switch_feed *feed)
{
	return feed->is_arrival;
}

uint64_t switch_feed_done_ns(const struct switch_feed *feed)
{
	return feed->done_ns;
}

void switch_feed_free(struct switch_feed *feed)
{
	if (!feed)
		return;
	sideband_close(feed->sideband);
	free(feed);
}

const struct flow_item *switch_feed_peek(const struct switch_feed *feed)
{
	return feed->has_item ? &feed->item : NULL;
}

int switch_feed_merge(struct switch_feed *feed, struct flow_batch *batch,
		      bool all, uint64_t end_ns)
{
	const struct flow_item *item;

	while ((item = switch_feed_peek(feed)) &&
	       (all || item->time_ns <= flow_batch_last_ns(batch))) {
		bool is_beyond = item->time_ns > end_ns &&
				 item->detail != FLOW_SWITCH_AWAY;

		if (!is_beyond && !flow_batch_insert(batch, item))
			return 0;
		if (switch_feed_advance(feed) < 0)
			return -ERROR_MEMORY;
	}
	return 1;
}
