/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_EVENT_HANDLER_H
#define KT_ATTRIBUTION_EVENT_HANDLER_H

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct event_record;
struct sideband_record;
struct task_pack;

/* An event handler receives everything that happened in order of time: the
 * steps of the trace and, between them, the sideband events and records of the
 * kernel. Each attribution table is one. Any function may be NULL.
 */
struct event_handler {
	void (*step)(struct event_handler *handler,
		     const struct call_step *step);
	/* Returns whether step() needs the STEP_ENTER, STEP_EXIT and STEP_COUNT
	 * of @function; the answer must not change during the pass. A
	 * source of steps may leave out the others, of these kinds. NULL: it
	 * needs them all.
	 */
	bool (*needs)(const struct event_handler *handler, uint32_t function);
	/* A tracepoint, of any CPU and also of untraced tasks. */
	void (*event)(struct event_handler *handler,
		      const struct event_record *event);
	/* A fork, exit, comm or lost record. */
	void (*record)(struct event_handler *handler,
		       const struct sideband_record *record);
	/* For decoding that starts at a checkpoint; see struct step_callback.
	 * If unpacking fails, the handler must not be used further.
	 */
	void (*pack)(struct event_handler *handler,
		     const struct task_pack *tasks);
	void (*open)(struct event_handler *handler,
		     const struct call_step *step);
	bool wants_interrupts; /* see struct step_callback */
};

#endif
