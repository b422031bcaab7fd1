/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TARGET_PROCESS_CONTROL_H
#define KT_COLLECTOR_TARGET_PROCESS_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

/* The scheduling of the calling thread before it was raised; all zeros before
 * priority_raise().
 */
struct priority {
	bool is_raised;
	int former_policy;
};

/* Lets the calling thread, but not its future children, run before all ordinary
 * threads as soon as it wakes up: sched(7), SCHED_FIFO. Otherwise a thread that
 * drains a buffer would wait for a time slice, in which a CPU fills hundreds of
 * KiB. A thread that is real-time already is not changed.
 *
 * Returns true, even if the thread was real-time already; false, with nothing
 * changed, if the kernel refuses.
 */
bool priority_raise(struct priority *priority);

/* Undoes priority_raise(); does nothing if priority_raise() changed nothing, or
 * when called again. Returns false if the kernel refused.
 */
bool priority_restore(struct priority *priority);

/* The signals that control a recording, as a descriptor to poll. */
struct signal_source {
	int fd;
};

struct signal_event {
	int number; /* SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGUSR2 */
	/* Sent by the terminal to the whole foreground group, so the command
	 * has received it too.
	 */
	bool from_terminal;
};

/* Blocks the signals of struct signal_event and SIGXFSZ, and opens @source.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int signal_source_open(struct signal_source *source);

void signal_source_close(struct signal_source *source);

/* Returns 1 and @event, or 0 if no signal is pending. */
int signal_source_next(const struct signal_source *source,
		       struct signal_event *event);

/* Returns a descriptor that becomes readable once after @delay_ns, or -1. */
int timer_open(uint64_t delay_ns);

#endif
