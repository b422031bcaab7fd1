/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_HIT_WAIT_INTERNAL_H
#define KT_COLLECTOR_HIT_WAIT_INTERNAL_H

#include "common/formats/recording_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_list;
struct ring_bytes;
struct trace_clock;
struct trigger_set;

/* A time when the recorder had stopped all trace to copy it. */
struct trace_stop {
	uint64_t from_ns;
	uint64_t until_ns;
};

enum { TRACE_STOPS = 64 };

/* The newest stops. A call, sleep or wait for a CPU that exceeds a limit only
 * because of stops is not a hit: the time of stops, which has no trace, does
 * not count.
 */
struct trace_stops {
	struct trace_stop newest[TRACE_STOPS];
	uint64_t count;	 /* of all stops so far */
	uint64_t sum_ns; /* of all stops so far */
};

void trace_stops_add(struct trace_stops *stops, uint64_t from_ns,
		     uint64_t until_ns);

/* Returns how much of the time from @from_ns to @until_ns is within stops. */
uint64_t trace_stops_part(const struct trace_stops *stops, uint64_t from_ns,
			  uint64_t until_ns);

/* Returns whether a latency of @latency_ns, in a call that started @length_ns
 * before @time_ns, exceeds @limit_ns only because of the stops.
 */
bool trace_stops_explain(const struct trace_stops *stops, uint64_t limit_ns,
			 uint64_t latency_ns, uint64_t length_ns,
			 uint64_t time_ns);

/* The trigger hit whose trace is to be saved: the first one in the trace.
 * Further hits before that trace is saved are only counted.
 */
struct hit_wait {
	const struct event_list *events; /* borrowed */
	const struct trigger_set *triggers;
	uint64_t after_ns; /* how long to continue tracing after a hit */
	bool has_begun;	   /* tracing has started */
	bool is_pending;
	bool is_frozen; /* all trace is stopped for a possible hit */
	struct trigger_hit hit;
	uint32_t pid;
	uint32_t tid;
	int cpu;
	/* a timerfd, ends the wait for after_ns; -1: no wait, or no timer */
	int timer;
	uint64_t since_ns;  /* when tracing started or resumed */
	uint64_t frozen_ns; /* when the last snapshot stopped the trace */
	unsigned int overlapped;
	/* ignored: over the limit only because of stops */
	unsigned int by_stops;
	struct trace_stops stops;
	size_t record_spec; /* TRIGGER_HIT_EVENT */
};

/* hit_wait_take_records() consumes the hits in @records of RING_HITS;
 * hit_wait_take_lines() consumes the lines in the triggers' FIFOs: each line is
 * a hit on @cpu now, by @clock.
 */
void hit_wait_take_records(struct hit_wait *hits,
			   const struct ring_bytes *records);
void hit_wait_take_lines(struct hit_wait *hits, const struct trace_clock *clock,
			 int cpu);

#endif
