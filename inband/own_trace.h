/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_OWN_TRACE_H
#define KT_INBAND_OWN_TRACE_H

#include "collector/thread_events/thread_events.h"
#include "inband/own_recording.h"
#include "inband/service.h"

#include <stddef.h>
#include <sys/types.h>

struct library_error;

/* The trace of the calling thread, and what it takes to decode it: by the
 * program's own rights, or a service's.
 */
struct own_trace {
	struct thread_events events;
	struct service service; /* of which nothing is open without one */
	struct own_recording recording;
};

/* Opens it for thread @tid, with a buffer of @buffer_bytes, off.  Returns 0; or a
 * negative enum error, with the reason in @error, which is borrowed.  Close it
 * either way.
 */
int own_trace_open(struct own_trace *trace, pid_t tid, size_t buffer_bytes,
		   struct library_error *error);
void own_trace_close(struct own_trace *trace);

/* Switch it on and off.  Return 0 or -ERROR_SYSTEM, said to @error. */
int own_trace_start(const struct own_trace *trace, struct library_error *error);
int own_trace_stop(const struct own_trace *trace, struct library_error *error);

/* Returns 0; a negative enum error, said to @error, if the service is gone that
 * it needs: nobody tells then who ends sleeps.
 */
int own_trace_check_service(const struct own_trace *trace,
			    struct library_error *error);

#endif
