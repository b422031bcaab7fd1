/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeps.h"

#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/time/task_time.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/time_span.h"
#include "attribution/time/wait_channels.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/profile/call_tree.h"
#include "symbolize/arch/arch.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The number of tasks that sleep now, by label and by object. A zeroed struct
 * is empty.
 */
struct waiters {
	struct number_map labels;
	struct number_map objects;
};

/* The label at which a task sleeps and the object that it waits for. */
struct wait_key {
	uint32_t label;	 /* a function */
	uint64_t object; /* identifier of the object, 0: unknown */
};

/* Numbers of other waiters; for_object is -1 if the object is unknown. */
struct other_waiters {
	uint32_t at_label;
	int32_t for_object;
};

/* Facts from the arguments of the system call that a thread sleeps in. */
struct sleeper_call {
	/* record of its sys_enter; NULL: the thread is in no call */
	const struct sideband_record *record;
	/* The descriptor that the call uses, as in read(3, ...); -1: none or
	 * unknown.
	 */
	int32_t fd;
	/* Identifier of the object that the call waits for: from the address of
	 * a futex call's word, or from the descriptor of a socket, pipe or
	 * terminal; 0: unknown. It is valid in one process only, because an
	 * object that processes share may have another address or descriptor in
	 * each.
	 */
	uint64_t object;
};

/* A thread that sleeps or may sleep. Spans show whether and since when it
 * sleeps. This struct has its wait channel and the chain of its last wake-up.
 * Both are found by the task's open functions.
 *
 *               sched_switch                 wake-up
 *     awake -----------------> is_asleep ----------------> woken
 *       ^      sleeps_begin()              sleeps_wake()     |
 *       |                                                    |
 *       +------------ a span on a CPU: sleeps_emit() --------+
 *
 * has_sleep is set in is_asleep and woken. A thread that already slept when the
 * recording started has a sleep from its first span on, and is not is_asleep.
 */
struct sleeper {
	struct sleep sleep; /* valid if has_sleep is set */
	bool has_sleep;	    /* a sleep that was not emitted yet */
	bool has_time;	    /* a part of that sleep was in the recording */
	/* is counted among the waiters of its wait channel */
	bool is_asleep;
	struct wait_key channel;
	uint32_t chain;		  /* chain of its last wake-up, or WAKER_NONE */
	const struct task *waker; /* the last waker, as in struct sleep */
	uint64_t wake_ns;	  /* the last wake-up; 0: never */
};

struct sleeps {
	struct sleeps_options options;
	struct sleep_callback *callback;
	struct waiters waiters;
	struct array sleepers; /* struct sleeper by task_time_thread() */
	/* The last wake-up without an event (task_time.h), and its chain. */
	uint64_t untraced_ns;
	uint32_t untraced_chain;
};

bool sleep_is_thread_start(const char *name)
{
	static const char *const starts[] = {
		"kthread",
		"ret_from_fork",
		"ret_from_fork_asm",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strcmp(name, starts[i]))
			return true;
	return false;
}

/* Source: kernel/time/sleep_timeout.c, timer.c before 6.13. */
bool sleep_is_timed(const char *name)
{
	return !strncmp(name, "schedule_timeout", 16) ||
	       !strncmp(name, "schedule_hrtimeout", 18);
}

bool sleep_find_line(struct lines *lines,
		     const struct function_table *functions, uint32_t label,
		     uint64_t place, struct source_line *line)
{
	const struct function *function = function_at(functions, label);

	/* The return address is after the call, perhaps on another line. */
	return lines && place && place > function->address &&
	       lines_find(lines, function, place - 1 - function->address, line);
}

void wakers_free(struct wakers *wakers)
{
	keyed_array_free(&wakers->chains);
}

const struct waker *wakers_at(const struct wakers *wakers, uint32_t number)
{
	return array_at(&wakers->chains.items, number);
}

bool wakers_has(const struct wakers *wakers, uint32_t number, int32_t tid)
{
	while (number != WAKER_NONE) {
		const struct waker *waker = wakers_at(wakers, number);

		if (waker->interrupt == FUNCTION_NONE && waker->tid == tid)
			return true;
		number = waker->earlier;
	}
	return false;
}

uint32_t wakers_add(struct wakers *wakers, const struct waker *waker)
{
	struct waker wanted = *waker;
	const struct waker *found;

	if (wanted.interrupt != FUNCTION_NONE)
		wanted.pid = wanted.tid = -1;
	found = keyed_array_add(&wakers->chains, &wanted);
	return found ? (uint32_t)(found - wakers_at(wakers, 0)) : WAKER_NONE;
}

static void pack_one(struct pack *pack, struct waker *waker, uint32_t number,
		     uint32_t functions)
{
	pack_u32(pack, &waker->earlier);
	pack_u32(pack, &waker->function);
	pack_u32(pack, &waker->interrupt);
	pack_i32(pack, &waker->pid);
	pack_i32(pack, &waker->tid);
	pack_check(pack,
		   waker->earlier == WAKER_NONE || waker->earlier < number);
	pack_check(pack, waker->function < functions);
	pack_check(pack, waker->interrupt == FUNCTION_NONE ||
				 waker->interrupt < functions);
}

void wakers_pack(struct wakers *wakers, struct pack *pack, uint32_t functions)
{
	uint32_t count = (uint32_t)wakers->chains.items.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct waker waker = { 0 };

		if (!pack->is_reading)
			waker = *wakers_at(wakers, i);
		pack_one(pack, &waker, i, functions);
		if (pack->is_reading && !pack->failed)
			pack_check(pack, wakers_add(wakers, &waker) == i);
	}
}

static void waiters_free(struct waiters *waiters)
{
	number_map_free(&waiters->labels);
	number_map_free(&waiters->objects);
}

/* Counts one more task at @channel. Returns 0 and sets @others to the counts
 * before, or returns -ERROR_MEMORY.
 */
static int waiters_enter(struct waiters *waiters,
			 const struct wait_key *channel,
			 struct other_waiters *others)
{
	uint64_t *count = number_map_add(&waiters->labels, channel->label);

	if (!count)
		return -ERROR_MEMORY;
	others->at_label = (uint32_t)(*count)++;
	others->for_object = -1;
	if (!channel->object)
		return 0;
	count = number_map_add(&waiters->objects, channel->object);
	if (!count)
		return -ERROR_MEMORY;
	others->for_object = (int32_t)(*count)++;
	return 0;
}

/* Removes a task at @channel that is woken. Returns the number that still
 * sleep.
 */
static struct other_waiters waiters_leave(struct waiters *waiters,
					  const struct wait_key *channel)
{
	struct other_waiters others = {
		.at_label = (uint32_t)number_map_lower(&waiters->labels,
						       channel->label),
		.for_object = -1,
	};

	if (channel->object)
		others.for_object = (int32_t)number_map_lower(&waiters->objects,
							      channel->object);
	return others;
}

/* Returns the sleeper of thread number @thread, adding it if it is new; valid
 * until the next one is added. NULL when out of memory.
 */
static struct sleeper *sleeps_sleeper(struct sleeps *sleeps, uint32_t thread)
{
	return array_reach_like(&sleeps->sleepers, thread,
				&(struct sleeper){ .chain = WAKER_NONE });
}

/* Returns the sleeper of thread @tid, or NULL. */
static struct sleeper *sleeps_find(const struct sleeps *sleeps, int32_t tid)
{
	uint32_t thread = task_time_thread(sleeps->options.time, tid);

	return thread < sleeps->sleepers.count ?
		       array_at(&sleeps->sleepers, thread) :
		       NULL;
}

/* Returns the name of the system call that the function @name executes, or
 * NULL. The implementing function of a call often jumps to an inner one, and is
 * then no longer open.
 */
static const char *call_done_by(const struct arch *arch, const char *name)
{
	/* Prefixes of the functions that implement system calls in
	 * fs/read_write.c, fs/sync.c, fs/eventpoll.c and net/socket.c, and of
	 * the functions that SYSCALL_DEFINE() creates.
	 */
	static const char *const prefixes[] = { "ksys_", "__sys_", "__do_sys_",
						"__se_sys_", "do_" };
	const char *call = arch_system_call(arch, name);

	for (size_t i = 0; !call && i < sizeof(prefixes) / sizeof(*prefixes);
	     i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			call = name + strlen(prefixes[i]);
	return call;
}

static int compare_names(const void *name, const void *other)
{
	return strcmp(name, *(const char *const *)other);
}

/* Returns whether @frames are in a call that may wait for the descriptor that
 * is its first argument.
 */
static bool is_for_fd(const struct function_table *functions,
		      const struct arch *arch, const struct path_frame *frames,
		      size_t count)
{
	/* syscalls(2), sorted. */
	static const char *const calls[] = {
		"accept",	   "accept4",	  "connect",
		"copy_file_range", "epoll_pwait", "epoll_pwait2",
		"epoll_wait",	   "fallocate",	  "fcntl",
		"fdatasync",	   "flock",	  "fsync",
		"ftruncate",	   "getdents",	  "getdents64",
		"ioctl",	   "pread64",	  "preadv",
		"preadv2",	   "pwrite64",	  "pwritev",
		"pwritev2",	   "read",	  "readv",
		"recvfrom",	   "recvmmsg",	  "recvmsg",
		"sendfile",	   "sendfile64",  "sendmmsg",
		"sendmsg",	   "sendto",	  "splice",
		"sync_file_range", "syncfs",	  "tee",
		"vmsplice",	   "write",	  "writev",
	};

	for (size_t i = 0; i < count; i++) {
		const char *call = call_done_by(
			arch, function_at(functions, frames[i].function)->base);

		if (call && bsearch(call, calls, sizeof(calls) / sizeof(*calls),
				    sizeof(*calls), compare_names))
			return true;
	}
	return false;
}

/* Returns whether @frames are in a call that waits for a word in memory. */
static bool is_for_word(const struct function_table *functions,
			const struct arch *arch,
			const struct path_frame *frames, size_t count)
{
	const char *call = NULL;

	for (size_t i = 0; i < count && !call; i++)
		call = arch_system_call(
			arch, function_at(functions, frames[i].function)->base);
	return call && (!strcmp(call, "futex") || !strcmp(call, "futex_wait"));
}

/* Returns whether @frames wait for the file of a descriptor itself: for data,
 * space or a connection; not, for example, for a page of it, or a lock.
 */
static bool is_for_file(const struct function_table *functions,
			const struct path_frame *frames, size_t count)
{
	/* fs/pipe.c, eventfd.c, eventpoll.c; net; drivers/tty; sorted */
	static const char *const waits[] = {
		"__skb_wait_for_more_packets",
		"ep_poll",
		"eventfd_read",
		"inet_csk_accept",
		"n_tty_read",
		"pipe_read",
		"pipe_write",
		"sk_stream_wait_memory",
		"sk_wait_data",
		"sock_alloc_send_pskb",
		"unix_stream_read_generic",
		"unix_wait_for_peer",
	};

	for (size_t i = 0; i < count; i++)
		if (bsearch(function_at(functions, frames[i].function)->base,
			    waits, sizeof(waits) / sizeof(*waits),
			    sizeof(*waits), compare_names))
			return true;
	return false;
}

/* Returns the facts of the call that @frames are in. @entry: the sys_enter of
 * the thread's last call, or NULL.
 */
static struct sleeper_call
sleeper_call_of(const struct call_entry *entry,
		const struct function_table *functions, const struct arch *arch,
		const struct path_frame *frames, size_t count)
{
	struct sleeper_call call = { .fd = -1 };

	if (!count || !entry || !entry->record.time_ns ||
	    frames[0].begin_ns > entry->record.time_ns)
		return call;
	call.record = &entry->record;
	if (is_for_fd(functions, arch, frames, count))
		call.fd = (int32_t)entry->arguments[0];
	if (is_for_word(functions, arch, frames, count))
		call.object = entry->arguments[0];
	else if (call.fd >= 0 && is_for_file(functions, frames, count))
		/* not an address in user space */
		call.object = ~(uint64_t)call.fd;
	if (call.object)
		call.object ^= (uint64_t)entry->record.pid << 47;
	return call;
}

/* Starts a sleep with all other fields unknown. */
static void sleeper_begin(struct sleeper *sleeper, const struct task *task,
			  uint64_t begin_ns)
{
	sleeper->has_sleep = true;
	sleeper->has_time = false;
	sleeper->sleep = (struct sleep){
		.task = task,
		.begin_ns = begin_ns,
		.stack = CALL_NODE_NONE,
		.user_stack = CALL_NODE_NONE,
		.label = FUNCTION_UNKNOWN,
		.inner = FUNCTION_UNKNOWN,
		.waker = WAKER_NONE,
		.same_at_begin = -1,
		.same_at_end = -1,
		.fd = -1,
	};
}

static int describe(const struct sleeps *sleeps, struct sleep *sleep,
		    const struct sideband_record *call,
		    const struct path_frame *frames,
		    const struct wait_channel *channel)
{
	sleep->label = frames[channel->label].function;
	if (channel->label + 1 < channel->depth) {
		sleep->inner = frames[channel->label + 1].function;
		sleep->place = frames[channel->label + 1].return_address;
	}
	sleep->stack = sleep_stacks_kernel(sleeps->options.stacks, frames,
					   channel->depth);
	if (sleep->stack == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	if (call)
		sleep->user_stack =
			sleep_stacks_user(sleeps->options.stacks, call);
	return 0;
}

static int join_waiters(struct sleeps *sleeps, struct sleeper *sleeper,
			uint64_t object)
{
	struct other_waiters others;

	sleeper->channel.label = sleeper->sleep.label;
	sleeper->channel.object = object;
	if (waiters_enter(&sleeps->waiters, &sleeper->channel, &others) < 0)
		return -ERROR_MEMORY;
	sleeper->is_asleep = true;
	sleeper->sleep.others_at_begin = others.at_label;
	sleeper->sleep.same_at_begin = others.for_object;
	return 0;
}

/* Ends the sleep; @waker is the chain that ended it, or WAKER_NONE. */
static void sleeps_wake(struct sleeps *sleeps, struct sleeper *sleeper,
			uint32_t waker)
{
	struct other_waiters others;

	sleeper->sleep.waker = waker;
	if (!sleeper->is_asleep)
		return;
	others = waiters_leave(&sleeps->waiters, &sleeper->channel);
	sleeper->is_asleep = false;
	sleeper->sleep.others_at_end = others.at_label;
	sleeper->sleep.same_at_end = others.for_object;
}

/* Emits the last sleep of @sleeper if a part of it was in the recording.
 * Switches are also recorded before the trace starts; sleeps that ended before
 * the trace are not emitted.
 */
static void sleeps_emit(struct sleeps *sleeps, struct sleeper *sleeper)
{
	sleeper->sleep.wake_ns = sleeper->wake_ns;
	sleeper->sleep.waker_task = sleeper->waker;
	if (sleeper->has_sleep && sleeper->has_time)
		sleeps->callback->consume(sleeps->callback, &sleeper->sleep);
	sleeper->has_sleep = false;
}

/* Applies sched_switch: a task goes to sleep. Returns 0 or -ERROR_MEMORY. */
static int sleeps_begin(struct sleeps *sleeps, const struct event_record *event)
{
	const struct task *task =
		task_time_task(sleeps->options.time, event->cpu, event->tid);
	int32_t tid = (int32_t)event->values[SWITCH_PREV];
	uint32_t thread = task_time_thread(sleeps->options.time, tid);
	const struct path_frame *frames;
	struct sleeper_call call;
	struct wait_channel channel;
	struct sleeper *sleeper;
	size_t count;

	/* The trace has ended. */
	if (thread == UINT32_MAX)
		return 0;
	sleeper = sleeps_sleeper(sleeps, thread);
	if (!sleeper)
		return -ERROR_MEMORY;
	sleeps_emit(sleeps, sleeper);
	if (!task)
		return 0;
	frames = task_paths_of(sleeps->options.paths, task->index, &count);
	if (wait_channels_is_end(sleeps->options.channels, frames, count,
				 off_is_dead(event->values[SWITCH_PREV_STATE])))
		return 0;
	sleeper_begin(sleeper, task, event->time_ns);
	call = sleeper_call_of(call_entries_find(sleeps->options.calls, tid),
			       sleeps->options.functions, sleeps->options.arch,
			       frames, count);
	sleeper->sleep.fd = call.fd;
	/* Without a wait channel the trace does not show the sleep: it started
	 * before the trace, or there is a gap.
	 */
	sleeper->sleep.is_cut = !wait_channels_find(sleeps->options.channels,
						    frames, count, &channel);
	if ((!sleeper->sleep.is_cut &&
	     describe(sleeps, &sleeper->sleep, call.record, frames, &channel) <
		     0) ||
	    join_waiters(sleeps, sleeper, call.object) < 0)
		return -ERROR_MEMORY;
	/* The thread was woken while it was entering the scheduler. */
	if (!sleeper->sleep.is_cut &&
	    sleeper->wake_ns >= frames[channel.depth - 1].begin_ns)
		sleeps_wake(sleeps, sleeper, sleeper->chain);
	return 0;
}

/* Returns the chain to which the wake-up of @woken is added. If the waker was
 * itself woken while @woken slept, it is that wake-up's chain: @woken waited
 * for it, too.
 */
static uint32_t earlier_waker(struct sleeps *sleeps, int32_t waker_tid,
			      const struct sleeper *woken)
{
	const struct sleeper *waker =
		waker_tid > 0 ? sleeps_find(sleeps, waker_tid) : NULL;

	if (!waker || waker->wake_ns <= woken->sleep.begin_ns)
		return WAKER_NONE;
	return waker->chain;
}

/* Returns the chain for a wake-up of @woken by @task, the thread @tid of @pid;
 * both tasks may be unknown.
 */
static uint32_t chain_of(struct sleeps *sleeps, const struct task *task,
			 int32_t pid, int32_t tid, const struct sleeper *woken)
{
	struct wake_source source = { FUNCTION_UNKNOWN, FUNCTION_NONE };
	const struct path_frame *frames;
	struct waker waker;
	size_t count;

	if (task) {
		frames = task_paths_of(sleeps->options.paths, task->index,
				       &count);
		source = wait_channels_wake(sleeps->options.channels, frames,
					    count);
	}
	waker = (struct waker){
		.earlier = WAKER_NONE,
		.function = source.function,
		.interrupt = source.interrupt,
		.pid = pid,
		.tid = tid,
	};
	if (source.interrupt == FUNCTION_NONE && woken)
		waker.earlier = earlier_waker(sleeps, tid, woken);
	return wakers_add(sleeps->options.wakers, &waker);
}

/* Applies sched_waking: a task is woken. Returns 0 or -ERROR_MEMORY. */
static int sleeps_wake_up(struct sleeps *sleeps,
			  const struct event_record *event)
{
	int32_t tid = (int32_t)event->values[WAKING_TID];
	const struct task *task =
		task_time_task(sleeps->options.time, event->cpu, event->tid);
	uint32_t thread = task_time_thread(sleeps->options.time, tid);
	struct sleeper *woken;

	if (thread == UINT32_MAX)
		return 0;
	woken = sleeps_sleeper(sleeps, thread);
	if (!woken)
		return -ERROR_MEMORY;
	woken->chain = chain_of(sleeps, task, event->pid, event->tid, woken);
	woken->waker = task;
	woken->wake_ns = event->time_ns;
	if (woken->chain == WAKER_NONE)
		return -ERROR_MEMORY;
	if (woken->is_asleep || !woken->has_sleep)
		sleeps_wake(sleeps, woken, woken->chain);
	return 0;
}

/* Checks whether @step contains a wake-up without an event. */
int sleeps_step(struct sleeps *sleeps, const struct call_step *step)
{
	uint64_t last_ns = task_time_untraced_wakeup(sleeps->options.time);

	if (last_ns == sleeps->untraced_ns)
		return 0;
	sleeps->untraced_ns = last_ns;
	sleeps->untraced_chain = chain_of(sleeps, step->task, step->task->pid,
					  step->task->tid, NULL);
	return sleeps->untraced_chain == WAKER_NONE ? -ERROR_MEMORY : 0;
}

/* Records that @sleeper was woken at @time_ns, a wake-up that only the steps
 * show.
 */
static void sleeps_wake_untraced(struct sleeps *sleeps, struct sleeper *sleeper,
				 uint64_t time_ns)
{
	if (time_ns == sleeps->untraced_ns)
		sleeper->chain = sleeps->untraced_chain;
	else
		sleeper->chain = WAKER_NONE;
	sleeper->waker = NULL;
	sleeper->wake_ns = time_ns;
	sleeps_wake(sleeps, sleeper, sleeper->chain);
}

struct sleeps *sleeps_new(const struct sleeps_options *options,
			  struct sleep_callback *callback)
{
	struct sleeps *sleeps = calloc(1, sizeof(*sleeps));

	if (!sleeps)
		return NULL;
	sleeps->options = *options;
	sleeps->callback = callback;
	sleeps->sleepers = ARRAY_OF(struct sleeper);
	return sleeps;
}

void sleeps_reset(struct sleeps *sleeps)
{
	waiters_free(&sleeps->waiters);
	array_free(&sleeps->sleepers);
	sleeps->untraced_ns = 0;
	sleeps->untraced_chain = 0;
}

void sleeps_free(struct sleeps *sleeps)
{
	if (!sleeps)
		return;
	sleeps_reset(sleeps);
	free(sleeps);
}

static bool is_to_sleep(const struct event_record *event)
{
	int64_t state = event->values[SWITCH_PREV_STATE];

	return event->values[SWITCH_PREV] > 0 &&
	       off_how_of(state) == OFF_ASLEEP;
}

int sleeps_event(struct sleeps *sleeps, const struct event_record *event)
{
	if (event->event == EVENT_SCHED_WAKING)
		return sleeps_wake_up(sleeps, event);
	if (event->event == EVENT_SCHED_SWITCH && is_to_sleep(event))
		return sleeps_begin(sleeps, event);
	return 0;
}

static void fall_asleep(struct sleeper *sleeper, const struct time_span *span)
{
	/* The thread already slept when the recording started. */
	if (!sleeper->has_sleep) {
		sleeper_begin(sleeper, span->task, span->begin_ns);
		sleeper->sleep.waker = sleeper->chain;
		sleeper->sleep.is_cut = true;
	}
	if (!sleeper->sleep.asleep_ns)
		sleeper->sleep.off_ns = span->begin_ns;
	sleeper->sleep.asleep_ns += span->end_ns - span->begin_ns;
	sleeper->has_time = true;
}

static void wait_for_cpu(struct sleeps *sleeps, struct sleeper *sleeper,
			 const struct time_span *span)
{
	if (!sleeper->has_sleep)
		return;
	if (sleeper->is_asleep)
		sleeps_wake_untraced(sleeps, sleeper, span->begin_ns);
	sleeper->sleep.runnable_ns += span->end_ns - span->begin_ns;
	sleeper->has_time = true;
}

/* Ends the sleep of a thread that runs again. Wake-ups by perf have no event,
 * so it may still count as asleep.
 */
static void run_again(struct sleeps *sleeps, struct sleeper *sleeper)
{
	if (sleeper->is_asleep)
		sleeps_wake(sleeps, sleeper, sleeper->sleep.waker);
	sleeps_emit(sleeps, sleeper);
}

/* Returns whether @span is time on a CPU before the sleep in @sleeper. */
static bool is_before(const struct sleeps *sleeps,
		      const struct sleeper *sleeper,
		      const struct time_span *span)
{
	return span->end_ns <= sleeper->sleep.begin_ns ||
	       task_time_falls_asleep(sleeps->options.time, span->thread);
}

int sleeps_span(struct sleeps *sleeps, const struct time_span *span)
{
	struct sleeper *sleeper = sleeps_sleeper(sleeps, span->thread);

	if (!sleeper)
		return -ERROR_MEMORY;
	if (span->time_class == TIME_ASLEEP) {
		fall_asleep(sleeper, span);
	} else if (span->time_class == TIME_RUNNABLE) {
		wait_for_cpu(sleeps, sleeper, span);
	} else if (!is_before(sleeps, sleeper, span)) {
		run_again(sleeps, sleeper);
	}
	return 0;
}

void sleeps_flush(struct sleeps *sleeps, int32_t tid)
{
	struct sleeper *sleeper = sleeps_find(sleeps, tid);

	if (!sleeper || !sleeper->has_sleep)
		return;
	sleeper->sleep.is_cut = true;
	sleeps_emit(sleeps, sleeper);
}

void sleeps_end(struct sleeps *sleeps)
{
	for (size_t i = 0; i < sleeps->sleepers.count; i++) {
		struct sleeper *sleeper = array_at(&sleeps->sleepers, i);

		sleeper->sleep.is_cut = true;
		sleeps_emit(sleeps, sleeper);
	}
}

/* Checks a sleep that was read, since the file is untrusted. */
static void check_numbers(struct pack *pack, const struct sleep *sleep,
			  const struct sleep_numbers *numbers)
{
	pack_check(pack, sleep->stack == CALL_NODE_NONE ||
				 sleep->stack < numbers->stacks);
	pack_check(pack, sleep->user_stack == CALL_NODE_NONE ||
				 sleep->user_stack < numbers->stacks);
	pack_check(pack, sleep->label < numbers->functions);
	pack_check(pack, sleep->inner < numbers->functions);
	pack_check(pack, sleep->waker == WAKER_NONE ||
				 sleep->waker < numbers->wakers);
}

void sleep_pack(struct pack *pack, struct sleep *sleep, struct task *task,
		const struct sleep_numbers *numbers)
{
	if (!pack->is_reading)
		*task = *sleep->task;
	task_pack_facts(pack, task);
	sleep->task = task;
	pack_u64(pack, &sleep->begin_ns);
	pack_u64(pack, &sleep->asleep_ns);
	pack_u64(pack, &sleep->runnable_ns);
	pack_u32(pack, &sleep->stack);
	pack_u32(pack, &sleep->user_stack);
	pack_u32(pack, &sleep->label);
	pack_u32(pack, &sleep->inner);
	pack_u64(pack, &sleep->place);
	pack_u32(pack, &sleep->waker);
	pack_u32(pack, &sleep->others_at_begin);
	pack_u32(pack, &sleep->others_at_end);
	pack_i32(pack, &sleep->fd);
	pack_bool(pack, &sleep->is_cut);
	check_numbers(pack, sleep, numbers);
}
