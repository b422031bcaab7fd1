/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SIGNAL_SOURCE_H
#define KT_COLLECTOR_SIGNAL_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

/* The signals that steer a recording, as a descriptor to poll. */
struct signal_source {
	int fd;
};

struct signal_event {
	int number; /* SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2 */
	/* Sent to the whole foreground group by the terminal, so that the
	 * command has it too.
	 */
	bool from_terminal;
};

/* Blocks those signals, and SIGXFSZ, and opens the source.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int signal_source_open(struct signal_source *source);
void signal_source_close(struct signal_source *source);

/* Returns 1 and @event, or 0 if there is none now. */
int signal_source_next(const struct signal_source *source,
		       struct signal_event *event);

/* Returns a descriptor that becomes readable once after @delay_ns, or -1. */
int timer_open(uint64_t delay_ns);

#endif
