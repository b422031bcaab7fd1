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
struct sideband_record;

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

#endif
