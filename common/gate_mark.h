/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_GATE_MARK_H
#define KT_COMMON_GATE_MARK_H

#include <stdint.h>

/* How a recording made with --only tells when each CPU's trace unit ran, and for
 * whom: samples of a software event of that name, with the task, the CPU, the
 * time and the kernel's call chain where it happened, and these raw bytes.
 */
#define GATE_MARK_EVENT "ktrace_hw:gate"

enum gate_mark_kind {
	GATE_BEGIN = 1, /* a chosen call begins: the trace goes on */
	GATE_END,	/* it ends: the trace pauses */
	GATE_LEAVE,	/* its task leaves the CPU: likewise */
	GATE_COME,	/* its task has got the CPU: the trace goes on */
	GATE_FIRST, /* the recording begins, every CPU's trace being paused */
	GATE_LAST,  /* it ends */
};

/* Where a CPU leaves the return address in a register, the kernel's call chain at
 * a function's begin has the function, not who called it, but all above.
 */
struct gate_mark {
	uint32_t kind; /* enum gate_mark_kind */
	uint32_t reserved;
	uint64_t caller; /* where the function returns to; 0: in the chain */
};

/* Of a mark that has no caller. */
enum { GATE_MARK_OLD_SIZE = 8 };

/* And which calls are chosen from when on: samples of an event of this name, with
 * the time at which those calls are that begin from then on.
 */
#define GATE_CHOICE_EVENT "ktrace_hw:only"

/* Of a list of names, with its NUL. */
enum { GATE_LIST_SIZE = 1024 };

struct gate_choice {
	char list[GATE_LIST_SIZE]; /* names with commas between; or GATE_NONE */
};

/* Stands for a list without names. */
#define GATE_NONE "none"

#endif
