/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/transfer_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum {
	VECTOR_NMI = 2,
	VECTOR_PAGE_FAULT = 14,
	VECTOR_EXTERNAL = 32,
	HLT_SIZE = 1,
};

#define CONFIG_EVENT (1ull << 31)
#define CONFIG_NO_TNT (1ull << 55)

static bool wrong(struct transfer_check *check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool wrong(struct transfer_check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check->wrong, sizeof(check->wrong), format, arguments);
	va_end(arguments);
	return false;
}

static bool traces(const struct transfer_check *check, uint64_t address)
{
	return address >> 63 ? check->recording->kernel :
			       check->recording->user;
}

/* Returns whether packets contain the destination; for other branches the code
 * determines it.
 */
static bool has_address(enum truth_kind kind)
{
	return kind != TRUTH_CONDITIONAL && kind != TRUTH_JUMP &&
	       kind != TRUTH_CALL;
}

/* Reads the truth's next transfer that has a packet. */
static bool next_truth(struct transfer_check *check, struct truth_event *event,
		       bool *from_in, bool *to_in)
{
	for (;;) {
		if (check->has_session)
			*event = check->session;
		else if (!truth_reader_next(check->truth, event))
			return false;
		check->has_session = false;
		if (event->kind == TRUTH_SWITCH || !has_address(event->kind))
			continue;
		*from_in = event->kind != TRUTH_TRACE_ON &&
			   traces(check, event->from);
		*to_in = event->kind != TRUTH_TRACE_OFF &&
			 traces(check, event->to);
		if (*from_in || *to_in)
			return true;
	}
}

/* Reads up to the start of a session or the end of the truth. */
static void read_session(struct transfer_check *check)
{
	struct truth_event *session = &check->session;

	do
		check->has_session = truth_reader_next(check->truth, session);
	while (check->has_session && session->kind != TRUTH_TRACE_ON);
}

/* Skips to the session in which the stream, whose first time is @tsc, is
 * assumed to start.
 */
static void find_session(struct transfer_check *check, uint64_t tsc,
			 uint64_t slack)
{
	const struct truth_event *session = &check->session;

	do
		read_session(check);
	while (check->has_session && session->tsc < tsc - slack);
	for (uint32_t i = 0; check->has_session && i < check->passed_over; i++)
		read_session(check);
	check->is_near = check->has_session && session->tsc <= tsc + slack;
}

static bool check_places(struct transfer_check *check,
			 const struct transfer *transfer,
			 const struct truth_event *event, bool from_in,
			 bool to_in)
{
	enum transfer_kind kind = !from_in ? TRANSFER_BEGIN :
				  to_in	   ? TRANSFER_JUMP :
					     TRANSFER_END;

	if (transfer->kind != kind ||
	    (transfer->to_known && transfer->to != event->to) ||
	    (from_in && transfer->from_known && transfer->from != event->from))
		return wrong(check,
			     "kind %d from %#" PRIx64 " to %#" PRIx64
			     ", the truth has %d, kind %d, from %#" PRIx64
			     " to %#" PRIx64,
			     transfer->kind, transfer->from, transfer->to,
			     event->kind, kind, event->from, event->to);
	if (from_in && event->kind == TRUTH_INTERRUPT && !transfer->from_known)
		return wrong(check, "an interrupt without a FUP");
	return true;
}

static bool check_interrupt(struct transfer_check *check,
			    const struct transfer *transfer,
			    const struct truth_event *event, bool from_in,
			    bool to_in)
{
	uint8_t vector = transfer->vector;
	bool external = vector == VECTOR_NMI || vector >= VECTOR_EXTERNAL;

	/* int3 and similar instructions are branches, without a FUP and without
	 * an event.
	 */
	if (event->kind == TRUTH_EXCEPTION && from_in && !transfer->from_known)
		return transfer->event == TRANSFER_NO_EVENT ||
		       wrong(check, "int n has an event");
	if (transfer->event != TRANSFER_INTERRUPT)
		return wrong(check, "to %#" PRIx64 " without CFE", event->to);
	if (external != (event->kind == TRUTH_INTERRUPT))
		return wrong(check, "vector %u of truth's kind %u", vector,
			     event->kind);
	if (transfer->has_fault != (vector == VECTOR_PAGE_FAULT))
		return wrong(check, "vector %u, EVD %d", vector,
			     transfer->has_fault);
	if (check->handlers[vector] && check->handlers[vector] != event->to)
		return wrong(check,
			     "vector %u at %#" PRIx64 ", before %#" PRIx64,
			     vector, event->to, check->handlers[vector]);
	check->handlers[vector] = event->to;
	if (from_in && vector >= VECTOR_EXTERNAL &&
	    !transfer->interrupts_before)
		return wrong(check, "vector %u while IF was 0", vector);
	if (to_in && transfer->interrupts)
		return wrong(check, "IF is 1 in the handler of %u", vector);
	check->interrupts++;
	check->faults += transfer->has_fault;
	return true;
}

/* Each returning instruction is either always an IRET or never. */
static bool check_return(struct transfer_check *check,
			 const struct transfer *transfer,
			 const struct truth_event *event)
{
	bool iret = transfer->event == TRANSFER_IRET;
	unsigned i = 0;

	if (transfer->event == TRANSFER_INTERRUPT)
		return wrong(check, "a return with an interrupt's CFE");
	while (i < check->return_count && check->returns[i].from != event->from)
		i++;
	if (i == TRANSFER_RETURNS_MAX)
		return wrong(check, "too many places to return from");
	if (i == check->return_count) {
		check->returns[i].from = event->from;
		check->returns[i].iret = iret;
		check->return_count++;
	}
	if (check->returns[i].iret != iret)
		return wrong(check, "%#" PRIx64 " is an IRET at times",
			     event->from);
	check->irets += iret;
	return true;
}

static bool check_event(struct transfer_check *check,
			const struct transfer *transfer,
			const struct truth_event *event, bool from_in,
			bool to_in)
{
	if (event->kind == TRUTH_INTERRUPT || event->kind == TRUTH_EXCEPTION)
		return check_interrupt(check, transfer, event, from_in, to_in);
	if (event->kind == TRUTH_FAR_RETURN)
		return check_return(check, transfer, event);
	return transfer->event == TRANSFER_NO_EVENT ||
	       wrong(check, "CFE at a branch of kind %u", event->kind);
}

static bool check_wake(struct transfer_check *check,
		       const struct transfer *transfer,
		       const struct truth_event *event)
{
	if (!transfer->wakes_from)
		return true;
	check->wakes++;
	return (event->kind == TRUTH_INTERRUPT &&
		event->from == transfer->wakes_from + HLT_SIZE) ||
	       wrong(check,
		     "woke at %#" PRIx64 ", the truth goes on at %#" PRIx64,
		     transfer->wakes_from, event->from);
}

static bool check_one(struct transfer_check *check,
		      const struct transfer *transfer)
{
	struct truth_event event;
	bool from_in, to_in;

	if (!next_truth(check, &event, &from_in, &to_in))
		return wrong(check, "the truth ends before the trace");
	check->compared++;
	check->offset = transfer->offset;
	return check_places(check, transfer, &event, from_in, to_in) &&
	       check_wake(check, transfer, &event) &&
	       (!check->events ||
		check_event(check, transfer, &event, from_in, to_in));
}

bool transfer_check_run(struct transfer_check *check,
			const struct recording *recording,
			const struct trace_stream *stream,
			struct transfers *transfers, uint64_t slack)
{
	struct transfer transfer;

	check->recording = recording;
	check->events = recording->config & CONFIG_EVENT;
	check->no_tnt = recording->config & CONFIG_NO_TNT;
	if (!transfers_open(transfers, stream))
		return wrong(check, "libipt does not take the trace");
	while (transfers_next(transfers, &transfer)) {
		if (!check->compared)
			find_session(check, transfers->first_tsc, slack);
		if (!check_one(check, &transfer))
			return false;
	}
	if (transfers->error)
		return wrong(check, "%s", transfers->error);
	if (check->no_tnt && transfers->branches)
		return wrong(check, "TNT packets without TNT");
	return true;
}
