/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GRAPH_TASK_H
#define KT_SYMBOLIZE_GRAPH_TASK_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

/* What lies on a task's stack of open functions. */
enum graph_frame_kind {
	GRAPH_FUNCTION,	 /* the tracer saw it begin */
	GRAPH_UNSEEN,	 /* it must be open, at its depth: its begin was lost */
	GRAPH_ROOT,	 /* below all that the tracer can see */
	GRAPH_CONTEXT,	 /* the entry from user space, inferred */
	GRAPH_SCHEDULE,	 /* __schedule(), inferred */
	GRAPH_EXCEPTION, /* that of an interrupt or fault in the kernel */
};

struct graph_frame {
	uint32_t function;
	int32_t depth; /* as the tracer counts; of other kinds: of what they
			 * call */
	uint8_t kind;  /* enum graph_frame_kind */
};

/* A task and what it has open, outermost first. */
struct graph_task {
	int32_t tid;	       /* 0: the idle task of a CPU */
	int32_t pid;	       /* -1: unknown */
	bool enters;	       /* it was seen to come from user space */
	bool is_on_way_in;     /* its context has not come to its own work */
	bool is_on_way_out;    /* its system call has more to do, behind what
				* interrupts it now */
	bool is_at_end;	       /* its context has come to what is last */
	bool is_in_interrupt;  /* its context is an interrupt */
	uint64_t last_exit_ns; /* of a function of depth 0 */
	struct array frames;   /* struct graph_frame */
};

/* Returns the innermost frame, or NULL. */
struct graph_frame *graph_task_top(const struct graph_task *task);

/* Puts a frame on top.  Returns 0 or -ERROR_MEMORY. */
int graph_task_push(struct graph_task *task, enum graph_frame_kind kind,
		    uint32_t function, int32_t depth);

/* Takes the innermost frame away, of which there must be one. */
void graph_task_pop(struct graph_task *task);

/* Returns whether the innermost frame is one of @kind. */
bool graph_task_is_in(const struct graph_task *task,
		      enum graph_frame_kind kind);

/* Returns what runs, the innermost function that the reports know of, or
 * FUNCTION_UNKNOWN.
 */
uint32_t graph_task_running(const struct graph_task *task);

/* Takes away what ended while events were lost, and adds what began then: what
 * is left calls at @depth.
 *
 * Returns 1 if that was anything, else 0, or -ERROR_MEMORY.
 */
int graph_task_fit(struct graph_task *task, int32_t depth);

#endif
