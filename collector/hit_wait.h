/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_HIT_WAIT_H
#define KT_COLLECTOR_HIT_WAIT_H

#include "common/trigger_hit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_list;
struct ring_bytes;
struct trace_clock;
struct trigger_set;

/* A time in which the recorder had stopped all trace, and copied it. */
struct trace_stop {
	uint64_t from_ns;
	uint64_t until_ns;
};

enum { TRACE_STOPS = 64 };

/* The newest stops.  A call, sleep or wait for a CPU that they made longer is no
 * hit: triggers judge times without the stops, of which there is no trace.
 */
struct trace_stops {
	struct trace_stop newest[TRACE_STOPS];
	uint64_t count;	 /* of all, so far */
	uint64_t sum_ns; /* likewise */
};

void trace_stops_add(struct trace_stops *stops, uint64_t from_ns,
		     uint64_t until_ns);

/* Returns how much of the time from @from_ns to @until_ns lies in stops. */
uint64_t trace_stops_part(const struct trace_stops *stops, uint64_t from_ns,
			  uint64_t until_ns);

/* Returns whether what took @latency_ns, in a call that began @length_ns before
 * @time_ns, was longer than @limit_ns by the stops alone.
 */
bool trace_stops_explain(const struct trace_stops *stops, uint64_t limit_ns,
			 uint64_t latency_ns, uint64_t length_ns,
			 uint64_t time_ns);

/* The hit of a trigger whose trace is to be kept: the first one that is in the
 * trace.  Those that come before it has been kept are counted.
 */
struct hit_wait {
	const struct event_list *events; /* borrowed */
	const struct trigger_set *triggers;
	uint64_t after_ns; /* how long each hit is waited for */
	bool has_begun;	   /* the trace that hits keep */
	bool is_pending;
	bool is_frozen; /* all trace is, since there may be a hit */
	struct trigger_hit hit;
	uint32_t pid;
	uint32_t tid;
	int cpu;
	int timer;	    /* the time that it is waited for; else -1 */
	uint64_t since_ns;  /* when tracing began, or went on */
	uint64_t frozen_ns; /* the trace, by the last snapshot */
	unsigned int overlapped;
	unsigned int by_stops; /* that were no hits without the stops */
	struct trace_stops stops;
	size_t record_spec; /* TRIGGER_HIT_EVENT */
};

/* Look for hits in @records of RING_HITS, and in the triggers' FIFOs, whose hits
 * are on @cpu, at the time of @clock.
 */
void hit_wait_take_records(struct hit_wait *hits,
			   const struct ring_bytes *records);
void hit_wait_take_lines(struct hit_wait *hits, const struct trace_clock *clock,
			 int cpu);

#endif
