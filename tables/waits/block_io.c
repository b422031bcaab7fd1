/* SPDX-License-Identifier: MIT */
#include "tables/waits/block_io.h"

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/recording/sideband.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Limits on writes that wait for a flush, which the kernel may never send, and
 * on I/Os in flight, whose completions may have been lost.
 */
enum { MOST_FLUSHING = 64, MOST_FLYING = 1 << 16 };

/* The I/Os that a CPU completed last. */
struct cpu_completion {
	int32_t cpu;
	struct array ios; /* struct block_io */
};

/* A thread that the completion of an I/O woke, until its sleep is emitted. */
struct block_waiter {
	int32_t tid;
	uint64_t wake_ns;
	struct block_io io;
	bool has_slept; /* the members below are known */
	struct task task;
	struct sleep sleep;
};

void block_ios_open(struct block_ios *ios, struct block_callback *callback)
{
	*ios = (struct block_ios){
		.callback = callback,
		.flying = ARRAY_OF(struct block_io),
		.ended = KEYED_ARRAY_OF(struct cpu_completion, cpu),
		.woken = ARRAY_OF(struct block_waiter),
	};
}

void block_ios_close(struct block_ios *ios)
{
	for (size_t i = 0; i < ios->ended.items.count; i++) {
		struct cpu_completion *ended = array_at(&ios->ended.items, i);

		array_free(&ended->ios);
	}
	keyed_array_free(&ios->ended);
	array_free(&ios->woken);
	array_free(&ios->flying);
}

/* Returns the letter of the data's direction; a leading F is a flush before. */
static char direction(const char *letters)
{
	return letters[0] == 'F' && letters[1] ? letters[1] : letters[0];
}

static bool also_flushes(const struct block_io *io)
{
	return io->range.sectors && memchr(io->letters, 'F', BLOCK_LETTERS);
}

static bool is_flushing(const struct block_io *io)
{
	return io->completed_ns && also_flushes(io);
}

/* Returns how many sectors of @io are in @range. */
static uint64_t common_sectors(const struct block_io *io,
			       const struct block_range *range)
{
	return io->range.device == range->device ?
		       block_range_common(&io->range, range) :
		       0;
}

/* Emits item @index, and removes it. */
static int emit(struct block_ios *ios, size_t index)
{
	struct block_io io =
		*(const struct block_io *)array_at(&ios->flying, index);

	array_remove(&ios->flying, index, 1);
	return ios->callback->done(ios->callback, &io);
}

/* Marks @io and @old, which is in flight, as inferred if events cannot
 * distinguish them.
 */
static void doubt(struct block_io *old, struct block_io *io)
{
	bool are_flushes = !old->range.sectors && !io->range.sectors &&
			   old->range.device == io->range.device;

	if (!are_flushes && (!common_sectors(old, &io->range) ||
			     direction(old->letters) != direction(io->letters)))
		return;
	old->is_inferred = true;
	io->is_inferred = true;
}

int block_ios_queue(struct block_ios *ios, const struct block_io *queued)
{
	struct block_io io = *queued;

	io.sectors_left = io.range.sectors;
	for (size_t i = ios->flying.count; i-- > 0;) {
		struct block_io *old = array_at(&ios->flying, i);

		if (!is_flushing(old))
			doubt(old, &io);
		else if (common_sectors(old, &io.range) && emit(ios, i) < 0)
			return -ERROR_MEMORY;
	}
	if (ios->flying.count == MOST_FLYING && emit(ios, 0) < 0)
		return -ERROR_MEMORY;
	return array_append(&ios->flying, &io);
}

/* Returns whether the request for @range carries @io. */
static bool carries(const struct block_range *range, const char *letters,
		    const struct block_io *io)
{
	if (!range->sectors || !io->range.sectors)
		return !range->sectors && !io->range.sectors &&
		       range->device == io->range.device &&
		       direction(letters) == 'F';
	return common_sectors(io, range) &&
	       direction(io->letters) == direction(letters);
}

void block_ios_issue(struct block_ios *ios, const struct block_range *range,
		     const char *letters, uint64_t time_ns)
{
	struct block_io *items = ios->flying.items;
	bool is_first = true;

	for (size_t i = 0; i < ios->flying.count; i++) {
		struct block_io *io = &items[i];

		if (io->completed_ns || !carries(range, letters, io))
			continue;
		if (is_first)
			io->requests++;
		else if (!io->issued_ns)
			io->is_merged = true;
		is_first = false;
		if (!io->issued_ns)
			io->issued_ns = time_ns;
	}
}

static struct cpu_completion *completion_of(struct block_ios *ios, int32_t cpu)
{
	return keyed_array_add(
		&ios->ended,
		&(struct cpu_completion){ .cpu = cpu,
					  .ios = ARRAY_OF(struct block_io) });
}

/* Completes the sectors of @io that are in @range. Returns whether all may be
 * complete.
 */
static bool complete(struct block_io *io, const struct block_range *range,
		     const char *letters)
{
	uint64_t done = common_sectors(io, range);

	if (is_flushing(io))
		return !range->sectors && range->sector == io->range.sector &&
		       range->device == io->range.device;
	if (!carries(range, letters, io) || (!done && !io->issued_ns))
		return false;
	io->sectors_left -= done < io->sectors_left ? done : io->sectors_left;
	return !io->sectors_left;
}

/* Emits the oldest write that waits for a flush if there are more than
 * MOST_FLUSHING.
 */
static int limit_flushing(struct block_ios *ios)
{
	const struct block_io *items = ios->flying.items;
	size_t count = 0;
	size_t oldest = 0;

	for (size_t i = ios->flying.count; i-- > 0;)
		if (is_flushing(&items[i])) {
			count++;
			oldest = i;
		}
	return count > MOST_FLUSHING ? emit(ios, oldest) : 0;
}

/* Records that item @index may be complete; emits it unless a flush follows. */
static int finish(struct block_ios *ios, size_t index, struct array *ended,
		  uint64_t time_ns)
{
	struct block_io *io = array_at(&ios->flying, index);
	bool is_last = io->completed_ns || !also_flushes(io);

	io->completed_ns = time_ns;
	if (array_append(ended, io) < 0)
		return -ERROR_MEMORY;
	return is_last ? emit(ios, index) : limit_flushing(ios);
}

/* Returns whether the completion of @range keeps the @before I/Os of its CPU's
 * previous completion: it completed no I/O, and both are of flushes on one
 * device. The kernel reports the flush request that the device got, and then
 * the request that asked for the flush.
 */
static bool continues(const struct cpu_completion *ended, size_t before,
		      const struct block_range *range)
{
	const struct block_io *items = ended->ios.items;

	return ended->ios.count == before && before && !range->sectors &&
	       !items[0].range.sectors &&
	       items[0].range.device == range->device;
}

int block_ios_complete(struct block_ios *ios, const struct block_range *range,
		       const char *letters, int32_t cpu, uint64_t time_ns)
{
	struct cpu_completion *ended = completion_of(ios, cpu);
	size_t before = ended ? ended->ios.count : 0;

	if (!ended)
		return -ERROR_MEMORY;
	for (size_t i = ios->flying.count; i-- > 0;) {
		if (i >= ios->flying.count ||
		    !complete(array_at(&ios->flying, i), range, letters))
			continue;
		if (finish(ios, i, &ended->ios, time_ns) < 0)
			return -ERROR_MEMORY;
	}
	if (!continues(ended, before, range))
		array_remove(&ended->ios, 0, before);
	return 0;
}

int block_ios_complete_bio(struct block_ios *ios,
			   const struct block_range *range, const char *letters,
			   int32_t cpu, uint64_t time_ns)
{
	struct block_io *items = ios->flying.items;

	for (size_t i = 0; i < ios->flying.count; i++)
		if (!items[i].issued_ns && carries(range, letters, &items[i]))
			items[i].issued_ns = items[i].queued_ns;
	return block_ios_complete(ios, range, letters, cpu, time_ns);
}

/* Returns the I/O of @ended that thread @tid queued, else the first queued. */
static const struct block_io *io_for(const struct cpu_completion *ended,
				     int32_t tid)
{
	const struct block_io *items = ended->ios.items;

	for (size_t i = 0; i < ended->ios.count; i++)
		if (items[i].task.tid == tid)
			return &items[i];
	return ended->ios.count ? &items[ended->ios.count - 1] : NULL;
}

/* Returns how much of @sleep is between @begin_ns and @end_ns. */
static uint64_t overlap(const struct sleep *sleep, uint64_t begin_ns,
			uint64_t end_ns)
{
	const struct time_window window = { sleep->wake_ns - sleep->asleep_ns,
					    sleep->wake_ns };

	return begin_ns < end_ns ? time_window_part(window, begin_ns, end_ns) :
				   0;
}

static struct block_sleep block_sleep_of(struct block_waiter *waiter)
{
	const struct block_io *io = &waiter->io;
	const struct sleep *sleep = &waiter->sleep;
	struct block_sleep slept = { .io = io,
				     .sleep = sleep,
				     .asleep_ns = sleep->asleep_ns };

	waiter->sleep.task = &waiter->task;
	if (io->issued_ns) {
		slept.queue_ns = overlap(sleep, io->queued_ns, io->issued_ns);
		slept.device_ns =
			overlap(sleep, io->issued_ns, io->completed_ns);
	}
	return slept;
}

static bool are_for_one_io(const struct block_waiter *a,
			   const struct block_waiter *b)
{
	return a->io.range.device == b->io.range.device &&
	       a->io.range.sector == b->io.range.sector &&
	       a->io.queued_ns == b->io.queued_ns &&
	       a->io.completed_ns == b->io.completed_ns;
}

static uint64_t start_of(const struct block_waiter *waiter)
{
	return waiter->wake_ns - waiter->sleep.asleep_ns;
}

/* Counts the threads that wait together with waiter @index: invariant 6. */
static void count_others(const struct block_ios *ios, size_t index,
			 struct block_sleep *slept)
{
	const struct block_waiter *items = ios->woken.items;

	for (size_t i = 0; i < ios->woken.count; i++) {
		if (i == index || !items[i].has_slept ||
		    !are_for_one_io(&items[i], &items[index]))
			continue;
		slept->others_at_begin += start_of(&items[i]) <
					  start_of(&items[index]);
		slept->others_at_end += i > index;
	}
}

/* Removes the waiters of the I/O of @like and emits their sleeps. */
static int emit_sleeps(struct block_ios *ios, const struct block_waiter *like)
{
	struct block_waiter *items = ios->woken.items;
	const struct block_waiter first = *like;
	int status = 0;

	for (size_t i = 0; i < ios->woken.count && !status; i++) {
		struct block_sleep slept;

		if (!are_for_one_io(&items[i], &first) || !items[i].has_slept)
			continue;
		slept = block_sleep_of(&items[i]);
		count_others(ios, i, &slept);
		status = ios->callback->slept(ios->callback, &slept);
	}
	for (size_t i = ios->woken.count; i-- > 0;)
		if (are_for_one_io(&items[i], &first))
			array_remove(&ios->woken, i, 1);
	return status;
}

/* Like emit_sleeps(), unless another thread that waited for the I/O of @waiter
 * has not run again.
 */
static int emit_if_complete(struct block_ios *ios,
			    const struct block_waiter *waiter)
{
	const struct block_waiter *items = ios->woken.items;

	for (size_t i = 0; i < ios->woken.count; i++)
		if (!items[i].has_slept && are_for_one_io(&items[i], waiter))
			return 0;
	return emit_sleeps(ios, waiter);
}

static struct block_waiter *waiter_of(const struct block_ios *ios, int32_t tid)
{
	struct block_waiter *items = ios->woken.items;

	for (size_t i = 0; i < ios->woken.count; i++)
		if (items[i].tid == tid)
			return &items[i];
	return NULL;
}

/* Removes the sleep of thread @tid. If it has not ended, it is not emitted, and
 * the other sleeps of its I/O no longer wait for it. If it has ended, it is
 * emitted, with the other sleeps of its I/O that have ended.
 */
static int forget(struct block_ios *ios, int32_t tid)
{
	struct block_waiter *waiter = waiter_of(ios, tid);
	struct block_waiter like;

	if (!waiter)
		return 0;
	like = *waiter;
	if (like.has_slept)
		return emit_sleeps(ios, &like);
	array_remove(&ios->woken,
		     (size_t)(waiter - (struct block_waiter *)ios->woken.items),
		     1);
	return emit_if_complete(ios, &like);
}

int block_ios_wake(struct block_ios *ios, int32_t cpu, int32_t tid,
		   uint64_t time_ns)
{
	const struct cpu_completion *ended =
		keyed_array_find(&ios->ended, &cpu);
	const struct block_io *io = ended ? io_for(ended, tid) : NULL;

	if (!io)
		return 0;
	if (forget(ios, tid) < 0)
		return -ERROR_MEMORY;
	return array_append(&ios->woken, &(struct block_waiter){
						 .tid = tid,
						 .wake_ns = time_ns,
						 .io = *io,
					 });
}

int block_ios_slept(struct block_ios *ios, const struct sleep *sleep)
{
	struct block_waiter *waiter = waiter_of(ios, sleep->task->tid);

	if (!waiter || waiter->has_slept || !sleep->wake_ns ||
	    waiter->wake_ns != sleep->wake_ns)
		return 0;
	waiter->has_slept = true;
	waiter->task = *sleep->task;
	waiter->sleep = *sleep;
	waiter->sleep.waker_task = NULL;
	return emit_if_complete(ios, waiter);
}

int block_ios_end(struct block_ios *ios, bool are_open)
{
	while (ios->woken.count)
		if (emit_sleeps(ios, ios->woken.items) < 0)
			return -ERROR_MEMORY;
	while (are_open && ios->flying.count)
		if (emit(ios, ios->flying.count - 1) < 0)
			return -ERROR_MEMORY;
	return 0;
}

struct block_tracker {
	struct event_handler handler;
	struct task_listener listener;
	struct block_ios ios;
	const struct task_time *time;
	const struct task_paths *paths;
	struct function_marks *marks; /* enum block_mark */
	struct keyed_array files;     /* struct bio_file, by thread */
	int status;
};

/* The file of the I/O that a thread submits. */
struct bio_file {
	int32_t tid;
	uint64_t inode; /* 0: none */
	uint64_t device;
};

enum block_mark {
	MARK_ENTERS = 1, /* by it file systems enter the block layer */
	/* ends I/Os: bio_endio(), or a function that calls or jumps to it */
	MARK_ENDS,
	MARK_FREES_TAG, /* wakes threads that wait for another request's end */
};

/* block/blk-core.c, block/blk-mq.c, fs/buffer.c, fs/mpage.c, lib/sbitmap.c */
static const struct name_rule rules[] = {
	{ "submit_bio", true, MARK_ENTERS },
	{ "__submit_bio", true, MARK_ENTERS },
	{ "submit_bh", true, MARK_ENTERS },
	{ "__submit_bh", true, MARK_ENTERS },
	{ "mpage_bio_submit", true, MARK_ENTERS },
	{ "ext4_io_submit", true, MARK_ENTERS },
	{ "bio_endio", false, MARK_ENDS },
	{ "blk_update_request", false, MARK_ENDS },
	{ "blk_complete_request", false, MARK_ENDS },
	{ "blk_mq_end_request_batch", false, MARK_ENDS },
	{ "blk_mq_put_tag", true, MARK_FREES_TAG },
	{ "sbitmap_queue_clear", true, MARK_FREES_TAG },
};

static void note(struct block_tracker *tracker, int status)
{
	if (status < 0)
		tracker->status = status;
}

/* Returns the open functions of the task of @event. */
static const struct path_frame *path_at(const struct block_tracker *tracker,
					const struct event_record *event,
					size_t *count)
{
	const struct task *task =
		task_time_task(tracker->time, event->cpu, event->tid);

	*count = 0;
	return task ? task_paths_of(tracker->paths, task->index, count) : NULL;
}

static enum block_mark mark_of(const struct block_tracker *tracker,
			       const struct path_frame *frame)
{
	return function_marks_at(tracker->marks, frame->function);
}

/* Returns the function that entered the block layer. */
static uint32_t submitter(const struct block_tracker *tracker,
			  const struct event_record *event)
{
	size_t count;
	const struct path_frame *path = path_at(tracker, event, &count);
	bool is_inside = false;

	for (size_t i = count; i-- > 0;) {
		bool is_entry = mark_of(tracker, &path[i]) == MARK_ENTERS;

		if (is_inside && !is_entry)
			return path[i].function;
		is_inside |= is_entry;
	}
	return FUNCTION_UNKNOWN;
}

static struct task task_of(const struct block_tracker *tracker,
			   const struct event_record *event)
{
	const struct task *task =
		task_time_task(tracker->time, event->cpu, event->tid);

	return task ? *task :
		      (struct task){
			      .index = UINT32_MAX,
			      .tid = event->tid,
			      .pid = event->pid,
			      .cpu = event->cpu,
		      };
}

/* Copies the letters of @event; zeroes follow them, as the kernel leaves the
 * rest of its field undefined.
 */
static void read_letters(const struct event_record *event,
			 char letters[BLOCK_LETTERS])
{
	size_t length;

	memcpy(letters, &event->values[BLOCK_OPERATION], BLOCK_LETTERS);
	length = strnlen(letters, BLOCK_LETTERS);
	memset(letters + length, 0, BLOCK_LETTERS - length);
}

/* Consumes a call of submit_bio_noacct() recorded by record --args=block_files:
 * stores the file of the I/O that this thread queues next (invariant 5).
 * Records of other calls lack these fields, which then read as 0.
 */
static int submit(struct block_tracker *tracker,
		  const struct event_record *event)
{
	enum { ANONYMOUS = 3 }; /* include/linux/page-flags.h */
	uint64_t mapping = (uint64_t)event->values[FILE_MAPPING];
	struct bio_file *file;

	if (!event->fields[MAPPED_DEVICE].size)
		return 0;
	file = keyed_array_add(&tracker->files,
			       &(struct bio_file){ .tid = event->tid });
	if (!file)
		return -ERROR_MEMORY;
	file->inode = mapping && !(mapping & ANONYMOUS) ?
			      (uint64_t)event->values[MAPPED_INODE] :
			      0;
	file->device = (uint64_t)event->values[MAPPED_DEVICE];
	return 0;
}

/* Returns the file of the I/O of @event on @device, or 0. */
static uint64_t inode_of(struct block_tracker *tracker,
			 const struct event_record *event, uint64_t device)
{
	struct bio_file *file = keyed_array_find(&tracker->files, &event->tid);
	uint64_t inode = file && file->device == device ? file->inode : 0;

	if (file)
		file->inode = 0;
	return inode;
}

static int queue(struct block_tracker *tracker,
		 const struct event_record *event)
{
	struct block_io io = {
		.range = block_range_of(event),
		.task = task_of(tracker, event),
		.function = submitter(tracker, event),
		.queued_ns = event->time_ns,
	};

	io.inode = inode_of(tracker, event, io.range.device);
	read_letters(event, io.letters);
	return block_ios_queue(&tracker->ios, &io);
}

/* Returns whether the task of @event ends an I/O. */
static bool ends_io(const struct block_tracker *tracker,
		    const struct event_record *event)
{
	size_t count;
	const struct path_frame *path = path_at(tracker, event, &count);

	while (count-- > 0) {
		enum block_mark mark = mark_of(tracker, &path[count]);

		if (mark == MARK_ENDS || mark == MARK_FREES_TAG)
			return mark == MARK_ENDS;
	}
	return false;
}

static int wake(struct block_tracker *tracker, const struct event_record *event)
{
	return ends_io(tracker, event) ?
		       block_ios_wake(&tracker->ios, event->cpu,
				      (int32_t)event->values[WAKING_TID],
				      event->time_ns) :
		       0;
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct block_tracker *tracker = (struct block_tracker *)handler;
	const struct block_range range = block_range_of(event);
	char letters[BLOCK_LETTERS];

	if (event->event == EVENT_CALL_ARGUMENTS) {
		note(tracker, submit(tracker, event));
		return;
	}
	read_letters(event, letters);
	if (event->event == EVENT_BIO_QUEUE)
		note(tracker, queue(tracker, event));
	else if (event->event == EVENT_REQUEST_ISSUE)
		block_ios_issue(&tracker->ios, &range, letters, event->time_ns);
	else if (event->event == EVENT_BIO_COMPLETE)
		note(tracker,
		     block_ios_complete_bio(&tracker->ios, &range, letters,
					    event->cpu, event->time_ns));
	else if (event->event == EVENT_REQUEST_COMPLETE)
		note(tracker, block_ios_complete(&tracker->ios, &range, letters,
						 event->cpu, event->time_ns));
	else if (event->event == EVENT_SCHED_WAKING)
		note(tracker, wake(tracker, event));
}

static int consume_sleep(struct task_listener *listener,
			 const struct sleep *sleep)
{
	struct block_tracker *tracker =
		container_of(listener, struct block_tracker, listener);

	return block_ios_slept(&tracker->ios, sleep);
}

void block_tracker_free(struct block_tracker *tracker)
{
	if (!tracker)
		return;
	block_ios_close(&tracker->ios);
	keyed_array_free(&tracker->files);
	free(tracker->marks);
	free(tracker);
}

struct block_tracker *block_tracker_new(const struct attribution_input *input,
					struct block_callback *callback)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	struct thread_tracker *threads = trackers_threads(input->trackers);
	struct block_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->handler.event = consume_event;
	tracker->listener.slept = consume_sleep;
	tracker->time = thread_tracker_time(threads);
	tracker->paths = thread_tracker_paths(threads);
	tracker->marks = function_marks_by_rules(
		functions, rules, sizeof(rules) / sizeof(*rules));
	tracker->files = KEYED_ARRAY_OF(struct bio_file, tid);
	block_ios_open(&tracker->ios, callback);
	if (tracker->time && tracker->paths && tracker->marks &&
	    trackers_plain_tasks(input->trackers, &tracker->listener) &&
	    !trackers_follow(input->trackers, &tracker->handler))
		return tracker;
	block_tracker_free(tracker);
	return NULL;
}

int block_tracker_end(struct block_tracker *tracker, bool are_open)
{
	note(tracker, block_ios_end(&tracker->ios, are_open));
	return tracker->status;
}
