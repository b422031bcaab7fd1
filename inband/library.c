/* SPDX-License-Identifier: MIT */
#include "inband/ktrace_hw.h"

#include "common/error.h"
#include "inband/library_error_internal.h"
#include "inband/own_records_internal.h"
#include "inband/own_trace_internal.h"
#include "inband/part_decoder_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

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

/* Must not make a system call, which would be traced. */
static bool is_own(const struct ktrace_hw *k)
{
	return pthread_equal(k->thread, pthread_self());
}

static void take(struct ktrace_hw *k)
{
	own_records_take(&k->own.events, k->tid, &k->part,
			 &k->own.recording.lasting, &k->tail);
}

/* Traces calls until the unit has sent a sync point, unless it sends one
 * whenever it resumes. If another process uses the trace unit, there is none,
 * which the record will report.
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
		take(k);
	}
	return error;
}

/* Discards the data recorded since the last stop, and starts. */
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
		take(k);
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
	/* At least one, of an unknown number. */
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
	take(k);
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
	if (k->state != STATE_IDLE && is_own(k))
		return stop(k);
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

	if (start(k, STATE_WATCH) == KTRACE_HW_OK && !record)
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
	if (k->state != STATE_WATCH || !is_own(k)) {
		library_error_refuse(&k->error, KTRACE_HW_MISUSE,
				     "this thread has no active watch");
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
