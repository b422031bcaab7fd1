/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_OWN_TRACE_INTERNAL_H
#define KT_INBAND_OWN_TRACE_INTERNAL_H

#include "collector/thread_events/thread_events.h"
#include "inband/own_recording_internal.h"
#include "inband/service_internal.h"

#include <stddef.h>
#include <sys/types.h>

struct library_error;

/* The trace of the calling thread, and the data needed to decode it, obtained
 * with the program's own rights or from a service.
 */
struct own_trace {
	struct thread_events events;
	struct service service; /* not open if no service is used */
	struct own_recording recording;
};

/* Opens the trace of thread @tid, with a buffer of @buffer_bytes; it is off.
 * Returns 0; or a negative enum error, with the reason in @error, which is
 * borrowed. The caller must close @trace either way.
 */
int own_trace_open(struct own_trace *trace, pid_t tid, size_t buffer_bytes,
		   struct library_error *error);
void own_trace_close(struct own_trace *trace);

/* Switch the trace on and off. Return 0 or -ERROR_SYSTEM, reported in @error.
 */
int own_trace_start(const struct own_trace *trace, struct library_error *error);
int own_trace_stop(const struct own_trace *trace, struct library_error *error);

/* Returns 0; or a negative enum error, reported in @error, if the required
 * service has ended, since wake-ups are then no longer recorded.
 */
int own_trace_check_service(const struct own_trace *trace,
			    struct library_error *error);

#endif
