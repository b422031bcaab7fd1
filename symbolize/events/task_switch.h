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

/* Determines when a CPU's task changes. The kernel's switch records are written
 * near a switch, mostly before it; the kernel changes stacks at the switch
 * point, a function entry in the trace. This pairs the two.
 */
struct task_switch {
	struct task_id current;
	struct task_id next; /* the next task, if has_next */
	bool has_next;
	bool preempted; /* @current still wanted to run */
	/* time of a switch point that no record announced; 0: none */
	uint64_t overdue_ns;
	/* time of a switch that was assumed without its switch point, which may
	 * still follow; 0: none
	 */
	uint64_t untraced_ns;
};

/* Consumes a FLOW_SWITCH. @running: the CPU is being traced now, so that a
 * switch point must follow.
 *
 * Returns whether the task changes right here; otherwise it changes at the
 * switch point, or not at all.
 */
bool task_switch_record(struct task_switch *state, const struct flow_item *item,
			bool running);

/* A record farther than this from a switch point belongs to another one. If the
 * switch point's time bounds are known, this does not limit the records before
 * it.
 */
enum { TASK_SWITCH_NEAR_NS = 20000 };

/* Consumes a FLOW_SWITCH whose switch point follows. */
void task_switch_announce(struct task_switch *state,
			  const struct flow_item *item);

/* Returns whether the switch point within [@low_ns, @high_ns] is that of a
 * switch which was assumed while the CPU was not traced (untraced_ns). That
 * assumption is then used up.
 */
bool task_switch_is_done(struct task_switch *state, uint64_t low_ns,
			 uint64_t high_ns);

/* Consumes a switch point at @time_ns. @next is the next FLOW_SWITCH, which may
 * belong to this switch point; NULL if there is none. Returns whether the task
 * changes here.
 */
bool task_switch_point(struct task_switch *state, uint64_t time_ns,
		       const struct flow_item *next);

/* Must be called when execution is not followed from @time_ns on. Returns
 * whether the task changes here, because a switch was announced.
 */
bool task_switch_lost(struct task_switch *state, uint64_t time_ns);

/* Must be called when execution continues in a trace of thread @own only: the
 * record that it is back on a CPU is written a little later. Returns whether
 * the task changes here.
 */
bool task_switch_back(struct task_switch *state, const struct task_id *own);

#endif
