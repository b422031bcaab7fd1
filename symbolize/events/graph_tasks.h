/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_EVENTS_GRAPH_TASKS_H
#define KT_SYMBOLIZE_EVENTS_GRAPH_TASKS_H

/* The tasks of a recording of ftrace's function_graph tracer, with their open
 * functions: the state from which graph_events.h makes function events.
 *
 * The tracer reports functions with their depth, and nothing of the kernel's
 * entry code. So frames of other kinds are inferred (enum graph_frame_kind): by
 * the role of a function (struct graph_roles), and by its depth where reports
 * were lost.
 *
 * 1. A task is in struct graph_tasks once; each CPU has an idle task of its
 *    own.
 * 2. Depths of frames grow from the outermost frame to the innermost one, among
 *    those that are reported (graph_task_fit()).
 *
 * The streams of all CPUs share one struct graph_tasks, because tasks move
 * between CPUs. One thread at a time may use it. Errors: -ERROR_MEMORY only.
 */

#include "common/array.h"
#include "common/maps.h"
#include "symbolize/arch/arch.h"

#include <stdbool.h>
#include <stdint.h>

struct recording;
struct symbols;
struct task_ids;

/* The role of each function: what it implies about the kernel context that it
 * is called in.
 */
struct graph_roles;

enum graph_role graph_role_of(const struct graph_roles *roles,
			      uint32_t function);

/* Returns the entry that @function implies, FUNCTION_UNKNOWN if none. */
uint32_t graph_role_entry(const struct graph_roles *roles, uint32_t function);

/* Returns the function that the idle task is always in, or FUNCTION_UNKNOWN. */
uint32_t graph_roles_idle(const struct graph_roles *roles);

/* The kinds of frames on a task's stack of open functions. */
enum graph_frame_kind {
	GRAPH_FUNCTION, /* the tracer reported its entry */
	/* an unknown function that is open at this depth: its entry was lost */
	GRAPH_UNTRACED,
	/* stands for the unknown functions around the first reported one */
	GRAPH_ROOT,
	GRAPH_CONTEXT,	/* the entry from user space, inferred */
	GRAPH_SCHEDULE, /* __schedule(), inferred */
	/* the entry of an interrupt or fault in the kernel, inferred */
	GRAPH_EXCEPTION,
};

struct graph_frame {
	uint32_t function;
	/* the tracer's depth; for inferred kinds, the depth of the functions
	 * that it calls
	 */
	int32_t depth;
	uint8_t kind; /* enum graph_frame_kind */
};

/* A task and its open functions, outermost first. */
struct graph_task {
	int32_t tid; /* 0: the idle task of a CPU */
	int32_t pid; /* -1: unknown */
	/* it was seen entering the kernel from user space */
	bool enters;
	/* its context has not reached its actual work yet */
	bool is_on_way_in;
	/* an interrupt runs, after which the system call continues */
	bool is_on_way_out;
	/* its context has reached the last function before user space */
	bool is_at_end;
	bool is_in_interrupt;  /* its context is an interrupt */
	uint64_t last_exit_ns; /* exit time of the last function at depth 0 */
	struct array frames;   /* struct graph_frame */
};

/* Returns the innermost frame, or NULL. */
struct graph_frame *graph_task_top(const struct graph_task *task);

/* Pushes a frame. Returns 0 or -ERROR_MEMORY. */
int graph_task_push(struct graph_task *task, enum graph_frame_kind kind,
		    uint32_t function, int32_t depth);

/* Pops the innermost frame, which must exist. */
void graph_task_pop(struct graph_task *task);

/* Returns whether the innermost frame is one of @kind. */
bool graph_task_is_in(const struct graph_task *task,
		      enum graph_frame_kind kind);

/* Returns the innermost open function that is known, FUNCTION_UNKNOWN if none:
 * GRAPH_UNTRACED frames are skipped.
 */
uint32_t graph_task_running(const struct graph_task *task);

/* Pops frames of functions that ended while events were lost, and pushes
 * GRAPH_UNTRACED frames for those that started, so that the innermost frame can
 * call a function at @depth.
 *
 * Returns 1 if the stack changed, else 0, or -ERROR_MEMORY.
 */
int graph_task_fit(struct graph_task *task, int32_t depth);

/* The data that the streams of all CPUs share: the tasks of a recording, which
 * move between CPUs, and the roles of functions.
 */
struct graph_tasks {
	struct graph_roles *roles;
	struct task_ids *ids;
	/* index in tasks plus 1, by tid (and CPU if it is 0) */
	struct number_map places;
	struct array tasks; /* struct graph_task * */
};

/* Borrows both arguments until it is freed. Returns NULL when out of memory. */
struct graph_tasks *graph_tasks_new(const struct recording *recording,
				    const struct symbols *symbols);
void graph_tasks_free(struct graph_tasks *tasks);

/* Returns task @tid, adding it if new; each CPU has a task 0 of its own.
 * Returns NULL when out of memory.
 */
struct graph_task *graph_tasks_get(struct graph_tasks *tasks, int32_t cpu,
				   int32_t tid);

#endif
