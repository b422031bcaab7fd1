/* SPDX-License-Identifier: MIT */
#include "attribution/lock_waits.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/events/known_events.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "common/maps.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"
#include "report/steps/call_step.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum nesting: a thread that waits for a mutex may wait for the spinlock in
 * it, and an interrupt there for another one.
 */
enum { MOST_OPEN = 8 };

struct lock_waiter {
	int32_t tid;
	struct lock_wait open[MOST_OPEN];
	uint32_t count;
};

const char *lock_kind_name(enum lock_kind kind)
{
	static const char *const names[LOCK_KINDS] = {
		[LOCK_SPIN] = "spinlock",
		[LOCK_RW_SPIN] = "rwlock",
		[LOCK_MUTEX] = "mutex",
		[LOCK_RW_SEM] = "rwsem",
		[LOCK_PERCPU_RW_SEM] = "percpu_rwsem",
		[LOCK_RT_MUTEX] = "rt_mutex",
		[LOCK_OTHER] = "other",
		[LOCK_FUTEX] = "futex",
		[LOCK_FILE] = "file",
		[LOCK_PAGE] = "page",
		[LOCK_BIT] = "bit",
		[LOCK_VARIABLE] = "variable",
	};

	return names[kind];
}

enum lock_kind lock_kind_of(int64_t flags)
{
	enum { SPIN = 1, READ = 2, WRITE = 4, RT = 8, PERCPU = 16, MUTEX = 32 };

	if (flags & MUTEX)
		return LOCK_MUTEX;
	if (flags & PERCPU)
		return LOCK_PERCPU_RW_SEM;
	if (flags & RT)
		return LOCK_RT_MUTEX;
	if (flags & (READ | WRITE))
		return flags & SPIN ? LOCK_RW_SPIN : LOCK_RW_SEM;
	return flags & SPIN ? LOCK_SPIN : LOCK_OTHER;
}

void lock_waits_open(struct lock_waits *waits, struct lock_callback *callback)
{
	*waits = (struct lock_waits){
		.callback = callback,
		.threads = KEYED_ARRAY_OF(struct lock_waiter, tid),
	};
}

void lock_waits_close(struct lock_waits *waits)
{
	keyed_array_free(&waits->threads);
	number_map_free(&waits->by_lock);
}

/* Returns a key that is unique to @lock: the process is part of a futex's key,
 * since its address is only valid there.
 */
static uint64_t lock_name_key(const struct lock_name *lock)
{
	switch (lock->kind) {
	case LOCK_FUTEX:
		return lock->address ^ (uint64_t)(uint32_t)lock->pid << 48;
	case LOCK_FILE:
	case LOCK_BIT:
		return (lock->address ^ lock->device << 32 ^ lock->part << 57) *
		       0x9e3779b97f4a7c15;
	default:
		return lock->address;
	}
}

struct lock_text lock_name_text(const struct lock_name *lock)
{
	struct lock_text text = { "" };
	int length = 0;

	if (lock->kind == LOCK_FILE)
		length = snprintf(text.text, sizeof(text.text),
				  "%02" PRIx64 ":%02" PRIx64 ":%" PRIu64,
				  device_major(lock->device),
				  device_minor(lock->device), lock->address);
	else if (lock->address)
		length = snprintf(text.text, sizeof(text.text), "0x%" PRIx64,
				  lock->address);
	if (lock->kind == LOCK_BIT)
		snprintf(text.text + length, sizeof(text.text) - (size_t)length,
			 "+%" PRIu64, lock->part);
	return text;
}

static struct lock_wait *find(struct lock_waiter *waiter,
			      const struct lock_name *lock)
{
	for (uint32_t i = waiter->count; i-- > 0;)
		if (lock_name_key(&waiter->open[i].lock) == lock_name_key(lock))
			return &waiter->open[i];
	return NULL;
}

int lock_waits_begin(struct lock_waits *waits, const struct task *task,
		     const struct lock_name *lock, uint32_t function,
		     uint64_t return_address, uint64_t time_ns)
{
	struct lock_waiter *waiter = keyed_array_add(
		&waits->threads, &(struct lock_waiter){ .tid = task->tid });
	uint64_t *others;

	if (!waiter)
		return -ERROR_MEMORY;
	if (find(waiter, lock) || waiter->count == MOST_OPEN)
		return 0;
	others = number_map_add(&waits->by_lock, lock_name_key(lock));
	if (!others)
		return -ERROR_MEMORY;
	waiter->open[waiter->count++] = (struct lock_wait){
		.lock = *lock,
		.function = function,
		.return_address = return_address,
		.task = *task,
		.others_at_begin = (uint32_t)(*others)++,
		.begin_ns = time_ns,
		.waker = -1,
	};
	return 0;
}

int lock_waits_end(struct lock_waits *waits, int32_t tid,
		   const struct lock_name *lock, uint64_t time_ns)
{
	struct lock_waiter *waiter = keyed_array_find(&waits->threads, &tid);
	struct lock_wait *wait = waiter ? find(waiter, lock) : NULL;
	struct lock_wait ended;

	if (!wait)
		return 0;
	ended = *wait;
	memmove(wait, wait + 1,
		(size_t)(waiter->open + --waiter->count - wait) *
			sizeof(*wait));
	ended.others_at_end = (uint32_t)number_map_lower(&waits->by_lock,
							 lock_name_key(lock));
	ended.end_ns = time_ns;
	return waits->callback->consume(waits->callback, &ended);
}

int lock_waits_end_kind(struct lock_waits *waits, int32_t tid, uint32_t kinds,
			uint64_t time_ns)
{
	const struct lock_waiter *waiter =
		keyed_array_find(&waits->threads, &tid);

	for (uint32_t i = waiter ? waiter->count : 0; i-- > 0;)
		if (kinds >> waiter->open[i].lock.kind & 1)
			return lock_waits_end(waits, tid, &waiter->open[i].lock,
					      time_ns);
	return 0;
}

void lock_waits_wake(struct lock_waits *waits, int32_t tid, int32_t waker)
{
	struct lock_waiter *waiter = keyed_array_find(&waits->threads, &tid);

	if (waiter && waiter->count)
		waiter->open[waiter->count - 1].waker = waker;
}

struct lock_tracker {
	struct event_handler handler;
	/* receives the waits that end in member waits */
	struct lock_callback callback;
	struct array callbacks;		  /* struct lock_callback * */
	struct cache_file_writer *writer; /* NULL: waits are not cached */
	struct lock_waits waits;
	const struct function_table *functions;
	const struct task_time *time;
	const struct task_paths *paths;
	const struct wait_channels *places;
	struct function_marks *marks; /* enum lock_mark */
	uint64_t wake_page; /* address of wake_page_function(); 0: unknown */
	/* The calls with each thread's arguments: the first argument of
	 * futex(2) is the address of the futex word.
	 */
	const struct call_entries *calls;
	int status;
};

enum lock_mark {
	MARK_FUTEX = 1, /* waits for a futex */
	MARK_FILE,
	/* waits for a page or a bit, with a record of its arguments */
	MARK_OBJECT,
	/* calls or jumps to a MARK_OBJECT function for its own caller; or
	 * prepares a wait for a variable, with a record of its arguments
	 */
	MARK_CALLS_OBJECT,
	MARK_FINISH, /* ends the wait for a variable */
};

/* Functions at whose start or end a wait starts or ends. A thread that waits
 * for a file lock tries again when woken, and gives up for a signal, in which
 * case only the end of these functions shows the end of the wait (fs/locks.c).
 * futex_wait() is in kernel/futex/waitwake.c of Linux 5.16 and newer, in
 * kernel/futex.c before. The others are in mm/filemap.c, fs/buffer.c,
 * fs/inode.c, kernel/sched/wait.c and kernel/sched/wait_bit.c.
 */
static const struct name_rule rules[] = {
	{ "futex_wait", false, MARK_FUTEX },
	{ "locks_lock_inode_wait", false, MARK_FILE },
	{ "fcntl_setlk", false, MARK_FILE },
	{ "fcntl_setlk64", false, MARK_FILE },
	{ "folio_wait_bit_common", false, MARK_OBJECT },
	{ "__wait_on_bit", false, MARK_OBJECT },
	{ "__wait_on_bit_lock", false, MARK_OBJECT },
	{ "folio_wait_", true, MARK_CALLS_OBJECT },
	{ "folio_put_wait_locked", false, MARK_CALLS_OBJECT },
	{ "__folio_lock", true, MARK_CALLS_OBJECT },
	{ "out_of_line_wait_on_bit", true, MARK_CALLS_OBJECT },
	{ "__wait_on_buffer", false, MARK_CALLS_OBJECT },
	{ "__lock_buffer", false, MARK_CALLS_OBJECT },
	{ "init_wait_var_entry", false, MARK_CALLS_OBJECT },
	{ "inode_bit_waitqueue", false, MARK_CALLS_OBJECT },
	{ "finish_wait", false, MARK_FINISH },
};

static enum lock_mark mark_of(const struct lock_tracker *tracker,
			      uint32_t function)
{
	return function_marks_at(tracker->marks, function);
}

static void note(struct lock_tracker *tracker, int status)
{
	if (status < 0)
		tracker->status = status;
}

/* Returns the function of @task that tries to lock: the innermost function
 * outside of locking and the scheduler. Sets *@return_address to the return
 * address of its call into them.
 */
static uint32_t function_of(const struct lock_tracker *tracker,
			    const struct task *task, uint64_t *return_address)
{
	size_t count = 0;
	const struct path_frame *path =
		task_paths_of(tracker->paths, task->index, &count);

	return wait_channels_caller(tracker->places, path, count,
				    return_address);
}

/* Like function_of(), for file locks, pages, bits and variables: the
 * caller of the outermost of the functions with a mark from @first to @last.
 */
static uint32_t caller_of(const struct lock_tracker *tracker,
			  const struct task *task, enum lock_mark first,
			  enum lock_mark last)
{
	size_t count;
	const struct path_frame *path =
		task_paths_of(tracker->paths, task->index, &count);

	for (size_t i = 1; path && i < count; i++) {
		enum lock_mark mark = mark_of(tracker, path[i].function);

		if (mark >= first && mark <= last)
			return path[i - 1].function;
	}
	return FUNCTION_UNKNOWN;
}

static void consume_futex(struct lock_tracker *tracker,
			  const struct call_step *step)
{
	const struct task *task = step->task;
	const struct call_entry *call =
		call_entries_find(tracker->calls, task->tid);
	const struct lock_name lock = {
		.address = call ? call->arguments[0] : 0,
		.pid = task->pid,
		.kind = LOCK_FUTEX,
	};

	if (step->kind == STEP_ENTER)
		note(tracker,
		     lock_waits_begin(&tracker->waits, task, &lock,
				      step->function, 0, step->time_ns));
	else if (step->kind == STEP_EXIT)
		note(tracker, lock_waits_end(&tracker->waits, task->tid, &lock,
					     step->time_ns));
}

/* Ends the wait for a lock of @kinds if @step ends the function that waits. */
static void end_kind(struct lock_tracker *tracker, const struct call_step *step,
		     uint32_t kinds)
{
	if (step->kind == STEP_EXIT)
		note(tracker,
		     lock_waits_end_kind(&tracker->waits, step->task->tid,
					 kinds, step->time_ns));
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct lock_tracker *tracker = (struct lock_tracker *)handler;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	switch (mark_of(tracker, step->function)) {
	case MARK_FUTEX:
		consume_futex(tracker, step);
		break;
	case MARK_FILE:
		end_kind(tracker, step, 1U << LOCK_FILE);
		break;
	case MARK_OBJECT:
		end_kind(tracker, step, 1U << LOCK_PAGE | 1U << LOCK_BIT);
		break;
	case MARK_FINISH:
		end_kind(tracker, step, 1U << LOCK_VARIABLE);
		break;
	case MARK_CALLS_OBJECT:
		break;
	}
}

static void begin_wait(struct lock_tracker *tracker,
		       const struct event_record *event,
		       const struct lock_name *lock)
{
	const struct task *task =
		task_time_task(tracker->time, event->cpu, event->tid);
	uint64_t return_address = 0;
	uint32_t function;

	if (!task)
		return;
	if (lock->kind == LOCK_FILE)
		function = caller_of(tracker, task, MARK_FILE, MARK_FILE);
	else if (lock->kind >= LOCK_PAGE)
		function = caller_of(tracker, task, MARK_OBJECT,
				     MARK_CALLS_OBJECT);
	else
		function = function_of(tracker, task, &return_address);
	note(tracker, lock_waits_begin(&tracker->waits, task, lock, function,
				       return_address, event->time_ns));
}

static void consume_file(struct lock_tracker *tracker,
			 const struct event_record *event)
{
	enum { DEFERRED = 1 };
	const struct lock_name lock = {
		.address = (uint64_t)event->values[FILE_INODE],
		.device = (uint32_t)event->values[FILE_DEVICE],
		.pid = -1,
		.kind = LOCK_FILE,
	};

	if (event->values[FILE_RESULT] == DEFERRED)
		begin_wait(tracker, event, &lock);
	else
		note(tracker, lock_waits_end(&tracker->waits, event->tid, &lock,
					     event->time_ns));
}

static void consume_contention(struct lock_tracker *tracker,
			       const struct event_record *event)
{
	const struct lock_name lock = {
		.address = (uint64_t)event->values[LOCK_ADDRESS],
		.pid = -1,
		.kind = lock_kind_of(event->values[LOCK_FLAGS]),
	};

	if (event->event == EVENT_LOCK_END)
		note(tracker, lock_waits_end(&tracker->waits, event->tid, &lock,
					     event->time_ns));
	else
		begin_wait(tracker, event, &lock);
}

/* Returns the page that @event, a record of the start of io_schedule(), waits
 * for; 0: none. The caller's struct wait_page_queue (mm/filemap.c) is on the
 * stack, and contains wake_page_function().
 */
static uint64_t waited_page(const struct lock_tracker *tracker,
			    const struct event_record *event)
{
	enum { WORDS = 24, WORD_BYTES = 8, BEFORE_FUNCTION = 4 };
	const struct sideband_record *record = event->sideband;
	struct tracepoint_field word = event->fields[STACK_FIRST];
	uint64_t words[WORDS];

	if (word.size != WORD_BYTES || !tracker->wake_page ||
	    event->fields[STACK_LAST].offset !=
		    word.offset + (WORDS - 1) * WORD_BYTES)
		return 0;
	for (size_t i = 0; i < WORDS; i++, word.offset += WORD_BYTES) {
		words[i] = (uint64_t)tracepoint_number(
			&word, record->sample.raw, record->sample.raw_size);
		if (i >= BEFORE_FUNCTION && words[i] == tracker->wake_page)
			return words[i - BEFORE_FUNCTION];
	}
	return 0;
}

/* Begins a wait for the page, bit or variable in a record of record
 * --args=wait_objects.
 */
static void consume_arguments(struct lock_tracker *tracker,
			      const struct event_record *event)
{
	struct lock_name lock = { .pid = -1, .kind = LOCK_PAGE };

	lock.address = waited_page(tracker, event);
	if (!lock.address) {
		lock.address = (uint64_t)event->values[WAITED_WORD];
		lock.kind = LOCK_BIT;
		lock.part = (uint64_t)event->values[WAITED_BIT];
	}
	if (!lock.address) {
		lock.address = (uint64_t)event->values[WAITED_VARIABLE];
		lock.kind = LOCK_VARIABLE;
		lock.part = 0;
	}
	if (lock.address)
		begin_wait(tracker, event, &lock);
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct lock_tracker *tracker = (struct lock_tracker *)handler;

	if (event->event == EVENT_SCHED_WAKING)
		lock_waits_wake(&tracker->waits,
				(int32_t)event->values[WAKING_TID], event->tid);
	else if (event->event == EVENT_LOCK_BEGIN ||
		 event->event == EVENT_LOCK_END)
		consume_contention(tracker, event);
	else if (event->event == EVENT_FILE_FLOCK ||
		 event->event == EVENT_FILE_POSIX)
		consume_file(tracker, event);
	else if (event->event == EVENT_CALL_ARGUMENTS)
		consume_arguments(tracker, event);
}

/* Calls all callbacks with @wait. Returns 0 or -ERROR_MEMORY. */
static int emit(const struct lock_tracker *tracker,
		const struct lock_wait *wait)
{
	struct lock_callback *const *callbacks = tracker->callbacks.items;
	int status = 0;

	for (size_t i = 0; i < tracker->callbacks.count; i++)
		if (callbacks[i]->consume(callbacks[i], wait) < 0)
			status = -ERROR_MEMORY;
	return status;
}

static int consume_wait(struct lock_callback *callback,
			const struct lock_wait *wait)
{
	const struct lock_tracker *tracker =
		container_of(callback, struct lock_tracker, callback);
	const struct cached_span span =
		cached_span_of(wait->begin_ns, wait->end_ns);
	struct lock_wait kept = *wait;

	if (tracker->writer) {
		lock_pack(cache_file_writer_pack(tracker->writer), &kept,
			  function_count(tracker->functions));
		cache_file_writer_add(tracker->writer, &span);
	}
	return emit(tracker, wait);
}

void lock_tracker_free(struct lock_tracker *tracker)
{
	if (!tracker)
		return;
	lock_waits_close(&tracker->waits);
	array_free(&tracker->callbacks);
	free(tracker->marks);
	free(tracker);
}

/* Returns whether consume_step() does anything for @function. */
static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	const struct lock_tracker *tracker =
		(const struct lock_tracker *)handler;

	return mark_of(tracker, function);
}

struct lock_tracker *lock_tracker_new(const struct function_table *functions,
				      struct thread_tracker *threads,
				      const struct wait_channels *channels)
{
	struct lock_tracker *tracker = calloc(1, sizeof(*tracker));
	uint32_t wake_page;

	if (!tracker)
		return NULL;
	tracker->handler = (struct event_handler){ .step = consume_step,
						   .needs = needs_function,
						   .event = consume_event };
	tracker->callback.consume = consume_wait;
	tracker->callbacks = ARRAY_OF(struct lock_callback *);
	tracker->functions = functions;
	tracker->time = thread_tracker_time(threads);
	tracker->paths = thread_tracker_paths(threads);
	tracker->places = channels;
	tracker->marks = function_marks_by_rules(
		functions, rules, sizeof(rules) / sizeof(*rules));
	wake_page = function_table_kernel(functions, "wake_page_function");
	if (wake_page != FUNCTION_NONE)
		tracker->wake_page = function_at(functions, wake_page)->address;
	tracker->calls = thread_tracker_calls(threads);
	lock_waits_open(&tracker->waits, &tracker->callback);
	if (tracker->time && tracker->paths && tracker->marks)
		return tracker;
	lock_tracker_free(tracker);
	return NULL;
}

int lock_tracker_listen(struct lock_tracker *tracker,
			struct lock_callback *callback)
{
	return array_append(&tracker->callbacks, &callback);
}

struct event_handler *lock_tracker_handler(struct lock_tracker *tracker)
{
	return &tracker->handler;
}

int lock_tracker_status(const struct lock_tracker *tracker)
{
	return tracker->status;
}

void lock_tracker_keep(struct event_handler *handler,
		       struct cache_file_writer *writer)
{
	((struct lock_tracker *)handler)->writer = writer;
}

void lock_tracker_read(struct event_handler *handler, struct pack *pack)
{
	const struct lock_tracker *tracker =
		(const struct lock_tracker *)handler;
	struct lock_wait wait = { .begin_ns = 0 };

	lock_pack(pack, &wait, function_count(tracker->functions));
	if (!pack->failed)
		pack_check(pack, !emit(tracker, &wait));
}

static void pack_name(struct pack *pack, struct lock_name *lock)
{
	pack_u64(pack, &lock->address);
	pack_u64(pack, &lock->device);
	pack_i32(pack, &lock->pid);
	pack_u32(pack, &lock->kind);
	pack_check(pack, lock->kind < LOCK_KINDS);
	pack_u64(pack, &lock->part);
}

void lock_pack(struct pack *pack, struct lock_wait *wait, uint32_t functions)
{
	pack_name(pack, &wait->lock);
	pack_u32(pack, &wait->function);
	pack_check(pack, wait->function < functions);
	pack_u64(pack, &wait->return_address);
	task_pack_facts(pack, &wait->task);
	pack_i32(pack, &wait->waker);
	pack_u32(pack, &wait->others_at_begin);
	pack_u32(pack, &wait->others_at_end);
	pack_u64(pack, &wait->begin_ns);
	pack_u64(pack, &wait->end_ns);
}
