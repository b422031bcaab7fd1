/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_TASK_SWITCH_H
#define KT_SYMBOLIZE_TASK_SWITCH_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>

struct task_id {
	int32_t pid;
	int32_t tid;
};

/* Joins a CPU's switch records, which lie near its switches, with the places
 * where the kernel really changes stacks.
 */
struct task_switch {
	struct task_id current;
	struct task_id next;	/* announced, if has_next */
	bool has_next;
	bool preempted;		/* of the announcement */
	bool overdue;		/* a switch point came without announcement */
};

/* Takes a FLOW_SWITCH.  @running says whether the CPU is being traced now,
 * and so whether a switch point is to be expected.
 *
 * Returns whether the switch happens right here.
 */
bool task_switch_record(struct task_switch *state, const struct flow_item *item,
			bool running);

/* Takes a switch point; @ahead are the items that follow it, for records that
 * come just after.  Returns whether the switch happens here.
 */
bool task_switch_point(struct task_switch *state, const struct flow_item *ahead,
		       size_t count);

/* Execution is no longer followed.  Returns whether an announced switch is
 * to be taken as done.
 */
bool task_switch_lost(struct task_switch *state);

#endif
