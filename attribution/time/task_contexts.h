/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TASK_CONTEXTS_H
#define KT_ATTRIBUTION_TASK_CONTEXTS_H

#include "report/steps/call_step.h"
#include "symbolize/arch/arch.h"

#include <stddef.h>
#include <stdint.h>

struct context_kinds;
struct pack;

/* A task has entered this kernel context and not left it: a system call, a
 * fault, an interrupt, a soft interrupt.
 */
struct open_context {
	uint8_t kind;	/* enum context_kind, not CONTEXT_NONE */
	uint8_t unseen; /* enum call_unseen bits of its entry */
	uint32_t function;
	uint32_t depth; /* of the function in the task's call stack */
	uint64_t begin_ns;
	uint64_t serial; /* counted from 1 over all tasks: its name */
};

/* Each task is in some kernel contexts, one in another: in a system call, a
 * fault in that, an interrupt in the fault, a soft interrupt in that.  Work of
 * a kind called from the same kind without anything between is part of it, and
 * so is the function that it jumps to at its end: the common way out of
 * interrupts.  An interrupt of another is a context of its own.
 */
struct task_contexts;

/* Borrows @kinds.  Returns NULL when out of memory. */
struct task_contexts *task_contexts_new(const struct context_kinds *kinds);
void task_contexts_free(struct task_contexts *contexts);

/* Returns what a step would do to its task's contexts: 1 if it begins one, -1
 * if it ends the innermost, else 0.
 */
int task_contexts_change(const struct task_contexts *contexts,
			 const struct call_step *step);

/* Applies a step.
 *
 * Returns 1 if the task's innermost work changed (it began or ended), 0 if
 * not, -ERROR_MEMORY.
 */
int task_contexts_take(struct task_contexts *contexts,
		       const struct call_step *step);

/* Returns the work that task @index has open, outermost first, and how much in
 * *@count, which may be 0; valid until the next step.
 */
const struct open_context *
task_contexts_open(const struct task_contexts *contexts, uint32_t index,
		   size_t *count);

/* Writes all, or adds what it reads to @contexts, which have taken no step.
 * Functions are numbers below @functions, and there are @tasks tasks at most:
 * what makes no sense makes the pack fail.
 */
void task_contexts_pack(struct task_contexts *contexts, struct pack *pack,
			uint32_t functions, uint32_t tasks);

/* Returns the innermost, or NULL. */
const struct open_context *
task_contexts_top(const struct task_contexts *contexts, uint32_t index);

#endif
