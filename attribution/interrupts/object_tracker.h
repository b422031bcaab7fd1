/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OBJECT_TRACKER_H
#define KT_ATTRIBUTION_OBJECT_TRACKER_H

#include "attribution/events/known_events.h"
#include "attribution/interrupts/claims.h"
#include "attribution/interrupts/interrupt_piece.h"

#include <stdbool.h>
#include <stdint.h>

struct symbols;
struct task_names;

/* Something that happened, and where. */
struct moment {
	struct claims *claims;
	const struct symbols *symbols;
	const struct task_names *names;
	const struct interrupt_roles *roles;
	const struct event_record *event; /* or NULL: it was a step */
	struct interrupt_piece *piece;	  /* the innermost; NULL: in none */
	bool is_traced;			  /* so piece is known */
	uint64_t time_ns;
	uint32_t cpu;
	int32_t pid; /* of the task; 0: idle */
	int32_t tid;
};

/* Returns whether the task does this for itself, in no interrupt work. */
bool moment_is_task(const struct moment *moment);

/* Returns for whom the kernel works at this moment: for the task, or for whom
 * the interrupt work is; nobody where nothing was traced.  The claim is
 * borrowed.
 */
struct claim *moment_claim(const struct moment *moment);

/* Returns the claim of the process of task @tid; borrowed. */
struct claim *moment_process(const struct moment *moment, int32_t tid);

/* Returns the same for a task that is woken, or NULL if it only works for
 * others: that it is woken says nothing.
 */
struct claim *moment_woken(const struct moment *moment, int32_t tid);

/* Returns the function at a kernel address. */
uint32_t moment_function(const struct moment *moment, int64_t address);

/* Says that the interrupt work, if this is any, did something for @claim:
 * @weight of all that it did.
 */
void moment_effect(const struct moment *moment, struct claim *claim,
		   double weight);

/* Follows one kind of object through the kernel, and tells the pieces of
 * interrupt work that meet it for whom they are.  Functions may be NULL.
 */
struct object_tracker {
	/* Returns its state, NULL when out of memory. */
	void *(*open)(struct claims *claims);
	/* Gives up all claims. */
	void (*close)(void *state);
	/* A tracepoint. */
	void (*event)(void *state, const struct moment *moment);
	/* moment->piece begins, or ends. */
	void (*begin)(void *state, const struct moment *moment);
	void (*end)(void *state, const struct moment *moment);
	/* A function of a role that begins no piece was entered, or left. */
	void (*role)(void *state, const struct moment *moment,
		     enum interrupt_role role, bool has_ended);
};

extern const struct object_tracker track_system;
extern const struct object_tracker track_softirqs;
extern const struct object_tracker track_polls;
extern const struct object_tracker track_packets;
extern const struct object_tracker track_blocks;
extern const struct object_tracker track_questions;
extern const struct object_tracker track_works;
extern const struct object_tracker track_timers;
extern const struct object_tracker track_ipis;
extern const struct object_tracker track_wakeups;

#endif
