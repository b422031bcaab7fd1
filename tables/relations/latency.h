/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LATENCY_H
#define KT_TABLES_LATENCY_H

#include "report/steps/call_step.h"
#include "report/steps/task_stacks.h"
#include "tables/text/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct latency_paths;
struct function_choice;
struct step_filter;
struct task_paths;
struct context_kinds;

/* How long it takes from entering one function, A, to first entering another,
 * B, within one call of A, and on which path.
 *
 * A call that ends by a jump to another function goes on in that.  What
 * interrupts do meanwhile is not part of the call; page faults are.
 */
struct latency;

/* This is what is asked; all borrowed. */
struct latency_question {
	const struct function_choice *from; /* A */
	const struct function_choice *to;   /* B */
	const struct context_kinds *kinds;
	const struct task_paths *paths;	  /* have taken each step before */
	const struct step_filter *filter; /* which calls of A; or NULL */
	struct time_window window;	  /* in which they begin */
};

/* The answer.  calls is the sum of the four after it and time.count. */
struct latency_answer {
	uint64_t calls;		/* of A */
	uint64_t never;		/* ended without B */
	uint64_t open;		/* B had not come when the trace ended */
	uint64_t unseen_begin;	/* began before it was first seen */
	uint64_t doubtful;	/* B not seen, but part of the call was not */
	uint64_t again;		/* later entries of B in these calls */
	uint64_t in_interrupts; /* entries of B in interrupts meanwhile */
	uint64_t on_cpu_ns;
	struct histogram time; /* wall time, ns */
};

/* Returns NULL when out of memory. */
struct latency *latency_new(const struct latency_question *question);
void latency_free(struct latency *latency);

/* Takes the next step.  Returns 0 or -ERROR_MEMORY. */
int latency_take(struct latency *latency, const struct call_step *step);

/* Returns whether no step at @time_ns or later would change the answer. */
bool latency_is_done(const struct latency *latency, uint64_t time_ns);

/* Counts the calls that are still open; call it once, at the end. */
void latency_end(struct latency *latency);

const struct latency_answer *latency_answer(const struct latency *latency);

/* Returns the ways from A to B; in order after latency_end(). */
const struct latency_paths *latency_paths(const struct latency *latency);

#endif
