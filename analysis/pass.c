/* SPDX-License-Identifier: MIT */
#include "analysis/pass.h"

#include "analysis/checkpoints.h"
#include "analysis/cpu_pipeline.h"
#include "common/error.h"
#include "common/log.h"
#include "decoder/flow/flow_source.h"
#include "decoder/goroutine_ids.h"
#include "decoder/recording/recording.h"
#include "execution/graph/block_cache.h"
#include "execution/stream/execution_stream.h"
#include "execution/stream/segment_ring.h"
#include "execution/stream/stream_checkpoint.h"
#include "report/steps/call_step.h"
#include "report/steps/event_merge.h"
#include "report/steps/task_stacks.h"
#include "symbolize/events/graph_tasks.h"
#include "symbolize/gate/gate_events.h"
#include "symbolize/gate/gate_marks.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/symbols/variables.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Used if only selected calls were traced: combines one CPU's events with the
 * marks of the recorder's probes.
 */
struct cpu_gate {
	struct probe_marks *marks;
	struct gate_events *events;
};

/* Opens the gate of @cpu, whose pipeline is open. Borrows @pass and @cpu.
 * Returns 0 or -ERROR_MEMORY; the caller closes @gate in either case.
 */
static int cpu_gate_open(struct cpu_gate *gate, const struct pass_input *pass,
			 struct cpu_pipeline *cpu)
{
	struct gate_input input = {
		.next_events = cpu->next,
		.events = cpu->next_ctx,
		.next_mark = probe_marks_next,
	};

	*gate = (struct cpu_gate){
		.marks = probe_marks_open(pass->recording, cpu->cpu),
	};
	input.marks = gate->marks;
	if (gate->marks)
		gate->events = gate_events_new(pass->symbols, &input);
	return gate->events ? 0 : -ERROR_MEMORY;
}

/* Closes @gate, which may be zeroed. */
static void cpu_gate_close(struct cpu_gate *gate)
{
	gate_events_free(gate->events);
	probe_marks_close(gate->marks);
}

/* Bytes of trace to decode before the window, so that functions called there
 * are known to be open at its start.
 */
#define RUN_UP ((uint64_t)2 << 20)

/* A stream is decoded from its start unless at least this many bytes can be
 * skipped: decoding less costs little, and the result is exact.
 */
#define SKIPPED_LEAST ((uint64_t)4 << 20)

static bool may_begin_late(const struct pass_input *pass,
			   const struct step_callback *callback)
{
	const struct recording *recording = pass->recording;

	return pass->window.since_ns && callback->is_done &&
	       !pass->decodes_all && pass->engine == ENGINE_GRAPH &&
	       !recording_is_gated(recording) &&
	       recording_time(recording) == RECORDING_TIME_NANOSECONDS;
}

/* Finds the sync point at which to start decoding stream @index.
 *
 * Returns 1 with *@place, *@at_ns and the running task in @cpu; 0 if the stream
 * must be decoded from its first byte; or a negative enum error.
 */
static int find_stream(const struct pass_input *pass, size_t index,
		       struct cpu_pipeline *cpu,
		       struct stream_checkpoint *place, uint64_t *at_ns)
{
	const struct flow_input input = {
		.recording = pass->recording,
		.stream = recording_stream(pass->recording, index),
		.image = pass->image,
		.log = pass->log,
	};
	struct task_id task = { .pid = cpu->pid, .tid = cpu->tid };
	uint64_t least = pass->uses_points ? 0 : SKIPPED_LEAST;
	int status = stream_start_find(&input, pass->window.since_ns, RUN_UP,
				       place, &task, at_ns);

	if (status <= 0 || place->state.position < least) {
		*place = (struct stream_checkpoint){ 0 };
		return status < 0 ? status : 0;
	}
	cpu->pid = task.pid;
	cpu->tid = task.tid;
	return 1;
}

static void say_start(const struct pass_input *pass, uint64_t first_ns)
{
	log_message(
		pass->log, LOG_NOTE, recording_path(pass->recording),
		LOG_NO_OFFSET,
		"decoded from %.3f ms before the window, not from its start: "
		"the functions open at that time are inferred; run report "
		"without --since once to determine them",
		(double)(pass->window.since_ns - first_ns) / 1e6);
}

/* Finds where to start decoding for the pass's window if there are no
 * checkpoints: at a sync point of each stream, shortly before the window. Where
 * that skips enough trace of a stream, sets its element of @places and the
 * running task in @cpus; other elements of @places are zeroed. Logs a note that
 * the functions open at that point are inferred.
 *
 * Returns 1; 0 if all streams must be decoded from their start; or a negative
 * enum error.
 */
static int window_start_find(const struct pass_input *pass,
			     const struct step_callback *callback,
			     struct cpu_pipeline *cpus,
			     struct stream_checkpoint *places)
{
	size_t count = recording_stream_count(pass->recording);
	uint64_t first_ns = pass->window.since_ns;
	bool has_found = false;

	if (!may_begin_late(pass, callback))
		return 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t at_ns;
		int status = find_stream(pass, i, &cpus[i], &places[i], &at_ns);

		if (status < 0)
			return status;
		if (!status)
			continue;
		has_found = true;
		if (at_ns < first_ns)
			first_ns = at_ns;
	}
	if (has_found)
		say_start(pass, first_ns);
	return has_found;
}

/* How far one CPU's events may run ahead of the others' if their order is not
 * used: much longer than a batch of events, but short, because all CPUs must
 * reach the same time at each checkpoint and at the end of a window.
 */
enum { RUN_AHEAD_NS = 1000 * 1000 };

/* State of one run. */
struct pipeline {
	const struct pass_input *pass;
	struct step_callback *callback;
	struct checkpoints *checkpoints; /* NULL: none */
	uint64_t preempt_counter;	 /* see flow_input */
	size_t count;			 /* number of streams */
	struct cpu_pipeline *cpus;
	struct stream_checkpoint *places; /* where the streams start */
	/* places is set; otherwise each stream starts at its first byte */
	bool has_places;
	struct block_cache *blocks; /* of all streams; NULL: none */
	struct task_stacks *stacks;
	struct event_merge *merge;
	struct cpu_gate *gates;	   /* per stream; empty: no gated trace */
	struct graph_tasks *graph; /* NULL: not a function_graph trace */
	struct goroutine_ids *goroutines; /* NULL: not recorded */
};

/* Returns whether the callback needs no more events; @time_ns is the time of
 * the last one.
 */
static bool is_done(const struct pass_input *pass,
		    const struct step_callback *callback,
		    const struct event_merge *merge, uint64_t time_ns)
{
	if (!callback->is_done || pass->decodes_all)
		return false;
	return callback->is_done(callback, time_ns < pass->done_ns ?
						   0 :
						   event_merge_time(merge));
}

/* Sends all merged events through the stacks to the callback. */
static int consume_all(struct pipeline *pipeline)
{
	const struct pass_input *pass = pipeline->pass;
	bool keeps = checkpoints_are_kept(pipeline->checkpoints);
	struct applied_run run;
	int status;

	while ((status = task_stacks_advance(pipeline->stacks, pipeline->merge,
					     &run)) > 0) {
		if (pass->progress)
			pass->progress(pass->progress_ctx, run.first_ns);
		if (is_done(pass, pipeline->callback, pipeline->merge,
			    run.last_ns)) {
			task_stacks_stop(pipeline->stacks);
			return 0;
		}
		if (keeps)
			checkpoints_pass(pipeline->checkpoints,
					 pipeline->stacks, pipeline->cpus,
					 pipeline->merge, run.last_kind);
	}
	if (!status && keeps)
		checkpoints_finish(pipeline->checkpoints);
	return status;
}

/* Creates the stacks, with all CPUs in their initial state. */
static int make_stacks(struct pipeline *pipeline)
{
	int status = 0;

	pipeline->stacks =
		task_stacks_new(pipeline->pass->window, pipeline->callback);
	if (!pipeline->stacks)
		return -ERROR_MEMORY;
	task_stacks_set_functions(pipeline->stacks,
				  symbols_functions(pipeline->pass->symbols));
	task_stacks_set_goroutines(pipeline->stacks, pipeline->goroutines);
	for (size_t i = 0; i < pipeline->count && status >= 0; i++) {
		const struct cpu_pipeline *cpu = &pipeline->cpus[i];

		status = task_stacks_add_cpu(pipeline->stacks, cpu->cpu,
					     cpu->pid, cpu->tid);
	}
	return status < 0 ? status : 0;
}

/* Without checkpoints, lets decoding start at sync points near the window,
 * unless the callback depends on earlier call events. A pass that starts there
 * writes no checkpoints, because it does not see the whole trace.
 */
static int find_start(struct pipeline *pipeline)
{
	int status = 0;

	if (!checkpoints_are_there(pipeline->checkpoints) &&
	    !pipeline->callback->needs_begin)
		status = window_start_find(pipeline->pass, pipeline->callback,
					   pipeline->cpus, pipeline->places);
	if (status <= 0)
		return status;
	pipeline->has_places = true;
	checkpoints_close(pipeline->checkpoints);
	pipeline->checkpoints = NULL;
	return 0;
}

/* Resumes from a checkpoint, if there is a valid one with the state that the
 * callback needs. A callback that wants interrupts needs all earlier events.
 */
static int load_checkpoint(struct pipeline *pipeline)
{
	const struct step_callback *callback = pipeline->callback;
	int status;

	if (!pipeline->checkpoints || callback->wants_interrupts ||
	    (callback->needs_begin && !callback->pack))
		return 0;
	status = checkpoints_load(pipeline->checkpoints, pipeline->stacks,
				  pipeline->places);
	if (status == -ERROR_FORMAT) {
		task_stacks_free(pipeline->stacks);
		return make_stacks(pipeline);
	}
	pipeline->has_places = status > 0;
	if (pipeline->has_places && (!callback->pack || callback->open))
		task_stacks_emit_open(pipeline->stacks);
	return status < 0 ? status : 0;
}

/* For a function_graph trace, creates the table of tasks that the streams of
 * all CPUs share.
 */
static int open_tasks(struct pipeline *pipeline)
{
	const struct pass_input *pass = pipeline->pass;

	if (recording_trace(pass->recording) != RECORDING_TRACE_FUNCTION_GRAPH)
		return 0;
	pipeline->graph = graph_tasks_new(pass->recording, pass->symbols);
	for (size_t i = 0; i < pipeline->count; i++)
		pipeline->cpus[i].tasks = pipeline->graph;
	return pipeline->graph ? 0 : -ERROR_MEMORY;
}

static int open_cpu(struct pipeline *pipeline, size_t index)
{
	struct cpu_pipeline *cpu = &pipeline->cpus[index];
	struct cpu_gate *gate = &pipeline->gates[index];
	bool is_gated = recording_is_gated(pipeline->pass->recording);
	bool is_kept = checkpoints_are_kept(pipeline->checkpoints);
	int status;

	/* Checkpoints that this pass writes must suit all commands, so its
	 * events need time bounds.
	 */
	cpu->without_bounds = pipeline->callback->ignores_bounds && !is_gated &&
			      !is_kept;
	cpu->with_interrupts = pipeline->callback->wants_interrupts;
	cpu->preempt_counter = pipeline->preempt_counter;
	cpu->blocks = pipeline->blocks;
	status = cpu_pipeline_open(
		cpu, pipeline->pass, index,
		pipeline->has_places ? &pipeline->places[index] : NULL);
	if (status < 0)
		return status;
	if (is_kept)
		execution_stream_keep(cpu->execution);
	if (!is_gated)
		return event_merge_add(pipeline->merge, cpu->next,
				       cpu->next_ctx, cpu->execution);
	if (cpu_gate_open(gate, pipeline->pass, cpu))
		return -ERROR_MEMORY;
	return event_merge_add(pipeline->merge, gate_events_next, gate->events,
			       false);
}

/* Opens the streams. If the pass ends soon after its start, the calling thread
 * decodes it alone: other threads would decode events in advance that are not
 * needed.
 */
static int open_cpus(struct pipeline *pipeline)
{
	const struct jobs *jobs = pipeline->pass->jobs;
	uint64_t bytes = checkpoints_bytes_to_end(pipeline->checkpoints,
						  pipeline->places);
	bool has_threads = jobs && jobs_are_worth_it(jobs, bytes);
	int status = 0;

	/* Without this cache, also for lack of memory, each graph reads all
	 * blocks itself. A recording of the kernel's function tracer has no
	 * code.
	 */
	if (pipeline->pass->image && (pipeline->count > 1 || has_threads))
		pipeline->blocks = block_cache_new(pipeline->pass->image);

	for (size_t i = 0; !status && i < pipeline->count; i++) {
		pipeline->cpus[i].is_short = jobs && !has_threads;
		status = open_cpu(pipeline, i);
	}
	return status;
}

/* Runs all stages: recording -> flow -> function events -> call events ->
 * callback, all CPUs merged.
 */
static int run(struct pipeline *pipeline)
{
	size_t count = pipeline->count;
	int status = 0;

	pipeline->cpus = calloc(count, sizeof(*pipeline->cpus));
	pipeline->places = calloc(count, sizeof(*pipeline->places));
	pipeline->gates = calloc(count, sizeof(*pipeline->gates));
	if (!pipeline->cpus || !pipeline->places || !pipeline->gates)
		return -ERROR_MEMORY;
	for (size_t i = 0; !status && i < count; i++)
		status = cpu_pipeline_find_task(&pipeline->cpus[i],
						pipeline->pass, i);
	if (!status)
		status = open_tasks(pipeline);
	if (!status)
		status = find_start(pipeline);
	if (!status)
		status = make_stacks(pipeline);
	if (!status)
		status = load_checkpoint(pipeline);
	if (status < 0)
		return status;
	pipeline->merge = event_merge_new(task_stacks_holds, pipeline->stacks);
	if (!pipeline->merge)
		return -ERROR_MEMORY;
	if (pipeline->callback->ignores_cpu_order)
		event_merge_run_ahead(pipeline->merge, RUN_AHEAD_NS);
	status = open_cpus(pipeline);
	if (!status)
		status = consume_all(pipeline);
	if (!status)
		task_stacks_close(pipeline->stacks);
	return status;
}

static void close_parts(struct pipeline *pipeline)
{
	event_merge_free(pipeline->merge);
	for (size_t i = 0; pipeline->cpus && i < pipeline->count; i++)
		cpu_pipeline_close(&pipeline->cpus[i]);
	for (size_t i = 0; pipeline->gates && i < pipeline->count; i++)
		cpu_gate_close(&pipeline->gates[i]);
	free(pipeline->gates);
	graph_tasks_free(pipeline->graph);
	goroutine_ids_free(pipeline->goroutines);
	block_cache_free(pipeline->blocks);
	free(pipeline->cpus);
	free(pipeline->places);
	checkpoints_close(pipeline->checkpoints);
}

int pass_run(const struct pass_input *pass, struct step_callback *callback,
	     struct task_stacks **stacks)
{
	struct pipeline pipeline = {
		.pass = pass,
		.callback = callback,
		.count = recording_stream_count(pass->recording),
	};
	int status;

	assert(pass->engine != ENGINE_DEFAULT);
	pipeline.checkpoints = checkpoints_open(pass, callback);
	if (callback->wants_interrupts)
		pipeline.preempt_counter =
			kernel_preempt_counter(pass->recording);
	status = goroutine_ids_read(pass->recording, &pipeline.goroutines);
	if (!status)
		status = run(&pipeline);
	close_parts(&pipeline);
	*stacks = pipeline.stacks;
	if (status >= 0)
		return 0;
	task_stacks_free(pipeline.stacks);
	*stacks = NULL;
	return status;
}
