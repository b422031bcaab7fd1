/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SLEEPER_H
#define KT_ATTRIBUTION_SLEEPER_H

#include "attribution/sleeps/sleeps.h"
#include "attribution/sleeps/waiters.h"
#include "attribution/time/task_paths.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct call_entry;
struct function_table;

/* This is what is known of a thread that sleeps or may. */
struct sleeper {
	struct sleep sleep; /* if has_sleep */
	bool has_sleep;	    /* one that was not handed out yet */
	bool has_time;	    /* that sleep: some of it was in the recording */
	bool has_left;	    /* its CPU, and was not seen on one since */
	bool is_asleep;	    /* is counted at place */
	struct wait_key place;
	uint32_t chain;		  /* of who woke it last, WAKER_NONE */
	const struct task *waker; /* that one, as in struct sleep */
	uint64_t wake_ns;	  /* when; 0: never */
};

/* Returns whether @frames, of a thread whose last system call is @call, or NULL, lie
 * in that.
 */
bool sleeper_is_in_call(const struct call_entry *call,
			const struct path_frame *frames, size_t count);

/* Returns a name for what @frames, in @call as above, wait for, or 0 if nothing tells:
 * that of the word in memory that a futex call waits for.  It is the process's
 * own name: those that processes share have others in each.
 */
uint64_t sleeper_object(const struct call_entry *call,
			const struct function_table *functions,
			const struct arch *arch,
			const struct path_frame *frames, size_t count);

/* Returns the descriptor that the system call which @frames lie in is for, as read(3, ...); -1 if it is for none, or nothing tells.
 */
int32_t sleeper_fd(const struct call_entry *call,
		   const struct function_table *functions,
		   const struct arch *arch, const struct path_frame *frames,
		   size_t count);

/* Begins a sleep of which nothing but this is known. */
void sleeper_begin(struct sleeper *sleeper, const struct task *task,
		   uint64_t begin_ns);

#endif
