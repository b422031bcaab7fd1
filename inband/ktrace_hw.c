/* SPDX-License-Identifier: MIT */
#include "inband/ktrace_hw.h"
#include "common/error.h"
#include "common/log.h"
#include "inband/own_events.h"
#include "inband/own_recording.h"
#include "inband/own_records.h"
#include "inband/part_bytes.h"
#include "inband/part_decoder.h"
#include "inband/trace_tail.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum {
	LEAST_BUFFER = 64 << 10,
	USUAL_BUFFER = 4 << 20,
	MOST_BUFFER = 1 << 30,
};

enum state { STATE_IDLE, STATE_BRACKET, STATE_WATCH };

struct ktrace_hw {
	struct log log;
	struct ktrace_hw_error error;
	int cause; /* errno when the error was said */
	pthread_t thread;
	pid_t tid;
	enum state state;
	struct bracket_times times;
	struct own_events events;
	struct own_recording recording;
	struct part_bytes part;
	struct trace_tail tail;
	struct part_decoder *decoder;
	/* Of a watch: what was decoded last. */
	const struct ktrace_hw_record *watched;
	size_t next_call;
};

/* Warnings tell what records themselves tell: gaps. */
static void keep_error(void *ctx, enum log_level level, const char *file,
		       uint64_t offset, const char *text)
{
	struct ktrace_hw *k = ctx;

	(void)offset;
	if (level != LOG_ERROR)
		return;
	k->cause = errno;
	snprintf(k->error.text, sizeof(k->error.text), "%s%s%s",
		 file ? file : "", file ? ": " : "", text);
}

static enum ktrace_hw_status status_of(const struct ktrace_hw *k, int error)
{
	switch ((enum error) - error) {
	case ERROR_NONE:
		return KTRACE_HW_OK;
	case ERROR_MEMORY:
		return KTRACE_HW_NO_MEMORY;
	case ERROR_SYSTEM:
	case ERROR_NOT_FOUND:
	case ERROR_FORMAT:
	case ERROR_TRUNCATED:
	case ERROR_UNSUPPORTED:
		break;
	}
	if (!k->events.tracer || k->events.tracer != &intel_pt_tracer)
		return KTRACE_HW_NO_UNIT;
	if (k->cause == EBUSY)
		return KTRACE_HW_BUSY;
	return k->cause == EACCES || k->cause == EPERM ?
		       KTRACE_HW_NOT_PERMITTED :
		       KTRACE_HW_SYSTEM;
}

/* Sets what is asked for by ktrace_hw_last_error(). */
static enum ktrace_hw_status conclude(struct ktrace_hw *k, int error)
{
	k->error.status = status_of(k, error);
	if (!error)
		k->error.text[0] = '\0';
	else if (!k->error.text[0])
		snprintf(k->error.text, sizeof(k->error.text), "%s",
			 error_text(error));
	return k->error.status;
}

static enum ktrace_hw_status
refuse(struct ktrace_hw *k, enum ktrace_hw_status status, const char *text)
{
	k->error.status = status;
	snprintf(k->error.text, sizeof(k->error.text), "%s", text);
	return status;
}

static void begin_call(struct ktrace_hw *k)
{
	k->error.text[0] = '\0';
	k->cause = 0;
}

static int fail_system(struct ktrace_hw *k, const char *what)
{
	log_message(&k->log, LOG_ERROR, NULL, LOG_NO_OFFSET, "%s: %s", what,
		    strerror(errno));
	return -ERROR_SYSTEM;
}

static int open_all(struct ktrace_hw *k, size_t buffer_bytes)
{
	int error;

	if (buffer_bytes < LEAST_BUFFER || buffer_bytes > MOST_BUFFER ||
	    buffer_bytes & (buffer_bytes - 1)) {
		log_message(&k->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "buffer_bytes is no power of two from 64 KiB to "
			    "1 GiB");
		return -ERROR_FORMAT;
	}
	error = own_events_open(&k->events, k->tid, buffer_bytes, &k->log);
	if (!error)
		error = own_recording_open(&k->recording, &k->events, &k->log);
	if (error)
		return error;
	if (part_bytes_open(&k->part, own_records_room(&k->events)))
		return fail_system(k, "no room for records");
	k->decoder = part_decoder_new(&k->recording, getpid(), k->tid);
	return k->decoder ? 0 : -ERROR_MEMORY;
}

static void report(const struct ktrace_hw *k, struct ktrace_hw_error *error)
{
	if (error && k)
		*error = k->error;
	else if (error)
		*error = (struct ktrace_hw_error){ KTRACE_HW_NO_MEMORY,
						   "out of memory" };
}

EXPORTED struct ktrace_hw *
ktrace_hw_open(const struct ktrace_hw_options *options,
	       struct ktrace_hw_error *error)
{
	struct ktrace_hw *k = calloc(1, sizeof(*k));
	size_t buffer_bytes = options ? options->buffer_bytes : 0;
	enum ktrace_hw_status status;

	if (!k) {
		report(NULL, error);
		return NULL;
	}
	k->log = (struct log){ keep_error, k };
	k->thread = pthread_self();
	k->tid = gettid();
	status = conclude(k, open_all(k, buffer_bytes ? buffer_bytes :
							USUAL_BUFFER));
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
	own_recording_close(&k->recording);
	own_events_close(&k->events);
	free(k);
}

/* Makes no system call, which would be traced. */
static bool is_own(const struct ktrace_hw *k)
{
	return pthread_equal(k->thread, pthread_self());
}

static void take(struct ktrace_hw *k)
{
	own_records_take(&k->events, k->tid, &k->part, &k->recording.changes,
			 &k->tail);
}

static int switch_on(struct ktrace_hw *k)
{
	return own_events_start(&k->events) ?
		       fail_system(k, "the trace cannot be switched on") :
		       0;
}

static int switch_off(struct ktrace_hw *k)
{
	return own_events_stop(&k->events) ?
		       fail_system(k, "the trace cannot be switched off") :
		       0;
}

/* Traces calls until the unit has sent a synchronisation point.  Where the
 * trace unit is another's there is none, which the record will say.
 */
static int synchronise(struct ktrace_hw *k)
{
	enum { TRIES = 16, CALLS = 64 };
	int error = 0;

	for (int i = 0; i < TRIES && !error; i++) {
		if (trace_tail_is_synchronised(&k->tail))
			return 0;
		error = switch_on(k);
		for (int j = 0; j < CALLS && !error; j++)
			getppid();
		if (!error)
			error = switch_off(k);
		take(k);
	}
	return error;
}

/* Drops what was recorded since the last stop, and starts. */
static enum ktrace_hw_status start(struct ktrace_hw *k, enum state state)
{
	int error = synchronise(k);

	k->watched = NULL;
	own_records_drop(&k->events, &k->part, &k->recording.changes);
	k->times.on_ns = own_events_now_ns(&k->events);
	if (!error)
		error = switch_on(k);
	if (!error)
		k->state = state;
	k->times.begin_ns = own_events_now_ns(&k->events);
	return conclude(k, error);
}

EXPORTED enum ktrace_hw_status ktrace_hw_begin(struct ktrace_hw *k)
{
	if (!k)
		return KTRACE_HW_MISUSE;
	begin_call(k);
	if (k->state == STATE_BRACKET || !is_own(k))
		return refuse(k, KTRACE_HW_MISUSE,
			      k->state == STATE_BRACKET ?
				      "the last bracket has not ended" :
				      "another thread opened this");
	if (k->state == STATE_WATCH) {
		switch_off(k);
		take(k);
	}
	return start(k, STATE_BRACKET);
}

static int decode(struct ktrace_hw *k, const struct ktrace_hw_record **record)
{
	int error = 0;

	if (own_recording_is_stale(&k->recording)) {
		part_decoder_forget_code(k->decoder);
		error = own_recording_follow(&k->recording);
	}
	return error ? error :
		       part_decoder_run(k->decoder, &k->part, &k->times,
					record);
}

/* Stops the trace and decodes it. */
static const struct ktrace_hw_record *stop(struct ktrace_hw *k)
{
	const struct ktrace_hw_record *record = NULL;
	int error;

	k->times.end_ns = own_events_now_ns(&k->events);
	error = switch_off(k);
	k->state = STATE_IDLE;
	take(k);
	if (!error)
		error = decode(k, &record);
	if (error == -ERROR_NOT_FOUND)
		refuse(k, KTRACE_HW_NO_TRACE,
		       "nothing of what ran was traced: the trace unit is "
		       "another's at times (a virtual machine, another "
		       "recording)");
	else
		conclude(k, error);
	return error ? NULL : record;
}

EXPORTED const struct ktrace_hw_record *ktrace_hw_end(struct ktrace_hw *k)
{
	if (!k)
		return NULL;
	begin_call(k);
	if (k->state != STATE_IDLE && is_own(k))
		return stop(k);
	refuse(k, KTRACE_HW_MISUSE,
	       k->state == STATE_IDLE ? "nothing has begun" :
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

/* Decodes what was made since the last time, and goes on. */
static bool watch_on(struct ktrace_hw *k)
{
	const struct ktrace_hw_record *record = stop(k);
	const struct ktrace_hw_error error = k->error;

	if (start(k, STATE_WATCH) == KTRACE_HW_OK && !record)
		k->error = error;
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
	begin_call(k);
	if (k->state != STATE_WATCH || !is_own(k)) {
		refuse(k, KTRACE_HW_MISUSE, "no watch of this thread is on");
		return NULL;
	}
	has_more = (k->watched && k->next_call < k->watched->call_count) ||
		   watch_on(k);
	if (record)
		*record = k->watched;
	return has_more ? &k->watched->calls[k->next_call++] : NULL;
}

EXPORTED enum ktrace_hw_status ktrace_hw_save(struct ktrace_hw *k,
					      const char *path)
{
	if (!k)
		return KTRACE_HW_MISUSE;
	begin_call(k);
	if (k->state != STATE_IDLE || !k->part.trace_size)
		return refuse(k, KTRACE_HW_NO_TRACE,
			      "there is no record to save");
	return conclude(k, own_recording_save(&k->recording, &k->events,
					      &k->part, k->tid, path));
}

EXPORTED const struct ktrace_hw_error *
ktrace_hw_last_error(const struct ktrace_hw *k)
{
	static const struct ktrace_hw_error none = {
		KTRACE_HW_MISUSE, "the library is not open"
	};

	return k ? &k->error : &none;
}
