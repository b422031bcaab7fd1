/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GATE_GATE_H
#define KT_COLLECTOR_GATE_GATE_H

#include "collector/trigger/trigger_set.h"
#include "common/formats/recording_events.h"

#include <stdbool.h>
#include <stddef.h>

/* The BPF programs that track in the kernel whether a task is inside of a
 * chosen call. When a program returns 1, the event of its probe pauses or
 * resumes the trace, and a mark (common/formats/recording_events.h) was written
 * to the ring.
 */

/* Splits a byte stream into lines. */
struct gate_lines {
	char text[GATE_LIST_SIZE]; /* the line so far */
	/* of the line, including bytes that were cut */
	size_t length;
};

/* Consumes bytes of @bytes, which has @size, from *@at on, up to the end of a
 * line.
 *
 * Returns the line, NUL-terminated, without trailing spaces, valid until the
 * next call; sets *@is_cut if it was longer than a list may be and was cut.
 * Returns NULL if the line is not complete yet.
 */
const char *gate_lines_next(struct gate_lines *lines, const char *bytes,
			    size_t size, size_t *at, bool *is_cut);

/* Lets the trace unit run only inside of chosen system calls or kernel
 * functions and their callees (docs/gating.md). A probe at the start of a call
 * resumes the trace of its CPU, and one at its return pauses it. During the
 * call, probes at the points where the scheduler switches a task out and in
 * pause and resume the trace as well, so that only this task is traced, on
 * whichever CPU.
 */
struct gate {
	/* the open probes, and the processes that count */
	struct trigger_set set;
	/* the gate's own maps, the event of its marks, and its FIFO */
	struct trigger own;
	struct array functions; /* struct gate_function */
	/* a map: the numbers of the functions that are chosen now */
	int chosen;
};

struct gate gate_new(void);

/* Removes the probes from tracefs. The events must be closed. */
void gate_free(struct gate *gate);

/* Returns NULL if @list is GATE_NONE or comma-separated names; else a text that
 * describes the expected form.
 */
const char *gate_list_check(const char *list);

/* Creates the parts that all chosen functions share, opens the named pipe
 * @line, if it is not NULL, through which other functions are chosen, and
 * chooses those of @list.
 *
 * Returns 0; -ERROR_NOT_FOUND, -ERROR_SYSTEM or -ERROR_MEMORY with the reason
 * in @setup's log.
 */
int gate_open(struct gate *gate, const struct trigger_setup *setup,
	      const char *list, const char *line);

/* Creates probes for the functions of @list that have none. On a running trace
 * their events take effect once the trace is restarted
 * (event_list_restart_cpu()): the kernel (6.12, 7.3) schedules an event that
 * joins the group of another PMU only on a restart (ctx_resched()).
 *
 * Returns like gate_open(); the functions chosen before stay chosen.
 */
int gate_prepare(struct gate *gate, const struct trigger_setup *setup,
		 const char *list);

/* Switches to the functions of the last gate_prepare(): their calls are traced
 * if they start from now on, and no others. Calls already in progress are
 * traced to their ends.
 *
 * Returns 0 or -ERROR_SYSTEM with the reason in @setup's log.
 */
int gate_choose(struct gate *gate, const struct trigger_setup *setup);

#endif
