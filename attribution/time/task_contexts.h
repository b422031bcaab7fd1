/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TASK_CONTEXTS_H
#define KT_ATTRIBUTION_TASK_CONTEXTS_H

#include "report/steps/call_step.h"
#include "symbolize/arch/arch.h"

#include <stddef.h>
#include <stdint.h>

struct context_kinds;
struct pack;

/* A kernel context that a task has entered and not left: a system call, fault,
 * interrupt or soft interrupt.
 */
struct open_context {
	uint8_t kind;	/* enum context_kind, not CONTEXT_NONE */
	uint8_t unseen; /* enum call_unseen bits of its entry */
	uint32_t function;
	uint32_t depth; /* depth of the function in the task's call stack */
	uint64_t begin_ns;
	uint64_t serial; /* unique number, from 1, over all tasks */
};

/* The nested kernel contexts of each task: a system call, a fault in it, an
 * interrupt in the fault, a soft interrupt in that. A context directly inside a
 * context of the same kind is part of the outer one. A function to which a
 * context jumps at its end, as the common exit path of interrupts, is part of
 * that context, too. A different interrupt is a context of its own.
 */
struct task_contexts;

/* Returns a table in which no task has an open context; NULL when out of
 * memory. Borrows @kinds.
 */
struct task_contexts *task_contexts_new(const struct context_kinds *kinds);
void task_contexts_free(struct task_contexts *contexts);

/* Closes all contexts, and keeps the memory. */
void task_contexts_clear(struct task_contexts *contexts);

/* Returns the effect of a step on its task's contexts: 1 if it starts one, -1
 * if it ends the innermost, else 0.
 */
int task_contexts_change(const struct task_contexts *contexts,
			 const struct call_step *step);

/* Applies a step.
 *
 * Returns 1 if the task's innermost context changed (started or ended), 0 if
 * not, -ERROR_MEMORY.
 */
int task_contexts_consume(struct task_contexts *contexts,
			  const struct call_step *step);

/* Returns the open contexts of task @index, outermost first, and sets *@count
 * to their number, which may be 0; valid until the next step.
 */
const struct open_context *
task_contexts_open(const struct task_contexts *contexts, uint32_t index,
		   size_t *count);

/* Writes all contexts, or reads them into @contexts, which must be new.
 * Function numbers must be below @functions and task indexes below @tasks;
 * inconsistent data makes the pack fail.
 */
void task_contexts_pack(struct task_contexts *contexts, struct pack *pack,
			uint32_t functions, uint32_t tasks);

/* Returns the innermost open context, or NULL. */
const struct open_context *
task_contexts_top(const struct task_contexts *contexts, uint32_t index);

#endif
