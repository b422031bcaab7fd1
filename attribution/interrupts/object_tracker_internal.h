/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPTS_OBJECT_TRACKER_INTERNAL_H
#define KT_ATTRIBUTION_INTERRUPTS_OBJECT_TRACKER_INTERNAL_H

#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_slice.h"
#include "attribution/interrupts/owners_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct net_packets;
struct symbols;
struct task_names;
struct task_time;

/* An event or step, with its task, CPU and time. */
struct event_context {
	struct owners *owners;
	const struct symbols *symbols;
	const struct task_names *names;
	const struct interrupt_roles *roles;
	const struct task_time *time;
	const struct event_record *event; /* NULL: a step */
	/* the innermost slice; NULL: none is open */
	struct interrupt_slice *slice;
	const struct task *task; /* NULL: unknown */
	/* the outermost slice is own work of a kernel thread */
	bool is_thread;
	/* the task is traced, so slice is known */
	bool is_traced;
	uint64_t time_ns;
	uint32_t cpu;
	int32_t pid; /* process of the task; 0: idle */
	int32_t tid;
};

/* Returns @cpu, or 0 if no CPU can have that number: it is from the recording
 * and untrusted, and trackers allocate state up to it.
 */
uint32_t event_context_cpu(int64_t cpu);

/* Returns whether the task acts for itself: it is traced, not idle, and not in
 * interrupt work.
 */
bool event_context_is_task(const struct event_context *context);

/* Returns the owner of the kernel's current work, borrowed: the task, or the
 * owner of the interrupt work. Returns owner_nobody() for an untraced or idle
 * task.
 */
struct owner *event_context_owner(const struct event_context *context);

/* Returns the owner of the process of task @tid; borrowed. */
struct owner *event_context_process(const struct event_context *context,
				    int32_t tid);

/* Returns the owner of the process of task @tid, which is woken. Returns NULL
 * if the task is a kernel thread that only works for others, so that the
 * wake-up is no evidence.
 */
struct owner *event_context_woken(const struct event_context *context,
				  int32_t tid);

/* Returns the function at a kernel address. */
uint32_t event_context_function(const struct event_context *context,
				int64_t address);

/* Records that the open slice of interrupt work did something for @owner, with
 * @weight relative to its other effects. Has no effect if no slice is open or
 * its owner is known.
 */
void event_context_effect(const struct event_context *context,
			  struct owner *owner, double weight);

/* An object tracker follows one kind of object through the kernel and sets the
 * owners of the slices of interrupt work that handle it. Functions may be NULL.
 */
struct object_tracker {
	size_t state_bytes; /* 0: no state; open and close are NULL */
	/* open() initialises the state; close() frees its members */
	void (*open)(void *state, struct owners *owners);
	void (*close)(void *state);
	/* consumes a tracepoint's event */
	void (*event)(void *state, const struct event_context *context);
	/* context->slice starts or ends. */
	void (*begin)(void *state, const struct event_context *context);
	void (*end)(void *state, const struct event_context *context);
	/* A function with a role that starts no slice was entered, or left if
	 * @has_ended.
	 */
	void (*role)(void *state, const struct event_context *context,
		     enum interrupt_role role, bool has_ended);
};

/* Open and close a tracker whose state is a struct owner_map. */
void object_map_open(void *state, struct owners *owners);
void object_map_close(void *state);

extern const struct object_tracker track_system;
extern const struct object_tracker track_softirqs;
extern const struct object_tracker track_polls;
extern const struct object_tracker track_packets;
/* Returns the packets of the state of track_packets. */
struct net_packets *track_packets_tracked(void *state);
extern const struct object_tracker track_blocks;
extern const struct object_tracker track_questions;
extern const struct object_tracker track_works;
/* uses the function that track_works sets, so must run after it */
extern const struct object_tracker track_writeback;
extern const struct object_tracker track_rcu;
extern const struct object_tracker track_reclaim;
extern const struct object_tracker track_timers;
extern const struct object_tracker track_ipis;
extern const struct object_tracker track_wakeups;
/* uses the evidence that all others find, so must be the last */
extern const struct object_tracker track_devices;

#endif
