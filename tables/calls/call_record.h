/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALLS_CALL_RECORD_H
#define KT_TABLES_CALLS_CALL_RECORD_H

/* The full record of one system call, made while it runs: its call tree
 * (struct call_trace), the places at which it slept (struct sleep_places), and
 * the call itself (attribution/calls/system_calls.h); and its three formats: a
 * line as strace writes, text, JSON.
 *
 *  call events of the task --> call_trace_consume() ---+
 *  sleeps that ended ---------> sleep_places_add() --+--> struct call_record
 *  the call that ended ------------------------------+    --> call_line_text(),
 *                                                         call_record_text(),
 *                                                         call_record_json()
 *
 * Invariants:
 * 1. A path or place occurs once, and repeated calls and sleeps add to it: the
 *    size of a record grows with the number of different paths of its call.
 * 2. Records borrow all parts; they are valid until the next call of the task.
 * 3. The formats depend on the record and its context only.
 */

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct arch;
struct attribution_input;
struct call_tree;
struct function_table;
struct lines;
struct skipped_calls;
struct sleep;
struct system_call;
struct task_names;
struct task_tracker;
struct wakers;

/* A waker of sleeps at one place, and the number of these sleeps. */
struct place_waker {
	uint32_t waker; /* a chain's number, or WAKER_NONE */
	uint64_t count;
};

/* A place at which one system call slept, identified by its call path: the same
 * label on another path is another place.
 */
struct sleep_place {
	uint32_t label;	   /* the function that decided to wait */
	uint32_t function; /* the function that label called to sleep */
	uint64_t address;  /* in label; 0 if unknown */
	uint32_t stack;	   /* number of its call stack, as in struct sleep */
	uint64_t count;
	uint64_t asleep_ns;
	uint64_t runnable_ns; /* after the sleeps */
	uint64_t max_ns;      /* the longest sleep */
	/* Maximum numbers of other tasks asleep at the label when a sleep
	 * started and ended; same_*: those that wait for the same object, -1 if
	 * unknown.
	 */
	uint32_t others_at_begin;
	uint32_t others_at_end;
	int32_t same_at_begin;
	int32_t same_at_end;
	struct keyed_array wakers; /* struct place_waker */
};

/* The places at which one system call slept, in order of first sleep. */
struct sleep_places {
	struct keyed_array all; /* struct sleep_place */
};

#define SLEEP_PLACES_EMPTY \
	((struct sleep_places){ KEYED_ARRAY_OF(struct sleep_place, stack) })

/* Frees all memory and empties @places. */
void sleep_places_free(struct sleep_places *places);

/* Adds @sleep to its place. Returns 0 or -ERROR_MEMORY. */
int sleep_places_add(struct sleep_places *places, const struct sleep *sleep);

const struct sleep_place *sleep_places_at(const struct sleep_places *places,
					  size_t index);

/* One call path below a system call's entry. */
struct traced_function {
	uint32_t function;
	uint32_t depth;	 /* 0: the entry itself */
	uint32_t parent; /* TRACED_NONE for the entry */
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next_sibling;
	uint32_t recent_child; /* the child entered last */
	/* entered by an interrupt or exception, not called */
	bool is_interrupt;
	uint64_t calls;
	uint64_t wall_ns;   /* including callees and sleeps */
	uint64_t on_cpu_ns; /* part of wall_ns on a CPU */
};

#define TRACED_NONE UINT32_MAX

/* An open call of a traced_function. */
struct traced_call {
	uint32_t function; /* its index in call_trace.functions */
	uint64_t start_ns;
	uint64_t whole_ns; /* call_step.whole_ns at its start */
};

/* The call tree of one system call: each path once, with its number of calls
 * and its time.
 */
struct call_trace {
	struct array functions; /* struct traced_function */
	struct array open;	/* struct traced_call, open calls by depth */
	uint32_t base;		/* depth of the entry in the task's stack */
};

#define CALL_TRACE_EMPTY \
	((struct call_trace){ \
		.functions = ARRAY_OF(struct traced_function), \
		.open = ARRAY_OF(struct traced_call), \
	})

void call_trace_free(struct call_trace *trace);

/* Resets @trace for a call whose entry is at depth @base of the task's stack.
 */
void call_trace_begin(struct call_trace *trace, uint32_t base);

/* Applies a call event of the call's task. Returns 0 or -ERROR_MEMORY. */
int call_trace_consume(struct call_trace *trace, const struct call_step *step);

/* Like call_trace_consume(), for a run of calls that have no call events. */
int call_trace_skip(struct call_trace *trace,
		    const struct skipped_calls *skipped);

static inline const struct traced_function *
call_trace_at(const struct call_trace *trace, uint32_t index)
{
	return (const struct traced_function *)trace->functions.items + index;
}

/* Return the first function, and the one after @index, in depth-first order;
 * TRACED_NONE if the trace is empty, and after the last.
 */
static inline uint32_t call_trace_first(const struct call_trace *trace)
{
	return trace->functions.count ? 0 : TRACED_NONE;
}

static inline uint32_t call_trace_next(const struct call_trace *trace,
				       uint32_t index)
{
	const struct traced_function *at = call_trace_at(trace, index);

	if (at->first_child != TRACED_NONE)
		return at->first_child;
	while (at->next_sibling == TRACED_NONE) {
		if (at->parent == TRACED_NONE)
			return TRACED_NONE;
		at = call_trace_at(trace, at->parent);
	}
	return at->next_sibling;
}

/* The full record of one system call, in the manner of DeBox (Ruan and Pai,
 * "Making the 'Box' Transparent", USENIX 2004), in which system calls return
 * such records to their callers.
 */
struct call_record {
	const struct system_call *call;
	const struct call_trace *trace;
	const struct sleep_places *places;
};

/* Context for writing records; all borrowed. */
struct call_record_context {
	const struct function_table *functions;
	const struct arch *arch;
	const struct task_names *names;
	const struct wakers *wakers;
	const struct call_tree *stacks; /* stacks of the sleeps */
	struct lines *lines;		/* cache of source lines */
	uint32_t max_depth;		/* of the call trace */
	uint64_t origin_ns;		/* as in struct attribution_input */
	bool has_off_cpu;		/* sleeps were recorded */
	FILE *out;
};

/* Returns the context for writing records of @tracker's calls; the caller must
 * set max_depth and out. Borrows @tracker and the pointers of @input.
 */
struct call_record_context
call_record_context_of(const struct attribution_input *input,
		       const struct task_tracker *tracker);

/* Writes the header of the lines of call_line_text(). */
void call_line_head(FILE *out);

/* Writes a record as one line, as strace does. */
void call_line_text(const struct call_record_context *context,
		    const struct call_record *record);

/* Writes a whole record as text. */
void call_record_text(const struct call_record_context *context,
		      const struct call_record *record);

/* Writes a record as a JSON object on one line, without a newline;
 * docs/formats.md describes its members.
 */
void call_record_json(const struct call_record_context *context,
		      const struct call_record *record);

#endif
