/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_EVENT_HANDLER_H
#define KT_ATTRIBUTION_EVENT_HANDLER_H

struct call_step;
struct event_record;
struct sideband_record;
struct task_pack;

/* An event handler takes what happened, one thing after the other: the steps of
 * the trace, and between them, by time, what the kernel said about them.  Each
 * table of the attribution is one.  Functions may be NULL.
 */
struct event_handler {
	void (*step)(struct event_handler *handler,
		     const struct call_step *step);
	/* A tracepoint: of all CPUs, also of tasks that are not traced. */
	void (*event)(struct event_handler *handler,
		      const struct event_record *event);
	/* A fork, exit, comm or lost record. */
	void (*record)(struct event_handler *handler,
		       const struct sideband_record *record);
	/* These are for decoding that goes on from a checkpoint, as struct
	 * step_callback has them; what cannot be read makes a handler of no use.
	 */
	void (*pack)(struct event_handler *handler,
		     const struct task_pack *tasks);
	void (*open)(struct event_handler *handler,
		     const struct call_step *step);
};

#endif
