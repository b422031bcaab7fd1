/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SPAN_H
#define KT_REPORT_SPAN_H

#include <stddef.h>
#include <stdint.h>

struct task;

/* This is what a track shows. */
enum span_track_kind {
	SPAN_TASK,	     /* the functions of one task */
	SPAN_CALLS,	     /* its system calls */
	SPAN_SLEEPS,	     /* where it sleeps, and whom it wakes */
	SPAN_WORK,	     /* what a kernel thread does for others */
	SPAN_CPU_TASKS,	     /* the tasks that run on one CPU */
	SPAN_CPU_TRACE,	     /* where one CPU's trace is not complete, or
				 * does not show what runs */
	SPAN_CPU_INTERRUPTS, /* the interrupt work on one CPU */
	SPAN_TRACK_KINDS,
};

/* This is what is said of a span beside its name; span_note_text() names it. */
enum span_note_name {
	NOTE_ARGUMENTS, /* of a system call, as strace has them */
	NOTE_RESULT,
	NOTE_END,    /* how it ended, unless it returned */
	NOTE_INNER,  /* what the function called to sleep */
	NOTE_WAKER,  /* who woke it, and who woke that one */
	NOTE_IS_CUT, /* 1: the recording begins or ends in it */
	NOTE_WOKEN,  /* who is woken */
	NOTE_WOKEN_TID,
	NOTE_KIND, /* of interrupt work */
	NOTE_IRQ,
	NOTE_ON_PID, /* on whose time */
	NOTE_ON_TID,
	NOTE_LOST_BYTES, /* of trace */
	NOTE_OFFSET,	 /* in the CPU's trace */
	SPAN_NOTES,
};

struct span_note {
	uint8_t name;	  /* enum span_note_name */
	const char *text; /* NULL: it is a number */
	uint64_t number;
};

/* Names that are written each time. */
#define SPAN_NUMBER_NONE UINT32_MAX

/* The begin of a span, or a moment. */
struct span {
	uint64_t time_ns;
	uint32_t number;  /* of its name: those of a track that have the
				 * same have the same name */
	const char *name; /* NULL: that of function @number */
	const char *category;
	uint64_t flow; /* an arrow's number, not 0: it begins with
				 * this moment, or ends with this span */
	const struct span_note *notes;
	size_t note_count;
};

/* Returns what a note is called, as "lost_bytes". */
const char *span_note_text(uint8_t name);

#endif
