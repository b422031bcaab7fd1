/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_TASK_SWITCH_H
#define KT_SYMBOLIZE_TASK_SWITCH_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stdint.h>

struct task_id {
	int32_t pid;
	int32_t tid;
};

/* Joins a CPU's switch records, which lie near its switches, with the places
 * where the kernel really changes stacks.
 */
struct task_switch {
	struct task_id current;
	struct task_id next; /* announced, if has_next */
	bool has_next;
	bool preempted;	      /* of the announcement */
	uint64_t overdue_ns;  /* when a switch point came that no record
				 * announced; 0: none did */
	uint64_t untraced_ns; /* when a switch was taken as done whose switch
				 * point, not traced yet, may still come; 0:
				 * none was */
};

/* Takes a FLOW_SWITCH.  @running says whether the CPU is being traced now,
 * and so whether a switch point is to be expected.
 *
 * Returns whether the switch happens right here.
 */
bool task_switch_record(struct task_switch *state, const struct flow_item *item,
			bool running);

/* A record that is further than this from a switch point is another's, where
 * bounds of its time are not known.
 */
enum { TASK_SWITCH_NEAR_NS = 20000 };

/* Takes a FLOW_SWITCH whose switch point is ahead. */
void task_switch_announce(struct task_switch *state,
			  const struct flow_item *item);

/* Returns whether the switch point within [@low_ns, @high_ns] is that of a
 * switch which was taken as done while the CPU was not traced.  That switch
 * point then has passed.
 */
bool task_switch_is_done(struct task_switch *state, uint64_t low_ns,
			 uint64_t high_ns);

/* Takes a switch point at @time_ns; @next is the FLOW_SWITCH that comes next,
 * which may be this one's, NULL if none does.  Returns whether the switch
 * happens here.
 */
bool task_switch_point(struct task_switch *state, uint64_t time_ns,
		       const struct flow_item *next);

/* From @time_ns on execution is not followed.  Returns whether an announced switch
 * is to be taken as done.
 */
bool task_switch_lost(struct task_switch *state, uint64_t time_ns);

/* Execution goes on in a trace that is @own's alone: its record of coming back
 * to a CPU is written a little later.  Returns whether that is a switch.
 */
bool task_switch_back(struct task_switch *state, const struct task_id *own);

#endif
