/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "inband/library_error_internal.h"
#include "inband/own_trace_internal.h"

#include <unistd.h>

enum {
	LEAST_BUFFER = 64 << 10,
	MOST_BUFFER = 1 << 30,
	/* The service makes a client wait for two copies of the kernel at most,
	 * and for its turn.
	 */
	SERVICE_WAIT_MS = 30000,
};

static int check_buffer(size_t buffer_bytes, struct library_error *error)
{
	if (buffer_bytes >= LEAST_BUFFER && buffer_bytes <= MOST_BUFFER &&
	    !(buffer_bytes & (buffer_bytes - 1)))
		return 0;
	log_message(&error->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "buffer_bytes is not a power of two from 64 KiB to 1 GiB");
	return -ERROR_FORMAT;
}

static int find_unit(struct own_trace *trace, pid_t tid,
		     struct library_error *error)
{
	int status = thread_events_find(&trace->events, tid, &error->log);

	error->has_unit = trace->events.tracer;
	return status;
}

/* Uses the program's own rights: opens the events, and reads the kernel's code.
 */
static int open_own(struct own_trace *trace, pid_t tid, size_t buffer_bytes,
		    struct library_error *error)
{
	const struct log *log = &error->log;
	int status = find_unit(trace, tid, error);

	if (!status)
		status = thread_events_open(&trace->events, buffer_bytes, log);
	if (!status)
		status = thread_events_map_trace(&trace->events, buffer_bytes,
						 log);
	return status ? status :
			own_recording_open(&trace->recording, &trace->events,
					   NULL, log);
}

static int ask_service(struct own_trace *trace, pid_t tid, size_t buffer_bytes,
		       struct library_error *error)
{
	int status = find_unit(trace, tid, error);

	if (status)
		return status;
	error->lacks_service = true;
	status = service_open(&trace->service, service_path(), SERVICE_WAIT_MS,
			      &trace->events, buffer_bytes, &error->log);
	error->lacks_service = status;
	return status;
}

/* Like open_own(), but through the service. */
static int open_served(struct own_trace *trace, pid_t tid, size_t buffer_bytes,
		       struct library_error *error)
{
	int status = ask_service(trace, tid, buffer_bytes, error);

	if (!status && thread_events_map_cpus(&trace->events))
		status = library_error_system(error, "the service's rings");
	if (!status)
		status = thread_events_map_trace(&trace->events, buffer_bytes,
						 &error->log);
	if (!status)
		status = own_recording_open(&trace->recording, &trace->events,
					    trace->service.files, &error->log);
	service_close_files(&trace->service);
	return status;
}

static void close_own(struct own_trace *trace)
{
	own_recording_close(&trace->recording);
	trace->recording = (struct own_recording){ 0 };
	thread_events_close(&trace->events);
}

int own_trace_open(struct own_trace *trace, pid_t tid, size_t buffer_bytes,
		   struct library_error *error)
{
	int status = check_buffer(buffer_bytes, error);

	*trace = (struct own_trace){ .service = SERVICE_NONE };
	if (!status)
		status = open_own(trace, tid, buffer_bytes, error);
	if (!status ||
	    library_error_status(error, status) != KTRACE_HW_NOT_PERMITTED)
		return status;
	if (access(service_path(), F_OK)) {
		library_error_add(error,
				  "; or run `ktrace-hw serve`, which was not "
				  "found at %s",
				  service_path());
		return status;
	}
	close_own(trace);
	return open_served(trace, tid, buffer_bytes, error);
}

void own_trace_close(struct own_trace *trace)
{
	own_recording_close(&trace->recording);
	thread_events_close(&trace->events);
	service_close(&trace->service);
}

int own_trace_start(const struct own_trace *trace, struct library_error *error)
{
	return thread_events_start(&trace->events) ?
		       library_error_system(error,
					    "the trace cannot be switched on") :
		       0;
}

int own_trace_stop(const struct own_trace *trace, struct library_error *error)
{
	return thread_events_stop(&trace->events) ?
		       library_error_system(
			       error, "the trace cannot be switched off") :
		       0;
}

int own_trace_check_service(const struct own_trace *trace,
			    struct library_error *error)
{
	if (!service_has_ended(&trace->service))
		return 0;
	error->lacks_service = true;
	log_message(&error->log, LOG_ERROR, service_path(), LOG_NO_OFFSET,
		    "the service has ended, and without it wakers are unknown: "
		    "close the library, and open it again");
	return -ERROR_UNSUPPORTED;
}
