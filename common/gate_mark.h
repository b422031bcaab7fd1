/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_GATE_MARK_H
#define KT_COMMON_GATE_MARK_H

#include <stdint.h>

/* How a recording made with --only reports when each CPU's trace unit ran, and
 * for which task: as samples of a software event of that name, with the task,
 * the CPU, the time and the kernel's call chain at that point, and these raw
 * bytes.
 */
#define GATE_MARK_EVENT "ktrace_hw:gate"

enum gate_mark_kind {
	GATE_BEGIN = 1, /* a chosen call starts: the trace resumes */
	GATE_END,	/* it ends: the trace pauses */
	GATE_LEAVE,	/* its task leaves the CPU: the trace pauses */
	GATE_COME,	/* its task is switched in: the trace resumes */
	GATE_FIRST,	/* the recording starts with all traces paused */
	GATE_LAST,	/* the recording ends */
};

/* On CPUs that pass the return address in a register, the kernel's call chain
 * at a function's start has the function and all its callers except the direct
 * one.
 */
struct gate_mark {
	uint32_t kind; /* enum gate_mark_kind */
	uint32_t reserved;
	uint64_t caller; /* the return address; 0: see the chain */
};

/* Size of a mark without a caller. */
enum { GATE_MARK_OLD_SIZE = 8 };

/* Changes of the chosen calls: samples of an event of this name, each with the
 * time from which on these calls are traced if they start.
 */
#define GATE_CHOICE_EVENT "ktrace_hw:only"

/* Size of a list of names, with its NUL. */
enum { GATE_LIST_SIZE = 1024 };

struct gate_choice {
	char list[GATE_LIST_SIZE]; /* comma-separated names; or GATE_NONE */
};

/* Stands for a list without names. */
#define GATE_NONE "none"

#endif
