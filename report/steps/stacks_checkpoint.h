/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STACKS_CHECKPOINT_H
#define KT_REPORT_STACKS_CHECKPOINT_H

#include <stdint.h>

struct pack;
struct task_stacks;

/* Writes what @stacks holds to @pack, or sets @stacks, which has its CPUs but
 * has taken no events, to what it reads: as if all events up to there had been
 * taken, none of them within its window.  Functions are numbers below
 * @functions.  What makes no sense makes @pack fail, and @stacks of no use.
 */
void stacks_checkpoint_pack(struct task_stacks *stacks, struct pack *pack,
			    uint32_t functions);

/* Hands the open functions of all tasks to the callback, as entered before the
 * window.
 */
void stacks_checkpoint_say(struct task_stacks *stacks);

#endif
