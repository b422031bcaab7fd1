/* SPDX-License-Identifier: MIT */
#include "collector/collector.h"
#include "collector/collector_parts.h"
#include "collector/events/away_cpus.h"
#include "collector/graph_recording.h"
#include "collector/kernel_code/kernel_changes.h"
#include "collector/records/loaded_code.h"
#include "collector/records/loss_record.h"
#include "collector/writer/recording_writer.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char no_unit[] =
	"this machine has no trace unit that Linux knows of";
static const char no_unit_fix[] = "`ktrace-hw doctor` says more";

const char *collector_refusal(enum collector_source source, const char **fix)
{
	struct pmu pmu;

	if (source == SOURCE_FUNCTION_GRAPH)
		return graph_instance_refusal(fix);
	*fix = no_unit_fix;
	return tracer_find(PMU_DEVICES, &pmu) ? NULL : no_unit;
}

static int find_tracer(struct collector *collector)
{
	collector->tracer = collector_has_graph(collector) ?
				    &function_graph_tracer :
				    tracer_find(PMU_DEVICES, &collector->pmu);
	if (collector->tracer)
		return 0;
	log_message(collector->log, LOG_ERROR, NULL, LOG_NO_OFFSET, "%s: %s",
		    no_unit, no_unit_fix);
	return -ERROR_NOT_FOUND;
}

static int prepare_command(struct collector *collector)
{
	int error = workload_prepare(&collector->workload,
				     collector->options->command);

	if (error) {
		log_message(collector->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "cannot fork: %s", strerror(errno));
		return error;
	}
	return collector->target.whole_cpus ?
		       0 :
		       target_add_thread(&collector->target,
					 collector->workload.pid);
}

static int choose_target(struct collector *collector)
{
	const struct collector_options *options = collector->options;
	int error = target_add_cpus(&collector->target, options->cpus,
				    collector->log);

	collector->target.whole_cpus =
		options->whole_cpus ||
		(options->cpus && !options->process_count);
	for (size_t i = 0; i < options->process_count && !error; i++)
		error = target_add_process(&collector->target,
					   options->processes[i],
					   collector->log);
	if (!error && options->command)
		error = prepare_command(collector);
	return error;
}

/* What starts disabled and waits for no exec: the tracepoints, since what the
 * recorder does before would only fill their rings, and at last the trace, the
 * first spec: all that it shows has its events.
 */
static int enable_events(const struct event_list *events)
{
	const struct event_spec *specs = events->specs.items;
	int error = 0;

	for (size_t i = events->specs.count; i-- > 0 && !error;)
		if (specs[i].attr.disabled && !specs[i].attr.enable_on_exec &&
		    !specs[i].on_demand)
			error = event_list_control(events, i,
						   PERF_EVENT_IOC_ENABLE, NULL);
	return error;
}

/* What the clock was is written at once: a recorder may be killed. */
static int note_begin(struct collector *collector)
{
	const struct trace_clock trace_clock = collector_clock(collector);
	struct clock_readings *clock = &collector->clock;

	collector->begin_ns = monotonic_ns();
	trace_clock_read(&trace_clock, &clock->begin);
	collector->result->was_activated = clock->activate_ns &&
					   clock->begin.is_known;
	collector->result->late_ns =
		clock->begin.realtime_ns - clock->activate_ns;
	return trace_clock_save(collector->options->folder, clock,
				collector->log);
}

static int start(struct collector *collector)
{
	const struct collector_options *options = collector->options;
	const struct trace_clock clock = collector_clock(collector);
	int error;

	/* Not permitted: small buffers may overflow, which is then said. */
	priority_raise(&collector->priority);
	error = collector_activate(collector);
	if (error || collector->result->end == COLLECTOR_NOT_BEGUN)
		return error;
	if (options->duration_ns)
		collector->timer = timer_open(options->duration_ns);
	if (options->duration_ns && collector->timer < 0)
		return -ERROR_SYSTEM;
	error = note_begin(collector);
	if (error)
		return error;
	collector->hits.has_begun = true;
	error = collector_mark_gate(collector, GATE_FIRST);
	if (!error)
		error = enable_events(&collector->events);
	if (!error && collector->graph)
		error = function_graph_start(collector->graph);
	/* What connects from now on, events tell. */
	if (!error)
		error = collector_list_sockets(collector);
	collector->hits.since_ns = trace_clock_ns(&clock);
	if (error || !options->command)
		return error;
	collector->result->exec_errno = workload_start(&collector->workload);
	if (collector->result->exec_errno)
		collector->result->end = COLLECTOR_NOT_EXECUTED;
	return 0;
}

/* The events are still open: closing them patches the kernel, too.  What
 * cannot be compared has been said, and the recording is good without.
 */
static void look_for_changes(const struct collector *collector)
{
	char path[4096];

	if (!collector->tracer->patch_functions)
		return;
	snprintf(path, sizeof(path), "%s/kcore_dir",
		 collector->options->folder);
	kernel_changes_write(&collector->kernel, path, collector->log);
}

/* What ran there since is missing, records of all kinds and trace. */
static int tell_away(struct collector *collector, const struct away_cpu *away)
{
	const struct event_list *events = &collector->events;
	const struct event *trace =
		event_list_find(events, collector->trace_spec, away->cpu);
	const struct event *switches =
		event_list_find(events, collector->switch_spec, away->cpu);
	const struct cpu_rings *rings = collector_rings(collector, away->cpu);
	uint64_t now = collector->tracer->now_ns(rings->ring[RING_TRACE].page);
	struct byte_buffer records = { 0 };
	int error;

	log_message(collector->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "CPU %d was switched off %.3f s before the end; what ran "
		    "there since is not recorded, even if it was switched on "
		    "again",
		    away->cpu, (double)away->missing_ns / 1e9);
	loss_record_add_records(&records, switches, 1, now);
	loss_record_add(&records, trace, aux_ring_head(&rings->aux), now);
	error = recording_writer_add(collector->writer, &records);
	byte_buffer_free(&records);
	return error;
}

static int tell_all_away(struct collector *collector)
{
	struct array away = ARRAY_OF(struct away_cpu);
	int error;

	if (!collector->target.whole_cpus)
		return 0;
	error = away_cpus_find(&collector->events, collector->switch_spec,
			       &away);
	for (size_t i = 0; i < away.count && !error; i++)
		error = tell_away(collector, array_at(&away, i));
	collector->result->away_cpus = (unsigned int)away.count;
	array_free(&away);
	return error;
}

/* The trace unit writes the last of its buffer when it is disabled. */
static int finish(struct collector *collector)
{
	const struct trace_clock clock = collector_clock(collector);
	int error;

	if (collector->graph)
		error = graph_recording_finish(collector->graph,
					       &collector->counts.truncated);
	else if (collector->options->snapshot)
		error = collector_keep_last(collector);
	else
		error = event_list_control(&collector->events,
					   collector->trace_spec,
					   PERF_EVENT_IOC_DISABLE, NULL);
	collector->result->length_ns = monotonic_ns() - collector->begin_ns;
	trace_clock_read(&clock, &collector->clock.end);
	if (!error)
		error = collector_mark_gate(collector, GATE_LAST);
	if (!error)
		error = collector_drain(collector);
	if (!error)
		error = tell_all_away(collector);
	/* What follows takes long, and no buffer waits for it any more. */
	priority_restore(&collector->priority);
	if (!error && collector->loaded)
		loaded_code_names(collector->loaded);
	look_for_changes(collector);
	if (!error)
		error = collector_list_cgroups(collector, "cgroups_end");
	if (!error)
		error = trace_clock_save(collector->options->folder,
					 &collector->clock, collector->log);
	return error ? error : recording_writer_finish(collector->writer);
}

static int record(struct collector *collector)
{
	int error = find_tracer(collector);

	if (!error)
		error = choose_target(collector);
	if (!error)
		error = collector_open_events(collector);
	if (!error)
		error = collector_begin(collector);
	if (!error)
		error = start(collector);
	if (collector->result->end == COLLECTOR_NOT_BEGUN)
		return error;
	if (!error)
		error = collector_loop(collector);
	return collector->writer && !error ? finish(collector) : error;
}

static void sum_up(struct collector *collector)
{
	struct collector_result *result = collector->result;

	if (!collector->writer)
		return;
	/* It could not go on to its end. */
	if (collector->begin_ns && !result->length_ns)
		result->length_ns = monotonic_ns() - collector->begin_ns;
	result->trace_bytes = recording_writer_trace_bytes(collector->writer);
	result->file_bytes = recording_writer_bytes(collector->writer);
	if (collector->graph) {
		result->trace_bytes = function_graph_bytes(collector->graph);
		result->file_bytes += result->trace_bytes;
	}
	result->lost_records = collector->counts.lost_records;
	result->truncated = collector->counts.truncated;
}

static void release(struct collector *collector)
{
	struct cpu_rings *rings = collector->cpus.items;

	function_graph_close(collector->graph);
	loaded_code_close(collector->loaded);
	recording_writer_free(collector->writer);
	for (size_t i = 0; i < collector->cpus.count; i++)
		cpu_rings_free(&rings[i]);
	array_free(&collector->cpus);
	event_list_free(&collector->events);
	trigger_set_free(&collector->triggers);
	gate_free(&collector->gate);
	process_watch_free(&collector->processes);
	socket_list_close(&collector->sockets);
	kernel_copy_free(&collector->kernel);
	byte_buffer_free(&collector->filter);
	target_free(&collector->target);
	workload_abandon(&collector->workload);
	signal_source_close(&collector->signals);
	if (collector->timer >= 0)
		close(collector->timer);
	if (collector->hits.timer >= 0)
		close(collector->hits.timer);
}

int collector_run(const struct collector_options *options,
		  const struct log *log, struct collector_result *result)
{
	struct collector collector = {
		.options = options,
		.log = log,
		.result = result,
		.target = target_new(),
		.events = event_list_new(),
		.cpus = ARRAY_OF(struct cpu_rings),
		.workload = { .pid = -1, .go = -1, .failure = -1 },
		.timer = -1,
		.triggers = trigger_set_new(),
		.gate = gate_new(),
		.processes = PROCESS_WATCH_EMPTY,
		.hits = { .timer = -1, .after_ns = options->after_ns },
		.sockets = SOCKET_LIST_NONE,
	};
	int error;

	collector.hits.events = &collector.events;
	collector.hits.triggers = &collector.triggers;
	*result = (struct collector_result){ .end = COLLECTOR_FAILED };
	error = signal_source_open(&collector.signals);
	if (!error)
		error = record(&collector);
	if (error)
		result->end = COLLECTOR_FAILED;
	/* Where an error kept it from finishing. */
	priority_restore(&collector.priority);
	sum_up(&collector);
	collector_wait_for_command(&collector);
	release(&collector);
	return error;
}
