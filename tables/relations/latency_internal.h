/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_RELATIONS_LATENCY_INTERNAL_H
#define KT_TABLES_RELATIONS_LATENCY_INTERNAL_H

#include "report/steps/call_step.h"
#include "tables/text/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_tree;
struct context_kinds;
struct function_choice;
struct step_filter;
struct task_paths;

/* One call path from function A to function B. */
struct latency_path {
	/* node of B in the tree, in which A is a child of the root */
	uint32_t node;
	struct histogram time; /* wall time, ns */
	uint64_t on_cpu_ns;    /* sum over all times */
};

/* All observed call paths from A to B. */
struct latency_paths;

/* Returns path @index, or NULL after the last. After latency_end(), the most
 * frequent path is first.
 */
const struct latency_path *latency_paths_at(const struct latency_paths *paths,
					    size_t index);
const struct call_tree *latency_paths_tree(const struct latency_paths *paths);

/* The time from entering one function, A, to the first entry of another, B,
 * within one call of A, and the call path between them.
 *
 * A call that ends by a jump to another function continues in that function.
 * Interrupts are not part of the call; page faults are.
 */
struct latency;

/* The parameters; all borrowed. */
struct latency_question {
	const struct function_choice *from; /* A */
	const struct function_choice *to;   /* B */
	const struct context_kinds *kinds;
	/* must apply each call event before latency_consume() does */
	const struct task_paths *paths;
	const struct step_filter *filter; /* selects calls of A; or NULL */
	struct time_window window;	  /* where the calls start */
};

/* The result. calls is the sum of the next four counts and time.count. */
struct latency_answer {
	uint64_t calls; /* of A */
	uint64_t never; /* ended without B */
	/* still open, without B, at the end of the trace */
	uint64_t open;
	uint64_t unseen_begin;	/* start not traced */
	uint64_t doubtful;	/* without B, but partly untraced */
	uint64_t again;		/* later entries of B in these calls */
	uint64_t in_interrupts; /* entries of B in interrupts during calls */
	uint64_t on_cpu_ns;
	struct histogram time; /* wall time, ns */
};

/* Returns NULL when out of memory. */
struct latency *latency_new(const struct latency_question *question);
void latency_free(struct latency *latency);

/* Applies the next call event. Returns 0 or -ERROR_MEMORY. */
int latency_consume(struct latency *latency, const struct call_step *step);

/* Returns whether no call event at @time_ns or later can change the result. */
bool latency_is_done(const struct latency *latency, uint64_t time_ns);

/* Counts the calls that are still open. Must be called once, at the end. */
void latency_end(struct latency *latency);

const struct latency_answer *latency_answer(const struct latency *latency);

/* Returns the paths from A to B, sorted after latency_end(). */
const struct latency_paths *latency_paths(const struct latency *latency);

#endif
