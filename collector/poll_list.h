/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_POLL_LIST_H
#define KT_COLLECTOR_POLL_LIST_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

struct hit_keeper;
struct recording_setup;

/* Entries of the poll list: the signals, the timers of the end and of a hit,
 * the pipe that chooses calls, the reports of CPUs; then one for each ring, one
 * for each trigger, and one for each process whose end is awaited.
 */
enum poll_place {
	POLL_SIGNALS,
	POLL_TIMER,
	POLL_AFTER,
	POLL_CHOICE,
	POLL_CPUS,
	POLL_RINGS
};

struct poll_list {
	struct pollfd *polled;
	nfds_t count;
	nfds_t ring_end; /* index after perf's rings */
	/* the number of entries for processes, which are last */
	nfds_t processes;
};

/* Lists the rings of @setup, and the triggers and processes of @keeper. The
 * entries of enum poll_place are not polled until they are set. Returns 0 or
 * -ERROR_MEMORY.
 */
int poll_list_open(struct poll_list *list, const struct recording_setup *setup,
		   const struct hit_keeper *keeper);
void poll_list_free(struct poll_list *list);

/* Waits for an entry. Returns 0, also when interrupted by a signal, or
 * -ERROR_SYSTEM.
 */
int poll_list_wait(struct poll_list *list);

/* Like poll_list_wait(), but returns at once. */
int poll_list_look(struct poll_list *list);

/* poll_list_set() sets the descriptor to poll at @place, -1: none;
 * poll_list_has() returns whether it is ready.
 */
void poll_list_set(struct poll_list *list, enum poll_place place, int fd);
bool poll_list_has(const struct poll_list *list, enum poll_place place);

/* poll_list_drop_rings() stops polling the rings whose tasks have all ended,
 * and returns whether no more trace can arrive. poll_list_drop_processes()
 * stops polling the processes that have ended, and returns whether processes
 * were polled and all have ended.
 */
bool poll_list_drop_rings(struct poll_list *list);
bool poll_list_drop_processes(struct poll_list *list);

#endif
