/* SPDX-License-Identifier: MIT */
#include "collector/collector.h"
#include "collector/call_data/call_data.h"
#include "collector/chosen_calls_internal.h"
#include "collector/function_graph/function_graph.h"
#include "collector/generated_code_internal.h"
#include "collector/hit_keeper_internal.h"
#include "collector/late_cpus_internal.h"
#include "collector/recording_loop_internal.h"
#include "collector/recording_output_internal.h"
#include "collector/recording_setup_internal.h"
#include "collector/target/process_control.h"
#include "collector/trigger/probe_events.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char no_unit[] =
	"this machine has no trace unit that Linux supports";
static const char no_unit_fix[] = "see `ktrace-hw doctor`";

const char *collector_refusal(enum collector_source source, const char **fix)
{
	struct pmu pmu;

	if (source == SOURCE_FUNCTION_GRAPH)
		return graph_instance_refusal(fix);
	*fix = no_unit_fix;
	return tracer_find(PMU_DEVICES, &pmu) ? NULL : no_unit;
}

/* The parts of a recording. Each part refers to those before it. */
struct collector {
	struct collector_result *result;
	struct recording_setup setup;
	struct recording_output output;
	struct ring_drain drain;
	struct hit_keeper keeper;
	struct chosen_calls calls;
	struct call_data_recorder call_data;
	struct generated_code *generated; /* NULL: not copied */
	struct recording_loop loop;
	struct priority priority;
	uint64_t begin_ns; /* start of tracing, CLOCK_MONOTONIC */
	struct clock_readings clock;
};

static int find_tracer(struct collector *collector)
{
	collector->setup.tracer =
		recording_setup_has_graph(&collector->setup) ?
			&function_graph_tracer :
			tracer_find(PMU_DEVICES, &collector->setup.pmu);
	if (collector->setup.tracer)
		return 0;
	log_message(collector->setup.log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "%s: %s", no_unit, no_unit_fix);
	return -ERROR_NOT_FOUND;
}

static int prepare_command(struct collector *collector)
{
	int error = workload_prepare(&collector->loop.workload,
				     collector->setup.options->command);

	collector->setup.command = collector->loop.workload.pid;
	if (error) {
		log_message(collector->setup.log, LOG_ERROR, NULL,
			    LOG_NO_OFFSET, "cannot fork: %s", strerror(errno));
		return error;
	}
	return collector->setup.target.whole_cpus ?
		       0 :
		       target_add_thread(&collector->setup.target,
					 collector->loop.workload.pid);
}

static int choose_target(struct collector *collector)
{
	const struct collector_options *options = collector->setup.options;
	int error = target_add_cpus(&collector->setup.target, options->cpus,
				    collector->setup.log);

	collector->setup.target.whole_cpus =
		options->whole_cpus ||
		(options->cpus && !options->process_count);
	for (size_t i = 0; i < options->process_count && !error; i++)
		error = target_add_process(&collector->setup.target,
					   options->processes[i],
					   collector->setup.log);
	if (!error && options->command)
		error = prepare_command(collector);
	return error;
}

/* Writes the clock readings immediately, as the recorder may be killed. */
static int note_begin(struct collector *collector)
{
	const struct trace_clock trace_clock =
		recording_setup_clock(&collector->setup);
	struct clock_readings *clock = &collector->clock;

	collector->begin_ns = monotonic_ns();
	trace_clock_read(&trace_clock, &clock->begin);
	collector->result->was_activated = clock->activate_ns &&
					   clock->begin.is_known;
	return trace_clock_save(collector->setup.options->folder, clock,
				collector->setup.log);
}

static int start(struct collector *collector)
{
	const struct collector_options *options = collector->setup.options;
	const struct trace_clock clock =
		recording_setup_clock(&collector->setup);
	int error;

	/* Without permission for a higher priority, small buffers may overflow;
	 * overflows are reported.
	 */
	priority_raise(&collector->priority);
	error = recording_loop_activate(&collector->loop,
					&collector->clock.activate_ns);
	if (error || collector->result->end == COLLECTOR_NOT_BEGUN)
		return error;
	if (options->duration_ns)
		collector->loop.timer = timer_open(options->duration_ns);
	if (options->duration_ns && collector->loop.timer < 0)
		return -ERROR_SYSTEM;
	error = ring_drain_start_writers(&collector->drain, 0);
	if (!error)
		error = note_begin(collector);
	if (error)
		return error;
	collector->keeper.hits.has_begun = true;
	error = chosen_calls_mark(&collector->calls, GATE_FIRST);
	if (!error)
		error = event_list_enable(&collector->setup.events.list);
	if (!error && collector->setup.wide)
		event_list_note_lateness(&collector->setup.events.list,
					 collector->setup.switch_spec);
	if (!error && collector->setup.graph)
		error = function_graph_start(collector->setup.graph);
	/* On a busy machine it takes a while until all events are active on all
	 * CPUs.
	 */
	collector->result->late_ns =
		realtime_ns() - collector->clock.activate_ns;
	/* Later connections are reported by events. */
	if (!error)
		error = recording_output_list_sockets(&collector->output);
	collector->keeper.hits.since_ns = trace_clock_ns(&clock);
	if (error || !options->command)
		return error;
	collector->result->exec_errno =
		workload_start(&collector->loop.workload);
	if (collector->result->exec_errno)
		collector->result->end = COLLECTOR_NOT_EXECUTED;
	return 0;
}

/* Starts to copy generated code if user space is traced or its stacks are
 * recorded. Without a clock that the recorder can read, copies would have no
 * times, so none are made.
 */
static void start_generated_code(struct collector *collector)
{
	const struct collector_options *options = collector->setup.options;
	const struct trace_clock clock =
		recording_setup_clock(&collector->setup);

	if ((options->user || options->user_stack_bytes) &&
	    trace_clock_ns(&clock))
		collector->generated = generated_code_start(
			&collector->setup.target, &clock, options->folder,
			collector->setup.log);
}

static int finish_code(struct collector *collector)
{
	struct loaded_code *loaded = collector->output.loaded;

	loaded_code_finish(loaded);
	loaded_code_names(loaded);
	collector->result->lost_code = loaded_code_lost(loaded);
	collector->result->late_code = loaded_code_late(loaded);
	return ring_drain_late_records(&collector->drain);
}

/* Ends the recording. Disables the trace first, because the trace unit then
 * writes the rest of its buffer.
 */
static int finish(struct collector *collector)
{
	const struct trace_clock clock =
		recording_setup_clock(&collector->setup);
	int error;

	if (collector->setup.graph)
		error = graph_recording_finish(
			collector->setup.graph,
			&collector->drain.counts.truncated);
	else if (collector->setup.options->snapshot)
		error = hit_keeper_keep_last(&collector->keeper);
	else
		error = event_list_control(&collector->setup.events.list,
					   collector->setup.trace_spec,
					   PERF_EVENT_IOC_DISABLE, NULL);
	collector->result->length_ns = monotonic_ns() - collector->begin_ns;
	trace_clock_read(&clock, &collector->clock.end);
	generated_code_end(collector->generated);
	collector->generated = NULL;
	if (!error)
		error = chosen_calls_mark(&collector->calls, GATE_LAST);
	if (!error)
		error = ring_drain_end_writers(&collector->drain);
	if (!error)
		error = ring_drain_all(&collector->drain);
	if (!error)
		error = late_cpus_finish(&collector->loop.late);
	if (!error)
		error = away_records_add(&collector->output,
					 &collector->result->away_cpus);
	collector->result->away_cpus += collector->loop.late.count;
	if (collector->setup.options->arguments)
		collector->result->missed = probe_events_missed();
	/* The rest takes long, and no buffer has to be drained any more. */
	priority_restore(&collector->priority);
	if (!error)
		error = program_copies_finish(collector->output.programs);
	if (!error && collector->output.loaded)
		error = finish_code(collector);
	recording_output_compare(&collector->output);
	if (!error)
		error = recording_output_list_tasks(&collector->output,
						    "cgroups_end", "cpus_end");
	if (!error)
		error = trace_clock_save(collector->setup.options->folder,
					 &collector->clock,
					 collector->setup.log);
	return error ? error :
		       recording_writer_finish(collector->output.writer);
}

static int open_call_data(struct collector *collector)
{
	const struct collector_options *options = collector->setup.options;
	struct trigger_setup setup =
		recording_setup_triggers(&collector->setup, NULL);
	int error;

	if (!options->call_data)
		return 0;
	if (options->whole_cpus)
		setup.process_count = 0;
	setup.option = "--syscall-data";
	setup.sequel = options->call_data_may_miss ?
			       "; recording continues without it" :
			       "";
	error = call_data_record(&collector->call_data, &setup);
	return error == -ERROR_SYSTEM && options->call_data_may_miss ? 0 :
								       error;
}

/* Opens everything, and writes the recording up to the start of tracing. */
static int set_up(struct collector *collector)
{
	int error = recording_setup_open(&collector->setup);

	if (!error)
		error = chosen_calls_open(&collector->calls);
	if (!error)
		error = open_call_data(collector);
	if (!error)
		error = hit_keeper_arm(&collector->keeper);
	if (!error)
		error = recording_output_begin(&collector->output);
	if (!error)
		error = chosen_calls_begin_streams(&collector->calls);
	if (!error)
		start_generated_code(collector);
	return error ? error : ring_drain_all(&collector->drain);
}

static int record(struct collector *collector)
{
	int error = find_tracer(collector);

	/* Early, as CPUs may come online after the online ones are listed. */
	if (!error)
		collector->loop.late = late_cpus_open(&collector->setup,
						      &collector->output,
						      &collector->drain);
	if (!error)
		error = choose_target(collector);
	if (!error)
		error = set_up(collector);
	if (!error)
		error = start(collector);
	if (collector->result->end == COLLECTOR_NOT_BEGUN)
		return error;
	if (!error)
		error = recording_loop_run(&collector->loop);
	return collector->output.writer && !error ? finish(collector) : error;
}

static void sum_up(struct collector *collector)
{
	struct collector_result *result = collector->result;
	struct recording_size size;

	if (!collector->output.writer)
		return;
	size = recording_output_size(&collector->output);
	/* The recording did not reach its regular end. */
	if (collector->begin_ns && !result->length_ns)
		result->length_ns = monotonic_ns() - collector->begin_ns;
	result->trace_bytes = size.trace_bytes;
	result->file_bytes = size.file_bytes;
	result->lag = collector->drain.lag;
	if (collector->setup.graph) {
		result->trace_bytes =
			function_graph_bytes(collector->setup.graph);
		result->file_bytes += result->trace_bytes;
	}
	result->lost_records = collector->drain.counts.lost_records;
	result->truncated = collector->drain.counts.truncated;
	result->full_parts = collector->drain.counts.full_parts;
}

/* Frees everything. Events are closed before triggers are disarmed. */
static void release(struct collector *collector)
{
	generated_code_end(collector->generated);
	function_graph_close(collector->setup.graph);
	recording_output_free(&collector->output);
	event_rings_free(&collector->setup.events);
	hit_keeper_free(&collector->keeper);
	gate_free(&collector->calls.gate);
	call_data_recorder_free(&collector->call_data);
	if (collector->setup.options->arguments ||
	    collector->setup.options->goroutines)
		probe_events_remove();
	target_free(&collector->setup.target);
	workload_abandon(&collector->loop.workload);
	signal_source_close(&collector->loop.signals);
	late_cpus_close(&collector->loop.late);
	if (collector->loop.timer >= 0)
		close(collector->loop.timer);
}

/* Sets the pointers between the parts. */
static void connect_parts(struct collector *collector)
{
	struct recording_setup *setup = &collector->setup;
	struct recording_output *output = &collector->output;
	struct ring_drain *drain = &collector->drain;

	setup->events = event_rings_new(
		&setup->target, setup->options->buffer_bytes, setup->log);
	*output = recording_output_new(setup);
	*drain = (struct ring_drain){
		.setup = setup,
		.output = output,
		.hits = &collector->keeper.hits,
	};
	collector->keeper = (struct hit_keeper){
		.setup = setup,
		.output = output,
		.drain = drain,
		.result = collector->result,
	};
	hit_keeper_init(&collector->keeper);
	collector->calls = (struct chosen_calls){
		.setup = setup,
		.output = output,
		.drain = drain,
		.gate = gate_new(),
	};
	collector->call_data = call_data_recorder_new();
	collector->loop = (struct recording_loop){
		.setup = setup,
		.output = output,
		.drain = drain,
		.keeper = &collector->keeper,
		.calls = &collector->calls,
		.result = collector->result,
		.workload = { .pid = -1, .go = -1, .failure = -1 },
		.timer = -1,
		.late = { .fd = -1 },
	};
}

int collector_run(const struct collector_options *options,
		  const struct log *log, struct collector_result *result)
{
	struct collector collector = {
		.result = result,
		.setup = {
			.options = options,
			.log = log,
			.target = target_new(),
			.command = -1,
		},
	};
	int error;

	connect_parts(&collector);
	*result = (struct collector_result){ .end = COLLECTOR_FAILED };
	error = signal_source_open(&collector.loop.signals);
	if (!error)
		error = record(&collector);
	if (error)
		result->end = COLLECTOR_FAILED;
	/* For the case that an error prevented finish(). */
	priority_restore(&collector.priority);
	sum_up(&collector);
	recording_loop_wait_for_command(&collector.loop);
	release(&collector);
	return error;
}
