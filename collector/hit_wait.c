/* SPDX-License-Identifier: MIT */
#include "collector/events/event_list.h"
#include "collector/events/event_spec.h"
#include "collector/hit_wait_internal.h"
#include "collector/recording_setup_internal.h"
#include "collector/rings/cpu_rings.h"
#include "collector/target/process_control.h"
#include "collector/trigger/trigger_set.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A sample of an event of BPF output (PERF_SAMPLE_RAW). */
struct hit_sample {
	struct event_sample fields;
	uint32_t raw_size;
	struct trigger_report report;
} __attribute__((packed));

/* Returns the trigger whose events have @id, or NULL. */
static const struct trigger *trigger_of(const struct hit_wait *hits,
					uint64_t id)
{
	const struct event *events = hits->events->events.items;

	for (size_t i = 0; i < hits->events->events.count; i++)
		if (events[i].id == id)
			return trigger_set_of_spec(hits->triggers,
						   events[i].spec);
	return NULL;
}

/* Returns whether the trace covers @time_ns. */
static bool was_traced(const struct hit_wait *hits, uint64_t time_ns)
{
	return time_ns >= hits->since_ns &&
	       (!hits->is_frozen || time_ns <= hits->frozen_ns);
}

void trace_stops_add(struct trace_stops *stops, uint64_t from_ns,
		     uint64_t until_ns)
{
	if (until_ns <= from_ns)
		return;
	stops->newest[stops->count++ % TRACE_STOPS] =
		(struct trace_stop){ from_ns, until_ns };
	stops->sum_ns += until_ns - from_ns;
}

uint64_t trace_stops_part(const struct trace_stops *stops, uint64_t from_ns,
			  uint64_t until_ns)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < TRACE_STOPS && i < stops->count; i++) {
		const struct trace_stop *stop = &stops->newest[i];
		uint64_t from = stop->from_ns > from_ns ? stop->from_ns :
							  from_ns;
		uint64_t until = stop->until_ns < until_ns ? stop->until_ns :
							     until_ns;

		sum_ns += until > from ? until - from : 0;
	}
	return sum_ns;
}

bool trace_stops_explain(const struct trace_stops *stops, uint64_t limit_ns,
			 uint64_t latency_ns, uint64_t length_ns,
			 uint64_t time_ns)
{
	uint64_t stopped_ns;

	if (!limit_ns || latency_ns <= limit_ns || length_ns > time_ns)
		return false;
	stopped_ns = trace_stops_part(stops, time_ns - length_ns, time_ns);
	return stopped_ns && stopped_ns >= latency_ns - limit_ns;
}

/* Makes the hit of @sample the pending one if the trace covers it and no other
 * hit is pending; otherwise only counts it.
 */
static void consume_hit(struct hit_wait *hits, const struct trigger *trigger,
			const struct hit_sample *sample)
{
	struct trigger_hit *hit = &hits->hit;

	if (!hits->has_begun || !trigger)
		return;
	if (trigger->maps.hits >= 0 &&
	    trace_stops_explain(&hits->stops, trigger->spec.limit_ns,
				sample->report.latency_ns,
				sample->report.length_ns,
				sample->fields.time_ns)) {
		hits->by_stops++;
		return;
	}
	if (hits->is_pending || !was_traced(hits, sample->fields.time_ns)) {
		hits->overlapped++;
		return;
	}
	*hit = (struct trigger_hit){ .hit_ns = sample->fields.time_ns };
	if (trigger->maps.hits >= 0)
		hit->latency_ns = sample->report.latency_ns;
	if (hit->latency_ns)
		hit->begin_ns =
			sample->fields.time_ns - sample->report.length_ns;
	snprintf(hit->text, sizeof(hit->text), "%s", trigger->spec.text);
	hits->pid = sample->fields.pid;
	hits->tid = sample->fields.tid;
	hits->cpu = (int)sample->fields.cpu;
	hits->is_pending = true;
	if (hits->after_ns)
		hits->timer = timer_open(hits->after_ns);
}

void hit_wait_take_records(struct hit_wait *hits,
			   const struct ring_bytes *records)
{
	struct perf_event_header header;
	struct hit_sample sample;

	for (size_t place = 0; place + sizeof(header) <= records->size;
	     place += header.size) {
		size_t size;

		ring_copy(records, place, &header, sizeof(header));
		if (header.size < sizeof(header))
			return;
		size = header.size - sizeof(header);
		if (header.type != PERF_RECORD_SAMPLE ||
		    size < offsetof(struct hit_sample, raw_size))
			continue;
		memset(&sample, 0, sizeof(sample));
		ring_copy(records, place + sizeof(header), &sample,
			  size < sizeof(sample) ? size : sizeof(sample));
		consume_hit(hits, trigger_of(hits, sample.fields.id), &sample);
	}
}

/* Adds a hit from a line of the trigger's FIFO. The process that writes the
 * line is not a task of the recording.
 */
static void consume_line(struct hit_wait *hits, const struct trigger *trigger,
			 const struct trace_clock *clock, int cpu)
{
	struct hit_sample sample = {
		.fields = { .time_ns = trace_clock_ns(clock),
			    .cpu = (uint32_t)cpu },
	};

	consume_hit(hits, trigger, &sample);
}

void hit_wait_take_lines(struct hit_wait *hits, const struct trace_clock *clock,
			 int cpu)
{
	const struct array *triggers = &hits->triggers->triggers;

	for (size_t i = 0; i < triggers->count; i++) {
		const struct trigger *trigger = array_at(triggers, i);
		char bytes[4096];
		ssize_t got = trigger->line < 0 ?
				      0 :
				      read(trigger->line, bytes, sizeof(bytes));

		for (ssize_t j = 0; j < got; j++)
			if (bytes[j] == '\n')
				consume_line(hits, trigger, clock, cpu);
	}
}
