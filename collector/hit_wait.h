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
