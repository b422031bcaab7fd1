/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SPAN_H
#define KT_REPORT_SPAN_H

#include <stddef.h>
#include <stdint.h>

struct task;

/* The contents of a track. */
enum span_track_kind {
	SPAN_TASK,	/* the functions of one task */
	SPAN_CALLS,	/* its system calls */
	SPAN_SLEEPS,	/* its sleeps, and the threads it wakes */
	SPAN_WORK,	/* work of a kernel thread for other processes */
	SPAN_CPU_TASKS, /* the tasks that run on one CPU */
	/* intervals in which one CPU's trace is incomplete, or shows no
	 * functions
	 */
	SPAN_CPU_TRACE,
	SPAN_CPU_INTERRUPTS, /* the interrupt work on one CPU */
	SPAN_TRACK_KINDS,
};

/* Annotations of a span; see span_note_text(). */
enum span_note_name {
	NOTE_ARGUMENTS, /* of a system call, in strace's format */
	NOTE_RESULT,
	NOTE_END,    /* how the call ended, unless it returned */
	NOTE_INNER,  /* the innermost function asleep */
	NOTE_WAKER,  /* the chain of wakers */
	NOTE_IS_CUT, /* 1: cut by the start or end of the recording */
	NOTE_WOKEN,  /* the woken thread */
	NOTE_WOKEN_TID,
	NOTE_KIND, /* of interrupt work */
	NOTE_IRQ,
	NOTE_ON_PID, /* process whose time was used */
	NOTE_ON_TID,
	NOTE_LOST_BYTES, /* of trace */
	NOTE_OFFSET,	 /* in the CPU's trace */
	SPAN_NOTES,
};

struct span_note {
	uint8_t name;	  /* enum span_note_name */
	const char *text; /* NULL: the value is a number */
	uint64_t number;
};

/* For names that are not interned. */
#define SPAN_NUMBER_NONE UINT32_MAX

/* The start of a span, or an instant. */
struct span {
	uint64_t time_ns;
	/* number of its name: within a track, equal numbers mean equal names */
	uint32_t number;
	const char *name; /* NULL: the name of function @number */
	const char *category;
	/* if not 0, number of an arrow that starts at this instant, or ends at
	 * this span
	 */
	uint64_t flow;
	const struct span_note *notes;
	size_t note_count;
};

/* Returns the name of a note, such as "lost_bytes". */
const char *span_note_text(uint8_t name);

#endif
