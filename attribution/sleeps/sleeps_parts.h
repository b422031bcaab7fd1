/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SLEEPS_PARTS_H
#define KT_ATTRIBUTION_SLEEPS_PARTS_H

#include "attribution/sleeps/sleeps.h"
#include "attribution/sleeps/waiters.h"
#include "attribution/sleeps/wakers.h"
#include "attribution/time/task_paths.h"
#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_entry;
struct sideband_record;

/* This is what is known of a thread that sleeps or may.  Whether it does, and since
 * when, is for struct thread to know and comes as spans; here is kept where it waits
 * and by which chain it was woken last, which hang on open functions, and those are not
 * followed for spans alone.
 */
struct sleeper {
	struct sleep sleep; /* if has_sleep */
	bool has_sleep;	    /* one that was not handed out yet */
	bool has_time;	    /* that sleep: some of it was in the recording */
	bool is_asleep;	    /* is counted at place */
	struct wait_key place;
	uint32_t chain;		  /* of who woke it last, WAKER_NONE */
	const struct task *waker; /* that one, as in struct sleep */
	uint64_t wake_ns;	  /* when; 0: never */
};

/* What the system call tells that a thread sleeps in. */
struct sleeper_call {
	const struct sideband_record *record; /* its entry's; NULL: in none */
	/* The descriptor that it is for, as read(3, ...); -1: for none, or unknown. */
	int32_t fd;
	/* A name for what it waits for, the word in memory of a futex call; 0: nothing
	 * tells.  It is the process's own: words that processes share have others
	 * in each.
	 */
	uint64_t object;
};

/* Returns that of @frames, of a thread whose last call began by @entry, or NULL. */
struct sleeper_call sleeper_call_of(const struct call_entry *entry,
				    const struct function_table *functions,
				    const struct arch *arch,
				    const struct path_frame *frames,
				    size_t count);

/* Begins a sleep of which nothing but this is known. */
void sleeper_begin(struct sleeper *sleeper, const struct task *task,
		   uint64_t begin_ns);

/* The inside of sleeps, shared by its files: sleeps.c takes what happens,
 * sleeps_change.c puts a task to sleep, wakes it and hands out how it slept,
 * sleeper.c has what is above.
 */
struct sleeps {
	struct sleeps_options options;
	struct sleep_callback *callback;
	struct waiters waiters;
	struct array sleepers; /* struct sleeper by task_time_thread() */
	/* The last wake-up that no event tells (task_time.h), and its chain. */
	uint64_t untraced_ns;
	uint32_t untraced_chain;
};

/* Returns the sleeper that thread number @thread is, adding it if it is new; it
 * stays in place until the next one is added.  NULL when out of memory.
 */
struct sleeper *sleeps_sleeper(struct sleeps *sleeps, uint32_t thread);

/* Returns the sleeper that thread @tid is if it is there, else NULL. */
struct sleeper *sleeps_find(const struct sleeps *sleeps, int32_t tid);

/* A task goes to sleep, as sched_switch says.  Returns 0 or -ERROR_MEMORY. */
int sleeps_begin(struct sleeps *sleeps, const struct event_record *event);

/* A task is woken, as sched_waking says.  Returns 0 or -ERROR_MEMORY. */
int sleeps_wake_up(struct sleeps *sleeps, const struct event_record *event);

/* @sleeper was woken at @time_ns, as the steps alone have it. */
void sleeps_wake_untraced(struct sleeps *sleeps, struct sleeper *sleeper,
			  uint64_t time_ns);

/* Ends the sleep; @waker is the chain that ended it, or WAKER_NONE. */
void sleeps_wake(struct sleeps *sleeps, struct sleeper *sleeper,
		 uint32_t waker);

/* Hands out its last sleep, if any of that was in the recording. */
void sleeps_hand_out(struct sleeps *sleeps, struct sleeper *sleeper);

#endif
