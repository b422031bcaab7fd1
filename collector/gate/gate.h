/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GATE_H
#define KT_COLLECTOR_GATE_H

#include "collector/trigger/trigger_set.h"
#include "common/gate_mark.h"

/* Lets the trace unit run only inside of chosen system calls or kernel
 * functions, with all that they call (docs/gating.md).  A probe at the call's
 * begin resumes the trace of its CPU, one at its return pauses it; probes where
 * the scheduler takes a task from its CPU and gives it one do the same
 * meanwhile, so that only this task is traced, on whichever CPU.
 */
struct gate {
	struct trigger_set set; /* what is open, and whose calls count */
	struct trigger own;	/* its maps, the event of its marks, its FIFO */
	struct array functions; /* struct gate_function */
	int chosen; /* a map: the numbers of those whose calls count */
};

struct gate gate_new(void);

/* Takes away what was made in tracefs.  The events must be closed. */
void gate_free(struct gate *gate);

/* Returns NULL if @list is one of names with commas between, or GATE_NONE; else
 * what is to be given.
 */
const char *gate_list_check(const char *list);

/* Makes what all chosen functions need, opens the named pipe @line, if it is
 * not NULL, by which others are chosen, and chooses those of @list.
 *
 * Returns 0; -ERROR_NOT_FOUND, -ERROR_SYSTEM or -ERROR_MEMORY with the reason in
 * @setup's log.
 */
int gate_open(struct gate *gate, const struct trigger_setup *setup,
	      const char *list, const char *line);

/* Makes the probes for those functions of @list that have none.  Their events act
 * on a trace that runs when that is restarted (event_list_restart_cpu()): the
 * kernel (6.12, 7.3) schedules an event that joins the group of another PMU's
 * only with that (ctx_resched()).
 *
 * Returns as gate_open(); what was chosen stays so.
 */
int gate_prepare(struct gate *gate, const struct trigger_setup *setup,
		 const char *list);

/* Lets the calls of the functions that were prepared last be traced if they begin
 * from now on, no others; those that are under way are traced to their ends.
 *
 * Returns 0 or -ERROR_SYSTEM with the reason in @setup's log.
 */
int gate_choose(struct gate *gate, const struct trigger_setup *setup);

#endif
