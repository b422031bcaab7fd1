/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OBJECT_TRACKER_H
#define KT_ATTRIBUTION_OBJECT_TRACKER_H

#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_slice.h"
#include "attribution/interrupts/owners.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;
struct task_names;

/* An event context says what happened, where and when. */
struct event_context {
	struct owners *owners;
	const struct symbols *symbols;
	const struct task_names *names;
	const struct interrupt_roles *roles;
	const struct event_record *event; /* or NULL: it was a step */
	struct interrupt_slice *slice;	  /* the innermost; NULL: in none */
	bool is_traced;			  /* so slice is known */
	uint64_t time_ns;
	uint32_t cpu;
	int32_t pid; /* of the task; 0: idle */
	int32_t tid;
};

/* Returns whether the task does this for itself, in no interrupt work. */
bool event_context_is_task(const struct event_context *context);

/* Returns for whom the kernel works at this moment: for the task, or for whom
 * the interrupt work is; nobody where nothing was traced.  The owner is
 * borrowed.
 */
struct owner *event_context_owner(const struct event_context *context);

/* Returns the owner of the process of task @tid; borrowed. */
struct owner *event_context_process(const struct event_context *context,
				    int32_t tid);

/* Returns the same for a task that is woken, or NULL if it only works for
 * others: that it is woken says nothing.
 */
struct owner *event_context_woken(const struct event_context *context,
				  int32_t tid);

/* Returns the function at a kernel address. */
uint32_t event_context_function(const struct event_context *context,
				int64_t address);

/* Records that the interrupt work, if this is any, did something for @owner:
 * @weight of all that it did.
 */
void event_context_effect(const struct event_context *context,
			  struct owner *owner, double weight);

/* An object tracker follows one kind of object through the kernel, and gives
 * the slices of interrupt work that meet it their owners.  Functions may be
 * NULL.
 */
struct object_tracker {
	size_t state_bytes; /* 0: it has no state, and the next two are NULL */
	/* Sets the state anew; gives up all that it holds. */
	void (*open)(void *state, struct owners *owners);
	void (*close)(void *state);
	/* A tracepoint. */
	void (*event)(void *state, const struct event_context *context);
	/* context->slice begins, or ends. */
	void (*begin)(void *state, const struct event_context *context);
	void (*end)(void *state, const struct event_context *context);
	/* A function of a role that begins no slice was entered, or left. */
	void (*role)(void *state, const struct event_context *context,
		     enum interrupt_role role, bool has_ended);
};

/* These open and close a tracker whose state is a struct owner_map. */
void object_map_open(void *state, struct owners *owners);
void object_map_close(void *state);

extern const struct object_tracker track_system;
extern const struct object_tracker track_softirqs;
extern const struct object_tracker track_polls;
extern const struct object_tracker track_packets;
extern const struct object_tracker track_blocks;
extern const struct object_tracker track_questions;
extern const struct object_tracker track_works;
extern const struct object_tracker track_writeback; /* after track_works */
extern const struct object_tracker track_timers;
extern const struct object_tracker track_ipis;
extern const struct object_tracker track_wakeups;

#endif
