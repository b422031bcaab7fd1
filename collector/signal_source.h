/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SIGNAL_SOURCE_H
#define KT_COLLECTOR_SIGNAL_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

/* The signals that control a recording, as a descriptor to poll. */
struct signal_source {
	int fd;
};

struct signal_event {
	int number; /* SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2 */
	/* Sent by the terminal to the whole foreground group, so the command
	 * has received it too.
	 */
	bool from_terminal;
};

/* signal_source_open() blocks SIGXFSZ and the signals above, and opens the
 * source.
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
