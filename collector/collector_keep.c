/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/records/sample_record.h"
#include "collector/trigger/probe_events.h"
#include "collector/writer/recording_writer.h"
#include "common/error.h"

#include <linux/perf_event.h>
#include <unistd.h>

/* Writes down why the trace that was just kept was. */
static int add_record(struct collector *collector)
{
	const struct hit_wait *hits = &collector->hits;
	const struct event *event = event_list_find(
		&collector->events, hits->record_spec, hits->cpu);
	const struct sample_origin origin = {
		.pid = hits->pid,
		.tid = hits->tid,
		.time_ns = hits->frozen_ns,
		.cpu = hits->cpu,
	};
	const struct sample_content content = {
		.bytes = &hits->hit,
		.size = sizeof(hits->hit),
	};
	struct byte_buffer record = { 0 };
	int error;

	if (!event)
		return -ERROR_NOT_FOUND;
	sample_record_add(&record, event, &origin, &content);
	error = recording_writer_add(collector->writer, &record);
	byte_buffer_free(&record);
	return error;
}

static int keep(struct collector *collector, bool last)
{
	struct hit_wait *hits = &collector->hits;
	int error;

	hits->hit.number = ++collector->result->hits;
	hits->hit.overlapped = hits->overlapped;
	collector->result->overlapped += hits->overlapped;
	hits->overlapped = 0;
	error = collector_snapshot(collector, last);
	if (!error)
		error = add_record(collector);
	hits->is_pending = false;
	if (hits->timer >= 0)
		close(hits->timer);
	hits->timer = -1;
	return error;
}

int collector_freeze(struct collector *collector)
{
	const struct cpu_rings *rings = collector->cpus.items;
	const struct trace_clock clock = collector_clock(collector);
	bool has_come = false;
	int error;

	for (size_t i = 0; i < collector->cpus.count; i++)
		has_come |= rings[i].ring[RING_HITS].page &&
			    ring_read(&rings[i].ring[RING_HITS]).size;
	if (!has_come || collector->options->after_ns)
		return 0;
	error = event_list_control(&collector->events, collector->trace_spec,
				   PERF_EVENT_IOC_DISABLE, NULL);
	collector->hits.frozen_ns = trace_clock_ns(&clock);
	collector->hits.is_frozen = true;
	return error;
}

int collector_unfreeze(struct collector *collector)
{
	if (!collector->hits.is_frozen)
		return 0;
	collector->hits.is_frozen = false;
	return collector_enable_trace(collector);
}

int collector_keep_hit(struct collector *collector, bool is_time)
{
	const struct collector_options *options = collector->options;
	int error;

	if (!collector->hits.is_pending || (options->after_ns && !is_time))
		return 0;
	error = keep(collector, false);
	if (options->max_hits && collector->result->hits >= options->max_hits &&
	    collector->result->end == COLLECTOR_FAILED)
		collector->result->end = COLLECTOR_HITS_REACHED;
	return error;
}

int collector_keep_last(struct collector *collector)
{
	int error = collector_drain(collector);

	if (error)
		return error;
	error = collector->hits.is_pending ?
			keep(collector, true) :
			collector_snapshot(collector, true);
	collector->result->overlapped += collector->hits.overlapped;
	collector->result->triggers = collector->triggers.triggers.count;
	collector->result->missed =
		collector->triggers.has_probes ? probe_events_missed() : 0;
	return error;
}
