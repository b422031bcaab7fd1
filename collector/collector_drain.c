/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/records/loaded_code.h"
#include "collector/records/loss_record.h"
#include "collector/writer/recording_writer.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

static int drain_ring(struct collector *collector, struct cpu_rings *rings,
		      enum event_ring kind)
{
	struct ring *ring = &rings->ring[kind];
	uint64_t truncated = collector->counts.truncated;
	struct ring_bytes bytes;
	int error;

	if (!ring->page)
		return 0;
	bytes = ring_read(ring);
	if (!bytes.size)
		return 0;
	record_watch(&bytes, &collector->counts,
		     kind == RING_CODE ? collector->loaded : NULL);
	rings->stopped |= collector->counts.truncated != truncated;
	if (kind == RING_HITS)
		hit_wait_take_records(&collector->hits, &bytes);
	error = recording_writer_add_ring(collector->writer, &bytes);
	ring_release(ring, &bytes);
	return error;
}

/* The kernel stops a trace without a word when it comes to the end of what was
 * free then (perf_aux_output_begin() in kernel/events/ring_buffer.c, which
 * keeps a byte): says what it says of other losses.
 */
static int tell_full(struct collector *collector, struct cpu_rings *rings)
{
	const struct event *event = event_list_find(
		&collector->events, collector->trace_spec, rings->cpu);
	struct byte_buffer record = { 0 };
	int error;

	collector->counts.truncated++;
	rings->stopped = true;
	loss_record_add(
		&record, event, aux_ring_head(&rings->aux),
		collector->tracer->now_ns(rings->ring[RING_TRACE].page));
	error = recording_writer_add(collector->writer, &record);
	byte_buffer_free(&record);
	return error;
}

static int drain_trace(struct collector *collector, uint32_t index,
		       struct cpu_rings *rings)
{
	struct ring_bytes bytes;
	int error;

	if (!rings->aux.bytes || rings->overwrite)
		return 0;
	bytes = aux_ring_read(&rings->aux);
	if (!bytes.size)
		return 0;
	error = recording_writer_add_trace(collector->writer, index, rings->cpu,
					   -1, &bytes);
	if (!error && !rings->stopped && aux_ring_is_full(&rings->aux))
		error = tell_full(collector, rings);
	aux_ring_release(&rings->aux, &bytes);
	return error;
}

static int drain_late_records(struct collector *collector)
{
	struct byte_buffer records = { 0 };
	int error;

	if (!collector->loaded)
		return 0;
	loaded_code_records(collector->loaded, &records);
	error = recording_writer_add(collector->writer, &records);
	byte_buffer_free(&records);
	return error;
}

int collector_drain(struct collector *collector)
{
	struct cpu_rings *rings = collector->cpus.items;

	for (size_t i = 0; i < collector->cpus.count; i++) {
		int error = 0;

		for (int kind = 0; kind < RING_COUNT && !error; kind++)
			error = drain_ring(collector, &rings[i],
					   (enum event_ring)kind);
		if (!error)
			error = drain_trace(collector, (uint32_t)i, &rings[i]);
		if (error)
			return error;
	}
	if (drain_late_records(collector))
		return -ERROR_SYSTEM;
	if (collector->graph && !collector->options->snapshot &&
	    function_graph_drain(collector->graph, false))
		return -ERROR_SYSTEM;
	return recording_writer_end_round(collector->writer);
}

/* The kernel stops a trace that has no room; it stays so until asked. */
int collector_resume(struct collector *collector)
{
	struct cpu_rings *rings = collector->cpus.items;

	for (size_t i = 0; i < collector->cpus.count; i++) {
		if (!rings[i].stopped)
			continue;
		rings[i].stopped = false;
		if (event_list_restart_cpu(&collector->events,
					   collector->trace_spec, rings[i].cpu))
			return -ERROR_SYSTEM;
	}
	return 0;
}

static int keep(struct collector *collector, uint32_t index,
		struct cpu_rings *rings)
{
	struct ring_bytes bytes =
		collector->tracer->counts_on ?
			aux_ring_since(&rings->aux, rings->kept) :
			aux_ring_snapshot(&rings->aux);

	rings->kept = aux_ring_head(&rings->aux);
	if (!bytes.size)
		return 0;
	return recording_writer_add_trace(collector->writer, index, rings->cpu,
					  -1, &bytes);
}

/* A trace that a hit paused stays so when it is enabled again, until the event
 * that resumes it comes, once.  The kernel does not add that to a group that is
 * on its CPU already: it is asked for before.  Hits until now had no trace.
 */
int collector_enable_trace(struct collector *collector)
{
	const struct event_list *events = &collector->events;
	const struct trace_clock clock = collector_clock(collector);
	int error = 0;

	if (collector->can_pause)
		error = event_list_control(events, collector->resume_spec,
					   PERF_EVENT_IOC_REFRESH, (void *)1);
	if (!error)
		error = event_list_control(events, collector->trace_spec,
					   PERF_EVENT_IOC_ENABLE, NULL);
	collector->hits.since_ns = trace_clock_ns(&clock);
	return error;
}

int collector_snapshot(struct collector *collector, bool last)
{
	struct cpu_rings *rings = collector->cpus.items;
	const struct event_list *events = &collector->events;
	const struct trace_clock clock = collector_clock(collector);
	int error;

	if (collector->graph) {
		error = function_graph_drain(collector->graph, true);
		collector->result->snapshots += !error;
		return error;
	}
	error = event_list_control(events, collector->trace_spec,
				   PERF_EVENT_IOC_DISABLE, NULL);

	if (!collector->hits.is_frozen)
		collector->hits.frozen_ns = trace_clock_ns(&clock);
	collector->hits.is_frozen = false;
	for (size_t i = 0; i < collector->target.cpus.count && !error; i++) {
		error = keep(collector, (uint32_t)i, &rings[i]);
		if (!error && !last)
			error = cpu_rings_renew_trace(&rings[i]);
	}
	if (!error && !last)
		error = collector_enable_trace(collector);
	collector->result->snapshots += !error;
	return error;
}
