/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_POLL_LIST_H
#define KT_COLLECTOR_POLL_LIST_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

struct hit_keeper;
struct recording_setup;

/* This is what is waited for: the signals, the timers of the end and of a hit,
 * who chooses calls, one for each ring, one for each trigger, one for each process
 * whose end is to be known.
 */
enum poll_place {
	POLL_SIGNALS,
	POLL_TIMER,
	POLL_AFTER,
	POLL_CHOICE,
	POLL_RINGS
};

struct poll_list {
	struct pollfd *polled;
	nfds_t count;
	nfds_t ring_end;  /* the place behind perf's rings */
	nfds_t processes; /* the last ones */
};

/* Lists the rings of @setup, and the triggers and processes of @keeper; of the first
 * places those that are not set are not waited for.  Returns 0 or -ERROR_MEMORY.
 */
int poll_list_open(struct poll_list *list, const struct recording_setup *setup,
		   const struct hit_keeper *keeper);
void poll_list_free(struct poll_list *list);

/* Waits.  Returns 0, also when a signal came, or -ERROR_SYSTEM. */
int poll_list_wait(struct poll_list *list);

/* Sets what is waited for at @place, -1: nothing; says whether it came. */
void poll_list_set(struct poll_list *list, enum poll_place place, int fd);
bool poll_list_has(const struct poll_list *list, enum poll_place place);

/* Stop waiting for the rings whose tasks have all ended, and for the processes
 * that have.  Return whether no trace can come any more; whether it was waited
 * for processes, and all have ended.
 */
bool poll_list_drop_rings(struct poll_list *list);
bool poll_list_drop_processes(struct poll_list *list);

#endif
