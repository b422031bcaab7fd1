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
	bool is_unseen; /* the function started or ended untraced */
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
	/* the stack pointer at the function's return (x86: the address of the
	 * return address) or at the iret or ERET that ends the interrupt; 0 if
	 * unknown
	 */
	uint64_t slot;
	uint64_t site;	 /* address of the call; 0 if unknown */
	bool is_direct;	 /* it is a direct call */
	uint64_t origin; /* interrupted address; 0: not an interrupt */
	bool is_stale;	 /* the trace was off since */
};

/* The open functions of one task. Only the stack pointer determines which of
 * them ends.
 */
struct task_frames {
	uint64_t number;
	int64_t pid;   /* -1: unknown */
	uint64_t base; /* of its stack; 0: unknown */
	bool is_dead;
	struct frame *frames;
	size_t count;
	size_t room;
};

/* Place and time of a transfer, and the output for passages. */
struct passing {
	struct passages *out;
	uint32_t cpu;
	uint64_t tsc;
};

void frames_free(struct task_frames *task);

/* Each function applies the transfer of its name; @to covers the destination
 * @address. @slot is as in struct frame, @site the call's own address.
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
/* @sp: the stack pointer at the iret or ERET; @gap: how far a breakpoint's
 * frame has been moved down.
 */
void frames_iret(struct task_frames *task, const struct passing *at,
		 const struct kernel_name *from, const struct kernel_name *to,
		 uint64_t address, uint64_t sp, uint64_t gap);

/* Enter from user space, whose stack is unrelated, and return to it. */
void frames_start(struct task_frames *task, const struct passing *at,
		  const struct kernel_name *to);
void frames_leave(struct task_frames *task, const struct passing *at);

/* The task leaves its CPU for good: its open functions end untraced. */
void frames_end(struct task_frames *task, const struct passing *at);

/* The trace stops; it restarts in @here with stack pointer @sp. */
void frames_off(struct task_frames *task);
void frames_on(struct task_frames *task, const struct passing *at,
	       const struct kernel_name *here, uint64_t sp);

#endif
