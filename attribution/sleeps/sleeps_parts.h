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

/* A thread that sleeps or may sleep. Whether and since when it sleeps is known
 * to struct thread and arrives as spans. This struct has its wait channel and
 * the chain of its last wake-up. Both depend on open functions, which are not
 * tracked if only spans are used.
 */
struct sleeper {
	struct sleep sleep; /* if has_sleep */
	bool has_sleep;	    /* a sleep that was not emitted yet */
	bool has_time;	    /* part of that sleep was in the recording */
	/* is counted among the waiters of its wait channel */
	bool is_asleep;
	struct wait_key place;
	uint32_t chain;		  /* of its last wake-up, or WAKER_NONE */
	const struct task *waker; /* the last waker, as in struct sleep */
	uint64_t wake_ns;	  /* the last wake-up; 0: never */
};

/* Facts from the arguments of the system call that a thread sleeps in. */
struct sleeper_call {
	/* of its sys_enter; NULL: in no call */
	const struct sideband_record *record;
	/* The descriptor that the call uses, as read(3, ...); -1: none, or
	 * unknown.
	 */
	int32_t fd;
	/* An identifier of the object that it waits for: the address of a futex
	 * call's word; 0: unknown. It is valid in one process only: a word that
	 * processes share has another address in each.
	 */
	uint64_t object;
};

/* Returns the call in @frames, of a thread whose last call started with @entry
 * (or NULL).
 */
struct sleeper_call sleeper_call_of(const struct call_entry *entry,
				    const struct function_table *functions,
				    const struct arch *arch,
				    const struct path_frame *frames,
				    size_t count);

/* Starts a sleep with all other fields unknown. */
void sleeper_begin(struct sleeper *sleeper, const struct task *task,
		   uint64_t begin_ns);

/* The internals of sleeps, shared by its files: sleeps.c receives the input,
 * sleeps_change.c starts, wakes and emits sleeps, sleeper.c has the functions
 * above.
 */
struct sleeps {
	struct sleeps_options options;
	struct sleep_callback *callback;
	struct waiters waiters;
	struct array sleepers; /* struct sleeper by task_time_thread() */
	/* The last wake-up without an event (task_time.h), and its chain. */
	uint64_t untraced_ns;
	uint32_t untraced_chain;
};

/* Returns the sleeper of thread number @thread, adding it if it is new; valid
 * until the next one is added. NULL when out of memory.
 */
struct sleeper *sleeps_sleeper(struct sleeps *sleeps, uint32_t thread);

/* Returns the sleeper of thread @tid, or NULL. */
struct sleeper *sleeps_find(const struct sleeps *sleeps, int32_t tid);

/* Applies sched_switch: a task goes to sleep. Returns 0 or -ERROR_MEMORY. */
int sleeps_begin(struct sleeps *sleeps, const struct event_record *event);

/* Applies sched_waking: a task is woken. Returns 0 or -ERROR_MEMORY. */
int sleeps_wake_up(struct sleeps *sleeps, const struct event_record *event);

/* Records that @sleeper was woken at @time_ns, a wake-up that only the steps
 * show.
 */
void sleeps_wake_untraced(struct sleeps *sleeps, struct sleeper *sleeper,
			  uint64_t time_ns);

/* Ends the sleep; @waker is the chain that ended it, or WAKER_NONE. */
void sleeps_wake(struct sleeps *sleeps, struct sleeper *sleeper,
		 uint32_t waker);

/* Emits its last sleep, if any of it was in the recording. */
void sleeps_hand_out(struct sleeps *sleeps, struct sleeper *sleeper);

#endif
