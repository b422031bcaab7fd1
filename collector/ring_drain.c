/* SPDX-License-Identifier: MIT */
#include "collector/ring_drain.h"
#include "collector/function_graph/function_graph.h"
#include "collector/hit_wait.h"
#include "collector/recording_output.h"
#include "collector/recording_setup.h"
#include "collector/records/loss_record.h"
#include "common/error.h"

/* To examine a program's file takes as long as a small trace buffer takes to
 * fill, so that is left out where only the kernel is recorded: there the file is
 * used for names of the callers of system calls alone.
 */
static bool watches_programs(const struct ring_drain *drain)
{
	const struct collector_options *options = drain->setup->options;

	return options->user || options->user_stack_bytes;
}

static int drain_ring(struct ring_drain *drain, struct cpu_rings *rings,
		      enum event_ring kind)
{
	struct ring *ring = &rings->ring[kind];
	uint64_t truncated = drain->counts.truncated;
	struct ring_bytes bytes;
	int error;

	if (!ring->page)
		return 0;
	bytes = ring_read(ring);
	if (!bytes.size)
		return 0;
	record_watch(&bytes, &drain->counts,
		     kind == RING_CODE || kind == RING_PATCHES ?
			     drain->output->loaded :
			     NULL,
		     watches_programs(drain) ? drain->output->programs : NULL);
	rings->stopped |= drain->counts.truncated != truncated;
	if (kind == RING_HITS)
		hit_wait_take_records(drain->hits, &bytes);
	error = recording_writer_add_ring(drain->output->writer, &bytes);
	ring_release(ring, &bytes);
	return error;
}

/* Adds a loss record. The kernel stops a trace without a record when it reaches
 * the end of the space that was free at the start (perf_aux_output_begin() in
 * kernel/events/ring_buffer.c, which reserves a byte).
 */
static int tell_full(struct ring_drain *drain, struct cpu_rings *rings)
{
	const struct event *event = event_list_find(&drain->setup->events.list,
						    drain->setup->trace_spec,
						    rings->cpu);
	struct byte_buffer record = { 0 };

	drain->counts.truncated++;
	rings->stopped = true;
	loss_record_add(
		&record, event, aux_ring_head(&rings->aux),
		drain->setup->tracer->now_ns(rings->ring[RING_TRACE].page));
	return recording_output_add(drain->output, &record);
}

static int drain_trace(struct ring_drain *drain, uint32_t index,
		       struct cpu_rings *rings)
{
	struct ring_bytes bytes;
	int error;

	if (!rings->aux.bytes || rings->overwrite)
		return 0;
	bytes = aux_ring_read(&rings->aux);
	if (!bytes.size)
		return 0;
	error = recording_writer_add_trace(drain->output->writer, index,
					   rings->cpu, -1, &bytes);
	if (!error && !rings->stopped && aux_ring_is_full(&rings->aux))
		error = tell_full(drain, rings);
	aux_ring_release(&rings->aux, &bytes);
	return error;
}

int ring_drain_late_records(struct ring_drain *drain)
{
	struct byte_buffer records = { 0 };

	if (!drain->output->loaded)
		return 0;
	loaded_code_flush(drain->output->loaded);
	loaded_code_records(drain->output->loaded, &records);
	return recording_output_add(drain->output, &records);
}

int ring_drain_all(struct ring_drain *drain)
{
	struct cpu_rings *rings = drain->setup->events.cpus.items;

	for (size_t i = 0; i < drain->setup->events.cpus.count; i++) {
		int error = 0;

		for (int kind = 0; kind < RING_COUNT && !error; kind++)
			error = drain_ring(drain, &rings[i],
					   (enum event_ring)kind);
		if (!error)
			error = drain_trace(drain, (uint32_t)i, &rings[i]);
		if (error)
			return error;
	}
	if (ring_drain_late_records(drain))
		return -ERROR_SYSTEM;
	if (drain->setup->graph && !drain->setup->options->snapshot &&
	    function_graph_drain(drain->setup->graph, false))
		return -ERROR_SYSTEM;
	return recording_writer_end_round(drain->output->writer);
}

/* The kernel stops a trace without room, and does not restart it by itself. */
int ring_drain_resume(struct ring_drain *drain)
{
	struct cpu_rings *rings = drain->setup->events.cpus.items;

	for (size_t i = 0; i < drain->setup->events.cpus.count; i++) {
		if (!rings[i].stopped)
			continue;
		rings[i].stopped = false;
		if (event_list_restart_cpu(&drain->setup->events.list,
					   drain->setup->trace_spec,
					   rings[i].cpu))
			return -ERROR_SYSTEM;
	}
	return 0;
}
