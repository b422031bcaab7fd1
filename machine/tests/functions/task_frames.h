/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_TASK_FRAMES_H
#define KT_MACHINE_TESTS_TASK_FRAMES_H

#include "machine/tests/functions/kernel_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry or exit of a function. */
struct passage {
	bool is_exit;
	bool is_unseen; /* the function began or ended earlier */
	uint32_t cpu;
	uint64_t task; /* number of struct task_frames */
	uint64_t tsc;
	const struct kernel_name *function;
};

struct passages {
	struct passage *items;
	size_t count;
	size_t room;
};

struct frame {
	const struct kernel_name *function;
	uint64_t slot; /* the stack pointer at the function's return (x86: where
			* the return address is) or at the iret or ERET that
			* ends the interrupt; 0 if unknown
			*/
	uint64_t site; /* of the call; 0 if unknown */
	bool is_direct;	 /* the call is */
	uint64_t origin; /* what was interrupted; 0: not an interrupt */
	bool is_stale;	 /* the trace was off meanwhile */
};

/* The open functions of one task.  Which of them ends is told by the stack
 * pointer alone.
 */
struct task_frames {
	uint64_t number;
	int64_t pid;   /* -1: not told */
	uint64_t base; /* of its stack; 0: not known yet */
	bool is_dead;
	struct frame *frames;
	size_t count;
	size_t room;
};

/* Where and when it happens, and where passages go. */
struct passing {
	struct passages *out;
	uint32_t cpu;
	uint64_t tsc;
};

void frames_free(struct task_frames *task);

/* Each takes what it is named after; @to is what covers @address, where control
 * goes. @slot is as in struct frame, @site the call's own address.
 */
void frames_call(struct task_frames *task, const struct passing *at,
		 const struct kernel_name *to, uint64_t slot, uint64_t site,
		 bool is_direct);
void frames_tail(struct task_frames *task, const struct passing *at,
		 const struct kernel_name *from, const struct kernel_name *to);
void frames_return(struct task_frames *task, const struct passing *at,
		   const struct kernel_name *to, uint64_t address,
		   uint64_t slot);
void frames_interrupt(struct task_frames *task, const struct passing *at,
		      const struct kernel_name *to, uint64_t origin,
		      uint64_t slot);
/* @sp: the stack pointer at the iret or ERET; @gap: how far below its frame that
 * of a breakpoint is.
 */
void frames_iret(struct task_frames *task, const struct passing *at,
		 const struct kernel_name *from, const struct kernel_name *to,
		 uint64_t address, uint64_t sp, uint64_t gap);

/* From user space, whose stack has nothing to do with this one; back to it. */
void frames_start(struct task_frames *task, const struct passing *at,
		  const struct kernel_name *to);
void frames_leave(struct task_frames *task, const struct passing *at);

/* The task leaves its CPU and does not come back: what is open ends unseen. */
void frames_end(struct task_frames *task, const struct passing *at);

/* The trace ends; it begins again, in @here with stack pointer @sp. */
void frames_off(struct task_frames *task);
void frames_on(struct task_frames *task, const struct passing *at,
	       const struct kernel_name *here, uint64_t sp);

#endif
