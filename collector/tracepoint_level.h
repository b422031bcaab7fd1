/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACEPOINT_LEVEL_H
#define KT_COLLECTOR_TRACEPOINT_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

struct event_list;
struct log;

/* How many of the kernel's tracepoints are recorded beside the trace; each
 * level has all of those before it.
 */
enum tracepoint_level {
	TRACEPOINTS_NONE,  /* the traced kernel is left as it is */
	TRACEPOINTS_SCHED, /* who wakes and who follows whom */
	TRACEPOINTS_IRQ,   /* which interrupt and which soft one */
	TRACEPOINTS_ALL,   /* which system call */
	TRACEPOINTS_ATTRIBUTION, /* which packet, request, timer, work item */
};

/* Returns the level called @name (none, sched, irq, all, attribution), or -1. */
int tracepoint_level_parse(const char *name);

/* Returns whether tracefs tells of the scheduler's tracepoints. */
bool tracepoint_level_can_be_read(void);

/* Adds the specs of @level to @events, not opened yet.  Where a system call
 * begins, up to @user_stack_bytes of the caller's stack are recorded; unless
 * that is 0, this tracepoint is in all levels.
 *
 * Returns 0; -ERROR_NOT_FOUND, with the way out in @log, if tracefs cannot be
 * read; -ERROR_MEMORY.
 */
int tracepoint_level_add(enum tracepoint_level level,
			 uint32_t user_stack_bytes, struct event_list *events,
			 const struct log *log);

/* Adds the spec that announces modules, if the kernel has it.
 *
 * Returns its index; -ERROR_NOT_FOUND, nothing said; -ERROR_MEMORY.
 */
int tracepoint_add_module_load(struct event_list *events);

#endif
