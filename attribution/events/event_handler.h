/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_EVENT_HANDLER_H
#define KT_ATTRIBUTION_EVENT_HANDLER_H

/* The consumers of a pass over a recording: call events (struct call_step,
 * "steps") and, between them, the kernel's events and records, in order of
 * time.
 *
 *	step_join ─► handler, handler, ...: step(), skip(), event(), record()
 *
 * Most calls matter to few handlers. A handler names the functions that matter
 * to it (needs()), and the frames of the running task whose calls matter
 * (limit()). Calls that matter to no handler of the pass are skipped in runs
 * (call_skips_internal.h): each handler gets the result of a run (skip()).
 *
 * One thread runs a pass. A handler stores errors, and reports them when it ends.
 */

#include "report/steps/call_step.h"
#include "symbolize/functions/context_kinds.h"

#include <stdbool.h>
#include <stdint.h>

struct call_frame;
struct event_record;
struct function_event;
struct sideband_record;

/* When a handler needs the steps of a function. needs() may return a bool in
 * place of NEED_NEVER and NEED_ALWAYS.
 */
enum function_need {
	NEED_NEVER,
	NEED_ALWAYS,
	/* needed unless the task runs in user space */
	NEED_OUTSIDE_USER,
	/* NEED_OUTSIDE + an enum context_kind: needed unless the task's
	 * innermost context is of that kind
	 */
	NEED_OUTSIDE,
};

/* Which calls and returns of one task on one CPU are skipped. Valid until the
 * task's next step and until the next event or record.
 */
struct skip_limits {
	/* Entries and exits of this many outermost frames are needed, whatever
	 * the functions; UINT32_MAX: of all frames.
	 */
	uint32_t frames;
	/* bits of enum function_need: calls of functions with one of these
	 * needs may be skipped
	 */
	uint32_t needs;
};

static inline void skip_limits_raise(struct skip_limits *limits,
				     uint32_t frames)
{
	if (frames > limits->frames)
		limits->frames = frames;
}

/* Returns the enum function_need that @function has because it starts a context
 * or is in user space.
 */
static inline uint8_t context_kinds_need(const struct context_kinds *kinds,
					 uint32_t function)
{
	enum context_kind kind = context_kind_of(kinds, function);

	if (context_kinds_is_user(kinds, function))
		return NEED_OUTSIDE_USER;
	return kind == CONTEXT_NONE ? NEED_NEVER :
				      (uint8_t)(NEED_OUTSIDE + kind);
}

/* Calls, returns and tail calls of one task on one CPU, one after the other. */
struct skipped_calls {
	/* the last call or return; only its task, CPU and times are set */
	const struct call_step *last;
	const struct function_event *events;
	uint32_t event_count;
	uint32_t frame_count;
	/* frames open after the skipped calls */
	const struct call_frame *frames;
	/* number of outermost frames that were open all the time */
	uint32_t unchanged;
};

/* Receives, in order of time, the steps of the trace and, between them, the
 * sideband events and records of the kernel. Each attribution table is an event
 * handler. Any function may be NULL.
 */
struct event_handler {
	void (*step)(struct event_handler *handler,
		     const struct call_step *step);
	/* Returns an enum function_need: when step() needs the STEP_ENTER,
	 * STEP_EXIT and STEP_COUNT of @function. The result must not change
	 * during the pass. Steps of these kinds that no handler needs may be
	 * omitted. NULL: step() needs all steps or, with limit(), only those
	 * that limit() or other handlers need.
	 */
	uint8_t (*needs)(const struct event_handler *handler,
			 uint32_t function);
	/* Raises the number of frames in *@limits for the task of @step,
	 * depending on the handler's state. Only the tracker of threads may set
	 * limits->needs. A handler
	 * with limit() receives every step that is not skipped, including those
	 * of functions that needs() does not name.
	 */
	void (*limit)(const struct event_handler *handler,
		      const struct call_step *step, struct skip_limits *limits);
	/* Applies a run of skipped calls, for which step() was not called.
	 * NULL: skipped calls do not change the handler.
	 */
	void (*skip)(struct event_handler *handler,
		     const struct skipped_calls *skipped);
	/* Consumes a tracepoint's event, of any CPU and also of untraced tasks.
	 */
	void (*event)(struct event_handler *handler,
		      const struct event_record *event);
	/* Consumes a fork, exit, comm or lost record. */
	void (*record)(struct event_handler *handler,
		       const struct sideband_record *record);
	/* For decoding that starts at a checkpoint; see struct step_callback.
	 * If unpacking fails, the handler must not be used further.
	 */
	void (*pack)(struct event_handler *handler,
		     const struct task_pack *tasks);
	void (*open)(struct event_handler *handler,
		     const struct call_step *step);
	/* step() gets STEP_INTERRUPTS: see struct step_callback */
	bool wants_interrupts;
};

/* needs() of a handler that ignores calls and returns. */
static inline uint8_t
event_handler_needs_no_calls(const struct event_handler *handler,
			     uint32_t function)
{
	(void)handler;
	(void)function;
	return NEED_NEVER;
}

/* limit() of a handler that receives all steps that other handlers need, and
 * requires no further ones.
 */
void event_handler_limits_nothing(const struct event_handler *handler,
				  const struct call_step *step,
				  struct skip_limits *limits);

#endif
