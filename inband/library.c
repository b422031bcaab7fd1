/* SPDX-License-Identifier: MIT */
#include "collector/thread_events/thread_events.h"
#include "common/error.h"
#include "common/log.h"
#include "inband/ktrace_hw.h"
#include "inband/own_recording_internal.h"
#include "inband/own_records_internal.h"
#include "inband/part_decoder_internal.h"
#include "inband/service_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The functions of ktrace_hw.h, which describes them.
 *
 * struct library_error collects the messages that the parts of the library log,
 * and derives the status from them. struct own_trace opens the trace of the
 * calling thread, with the program's own rights or through the service.
 */

/* The error of the last call. */
struct library_error {
	struct log log; /* stores the last error message */
	struct ktrace_hw_error said;
	int cause;     /* errno when the message in @said was stored */
	bool has_unit; /* a trace unit was found */
	/* a service is needed that has not answered yet, or has ended */
	bool lacks_service;
};

/* The trace of the calling thread, and the data needed to decode it, obtained
 * with the program's own rights or from a service.
 */
struct own_trace {
	struct thread_events events;
	struct service service; /* not open if no service is used */
	struct own_recording recording;
};

static void library_error_add(struct library_error *error, const char *format,
			      ...);

/* Stores the message of an error. Ignores warnings, since records report gaps
 * themselves.
 */
static void keep_error(void *ctx, enum log_level level, const char *file,
		       uint64_t offset, const char *text)
{
	struct library_error *error = ctx;

	(void)offset;
	if (level != LOG_ERROR)
		return;
	error->cause = errno;
	snprintf(error->said.text, sizeof(error->said.text), "%s%s%s",
		 file ? file : "", file ? ": " : "", text);
}

/* Initialises @error, which must not move afterwards: its log points to it. */
static void library_error_init(struct library_error *error)
{
	*error = (struct library_error){ .log = { keep_error, error } };
}

/* Clears the message, at the start of a call. */
static void library_error_begin(struct library_error *error)
{
	error->said.text[0] = '\0';
	error->cause = 0;
}

/* Returns the status for the negative enum error @cause. Returns
 * KTRACE_HW_NO_SERVICE if a service is needed and missing, unless the service
 * refused with EBUSY, EACCES or EPERM (error->cause).
 */
static enum ktrace_hw_status status_of_cause(const struct library_error *error,
					     int cause)
{
	if (error->lacks_service && cause != -ERROR_SYSTEM)
		return KTRACE_HW_NO_SERVICE;
	if (error->cause == EBUSY)
		return KTRACE_HW_BUSY;
	if (error->cause == EACCES || error->cause == EPERM)
		return KTRACE_HW_NOT_PERMITTED;
	return error->lacks_service ? KTRACE_HW_NO_SERVICE : KTRACE_HW_SYSTEM;
}

/* Returns the library's status for the negative enum error @cause. */
static enum ktrace_hw_status
library_error_status(const struct library_error *error, int cause)
{
	switch ((enum error) - cause) {
	case ERROR_NONE:
		return KTRACE_HW_OK;
	case ERROR_MEMORY:
		return KTRACE_HW_NO_MEMORY;
	case ERROR_SYSTEM:
	case ERROR_NOT_FOUND:
	case ERROR_FORMAT:
	case ERROR_TRUNCATED:
	case ERROR_UNSUPPORTED:
	case ERROR_LOCKED:
		break;
	}
	return error->has_unit ? status_of_cause(error, cause) :
				 KTRACE_HW_NO_UNIT;
}

/* Sets the status from @cause, 0 for success, and returns it. */
static enum ktrace_hw_status library_error_conclude(struct library_error *error,
						    int cause)
{
	error->said.status = library_error_status(error, cause);
	if (!cause)
		error->said.text[0] = '\0';
	else if (!error->said.text[0])
		library_error_add(error, "%s", error_text(cause));
	return error->said.status;
}

/* Sets the error to @status and @text. For failures that have no enum error.
 * Returns @status.
 */
static enum ktrace_hw_status library_error_refuse(struct library_error *error,
						  enum ktrace_hw_status status,
						  const char *text)
{
	error->said.status = status;
	snprintf(error->said.text, sizeof(error->said.text), "%s", text);
	return status;
}

/* Stores the message that the operation @what failed, with errno as the reason.
 * Returns -ERROR_SYSTEM.
 */
static int library_error_system(struct library_error *error, const char *what)
{
	log_message(&error->log, LOG_ERROR, NULL, LOG_NO_OFFSET, "%s: %s", what,
		    strerror(errno));
	return -ERROR_SYSTEM;
}

/* Appends to the stored message. */
static void library_error_add(struct library_error *error, const char *format,
			      ...)
{
	size_t said = strlen(error->said.text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->said.text + said, sizeof(error->said.text) - said,
		  format, arguments);
	va_end(arguments);
}

enum {
	LEAST_BUFFER = 64 << 10,
	MOST_BUFFER = 1 << 30,
	/* A client of the service waits for at most two copies of the kernel,
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

/* Opens the events and reads the kernel's code with the program's own rights.
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

/* Opens the trace of thread @tid, switched off, with a buffer of @buffer_bytes.
 * Uses the service if the program's own rights do not suffice. Returns 0; or a
 * negative enum error, with the reason in @error, which is borrowed. The caller
 * must close @trace either way.
 */
static int own_trace_open(struct own_trace *trace, pid_t tid,
			  size_t buffer_bytes, struct library_error *error)
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

static void own_trace_close(struct own_trace *trace)
{
	own_recording_close(&trace->recording);
	thread_events_close(&trace->events);
	service_close(&trace->service);
}

/* Switch the trace on and off. Return 0 or -ERROR_SYSTEM, reported in @error.
 */
static int own_trace_start(const struct own_trace *trace,
			   struct library_error *error)
{
	return thread_events_start(&trace->events) ?
		       library_error_system(error,
					    "the trace cannot be switched on") :
		       0;
}

static int own_trace_stop(const struct own_trace *trace,
			  struct library_error *error)
{
	return thread_events_stop(&trace->events) ?
		       library_error_system(
			       error, "the trace cannot be switched off") :
		       0;
}

/* Returns 0; or a negative enum error, reported in @error, if the service that
 * the trace uses has ended: wake-ups are then no longer recorded.
 */
static int own_trace_check_service(const struct own_trace *trace,
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

#define EXPORTED __attribute__((visibility("default")))

enum { USUAL_BUFFER = 4 << 20 };

enum state { STATE_IDLE, STATE_BRACKET, STATE_WATCH };

struct ktrace_hw {
	struct library_error error;
	pthread_t thread;
	pid_t tid;
	enum state state;
	struct bracket_times times;
	struct own_trace own;
	struct part_bytes part;
	struct trace_tail tail;
	struct part_decoder *decoder;
	/* For ktrace_hw_watch(): the record decoded last. */
	const struct ktrace_hw_record *watched;
	size_t next_call;
	/* why the watch ended before all of watched was returned */
	struct ktrace_hw_error watch_error;
};

static int open_all(struct ktrace_hw *k,
		    const struct ktrace_hw_options *options)
{
	int error = own_trace_open(
		&k->own, k->tid,
		options->buffer_bytes ? options->buffer_bytes : USUAL_BUFFER,
		&k->error);

	if (!error && options->source_lines)
		error = own_recording_want_lines(&k->own.recording);
	if (error)
		return error;
	if (part_bytes_open(&k->part, own_records_room(&k->own.events)))
		return library_error_system(&k->error, "no room for records");
	k->decoder = part_decoder_new(&k->own.recording, getpid(), k->tid);
	return k->decoder ? 0 : -ERROR_MEMORY;
}

static void report(const struct ktrace_hw *k, struct ktrace_hw_error *error)
{
	if (error && k)
		*error = k->error.said;
	else if (error)
		*error = (struct ktrace_hw_error){ KTRACE_HW_NO_MEMORY,
						   "out of memory" };
}

EXPORTED struct ktrace_hw *
ktrace_hw_open(const struct ktrace_hw_options *options,
	       struct ktrace_hw_error *error)
{
	static const struct ktrace_hw_options usual = { 0 };
	struct ktrace_hw *k = calloc(1, sizeof(*k));
	enum ktrace_hw_status status;

	if (!k) {
		report(NULL, error);
		return NULL;
	}
	library_error_init(&k->error);
	k->thread = pthread_self();
	k->tid = gettid();
	status = library_error_conclude(
		&k->error, open_all(k, options ? options : &usual));
	report(k, error);
	if (status == KTRACE_HW_OK)
		return k;
	ktrace_hw_close(k);
	return NULL;
}

EXPORTED void ktrace_hw_close(struct ktrace_hw *k)
{
	if (!k)
		return;
	part_decoder_free(k->decoder);
	part_bytes_close(&k->part);
	trace_tail_free(&k->tail);
	own_trace_close(&k->own);
	free(k);
}

/* Returns whether the calling thread opened @k. Makes no system call, because
 * it would be traced.
 */
static bool is_own(const struct ktrace_hw *k)
{
	return pthread_equal(k->thread, pthread_self());
}

static void consume(struct ktrace_hw *k)
{
	own_records_take(&k->own.events, k->tid, &k->part,
			 &k->own.recording.lasting, &k->tail);
}

/* Traces calls of getppid() until the trace unit has sent a sync point; does
 * nothing if the unit sends one whenever it resumes. While another process uses
 * the trace unit, no sync point arrives: then the record will report the
 * missing trace.
 */
static int synchronise(struct ktrace_hw *k)
{
	enum { TRIES = 16, CALLS = 64 };
	int error = 0;

	if (!own_records_need_tail(&k->own.events))
		return 0;
	for (int i = 0; i < TRIES && !error; i++) {
		if (trace_tail_is_synchronised(&k->tail))
			return 0;
		error = own_trace_start(&k->own, &k->error);
		for (int j = 0; j < CALLS && !error; j++)
			getppid();
		if (!error)
			error = own_trace_stop(&k->own, &k->error);
		consume(k);
	}
	return error;
}

/* Discards the data recorded since the last stop, and starts the trace. */
static enum ktrace_hw_status start(struct ktrace_hw *k, enum state state)
{
	int error = own_trace_check_service(&k->own, &k->error);

	if (!error)
		error = synchronise(k);
	k->watched = NULL;
	own_records_drop(&k->own.events, &k->part, &k->own.recording.lasting);
	k->times.on_ns = thread_events_now_ns(&k->own.events);
	if (!error)
		error = own_trace_start(&k->own, &k->error);
	if (!error)
		k->state = state;
	k->times.begin_ns = thread_events_now_ns(&k->own.events);
	return library_error_conclude(&k->error, error);
}

EXPORTED enum ktrace_hw_status ktrace_hw_begin(struct ktrace_hw *k)
{
	if (!k)
		return KTRACE_HW_MISUSE;
	library_error_begin(&k->error);
	if (k->state == STATE_BRACKET || !is_own(k))
		return library_error_refuse(
			&k->error, KTRACE_HW_MISUSE,
			k->state == STATE_BRACKET ?
				"the last bracket has not ended" :
				"another thread opened this");
	if (k->state == STATE_WATCH) {
		own_trace_stop(&k->own, &k->error);
		k->state = STATE_IDLE;
		consume(k);
	}
	return start(k, STATE_BRACKET);
}

static int decode(struct ktrace_hw *k, const struct ktrace_hw_record **record)
{
	int error = 0;

	if (own_recording_is_stale(&k->own.recording)) {
		part_decoder_forget_code(k->decoder);
		error = own_recording_follow(&k->own.recording);
	}
	/* If a CPU was switched off, an unknown number of records is lost,
	 * which is reported as one.
	 */
	return error ? error :
		       part_decoder_run(k->decoder, &k->part, &k->times,
					thread_events_miss_cpu(&k->own.events),
					record);
}

/* Stops the trace and decodes it. */
static const struct ktrace_hw_record *stop(struct ktrace_hw *k)
{
	const struct ktrace_hw_record *record = NULL;
	int error;

	k->times.end_ns = thread_events_now_ns(&k->own.events);
	error = own_trace_stop(&k->own, &k->error);
	k->state = STATE_IDLE;
	consume(k);
	if (!error)
		error = own_trace_check_service(&k->own, &k->error);
	if (!error)
		error = decode(k, &record);
	if (error == -ERROR_NOT_FOUND)
		library_error_refuse(
			&k->error, KTRACE_HW_NO_TRACE,
			"nothing was traced: the trace unit was in use "
			"elsewhere (a virtual machine, another recording)");
	else
		library_error_conclude(&k->error, error);
	return error ? NULL : record;
}

EXPORTED const struct ktrace_hw_record *ktrace_hw_end(struct ktrace_hw *k)
{
	if (!k)
		return NULL;
	library_error_begin(&k->error);
	if (k->state != STATE_IDLE && is_own(k)) {
		k->watched = NULL;
		return stop(k);
	}
	library_error_refuse(&k->error, KTRACE_HW_MISUSE,
			     k->state == STATE_IDLE ?
				     "no bracket has begun" :
				     "another thread opened this");
	return NULL;
}

EXPORTED enum ktrace_hw_status ktrace_hw_watch(struct ktrace_hw *k)
{
	enum ktrace_hw_status status = ktrace_hw_begin(k);

	if (status == KTRACE_HW_OK)
		k->state = STATE_WATCH;
	return status;
}

/* Decodes the trace since the last call, and continues tracing. */
static bool watch_on(struct ktrace_hw *k)
{
	const struct ktrace_hw_record *record = stop(k);
	const struct ktrace_hw_error error = k->error.said;

	if (start(k, STATE_WATCH) != KTRACE_HW_OK)
		k->watch_error = k->error.said;
	else if (!record)
		k->error.said = error;
	k->watched = record;
	k->next_call = 0;
	return record && record->call_count;
}

EXPORTED const struct ktrace_hw_call *
ktrace_hw_next(struct ktrace_hw *k, const struct ktrace_hw_record **record)
{
	bool has_more;

	if (record)
		*record = NULL;
	if (!k)
		return NULL;
	library_error_begin(&k->error);
	if ((k->state != STATE_WATCH && !k->watched) || !is_own(k)) {
		library_error_refuse(&k->error, KTRACE_HW_MISUSE,
				     "this thread has no active watch");
		return NULL;
	}
	has_more = (k->watched && k->next_call < k->watched->call_count) ||
		   (k->state == STATE_WATCH && watch_on(k));
	if (!has_more && k->state != STATE_WATCH)
		k->error.said = k->watch_error;
	if (record)
		*record = k->watched;
	return has_more ? &k->watched->calls[k->next_call++] : NULL;
}

EXPORTED enum ktrace_hw_status ktrace_hw_save(struct ktrace_hw *k,
					      const char *path)
{
	if (!k)
		return KTRACE_HW_MISUSE;
	library_error_begin(&k->error);
	if (k->state != STATE_IDLE || !k->part.trace_size)
		return library_error_refuse(&k->error, KTRACE_HW_NO_TRACE,
					    "there is no record to save");
	return library_error_conclude(
		&k->error, own_recording_save(&k->own.recording, &k->own.events,
					      &k->part, k->tid, path));
}

EXPORTED const struct ktrace_hw_error *
ktrace_hw_last_error(const struct ktrace_hw *k)
{
	static const struct ktrace_hw_error none = {
		KTRACE_HW_MISUSE, "the library is not open"
	};

	return k ? &k->error.said : &none;
}
