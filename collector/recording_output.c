/* SPDX-License-Identifier: MIT */
#include "collector/recording_output_internal.h"

#include "collector/bytes/recording_files.h"
#include "collector/function_graph/function_graph.h"
#include "collector/hit_wait_internal.h"
#include "collector/kernel_code/kernel_changes.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/recording_setup_internal.h"
#include "collector/records/record_bytes.h"
#include "collector/records/start_records.h"
#include "collector/trace_unit/address_filter.h"
#include "collector/writer/feature.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

struct recording_output
recording_output_new(const struct recording_setup *setup)
{
	return (struct recording_output){
		.setup = setup,
		.sockets = SOCKET_LIST_NONE,
	};
}

void recording_output_free(struct recording_output *output)
{
	loaded_code_close(output->loaded);
	program_copies_free(output->programs);
	recording_writer_free(output->writer);
	socket_list_close(&output->sockets);
	kernel_copy_free(&output->kernel);
	byte_buffer_free(&output->filter);
}

int recording_output_add(struct recording_output *output,
			 struct byte_buffer *records)
{
	int error = recording_writer_add(output->writer, records);

	byte_buffer_free(records);
	return error;
}

/* Copies only the vDSO, because user stacks may be unwound through it. The
 * kernel's code is not needed: function_graph records function names.
 */
static int copy_little(const struct recording_output *output,
		       const struct output_folder *kcore_dir)
{
	return vdso_copy_make(kcore_dir, output->setup->log);
}

static int copy_kernel(struct recording_output *output,
		       const struct output_folder *kcore_dir)
{
	const struct output_folder *folder = output->setup->options->folder;
	int error;

	error = kernel_copy_make(&output->kernel, kcore_dir,
				 output->setup->log);
	if (!error)
		error = vdso_copy_make(kcore_dir, output->setup->log);
	if (!error && output->setup->options->tracepoints & TRACEPOINTS_LOCKS)
		error = types_copy_make(kcore_dir, output->setup->log);
	if (error || !output->setup->wide)
		return error;
	error = loaded_code_open(folder, &output->kernel, output->setup->tracer,
				 event_rings_page(&output->setup->events),
				 &output->setup->events.list,
				 output->setup->log, &output->loaded);
	if (error)
		return error;
	return loaded_code_existing(output->loaded, &output->kernel.symbols);
}

static int set_filter(struct recording_output *output)
{
	const char *text = output->setup->options->filter;
	int error;

	if (!text)
		return 0;
	error = address_filter_parse(
		text, &output->kernel.symbols,
		output->setup->tracer->filter_ranges(&output->setup->pmu),
		output->setup->log, &output->filter);
	if (error)
		return error;
	error = event_list_control(&output->setup->events.list,
				   output->setup->trace_spec,
				   PERF_EVENT_IOC_SET_FILTER,
				   output->filter.bytes);
	if (error)
		log_message(output->setup->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "the kernel refuses the filter '%s': %s",
			    (const char *)output->filter.bytes,
			    strerror(errno));
	return error;
}

/* Warns if the trace's times cannot be converted. The kernel provides a
 * conversion only while the CPU's counter is its clock.
 */
static void warn_of_clock(const struct recording_setup *setup,
			  const struct perf_event_mmap_page *page)
{
	if (!setup->graph && !page->cap_user_time_zero)
		log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
			    "the trace's times cannot be converted to the "
			    "events' (cap_user_time_zero is 0): the kernel "
			    "distrusts the CPU's counter, see `dmesg | grep -i "
			    "tsc`; times and tasks in reports are wrong");
}

static int write_start(struct recording_output *output)
{
	const struct event_spec *trace = array_at(
		&output->setup->events.list.specs, output->setup->trace_spec);
	struct tracer_facts facts = {
		.page = event_rings_page(&output->setup->events),
		.switches_of_cpu = output->setup->wide,
		.snapshot = output->setup->options->snapshot,
		.filter = (const char *)output->filter.bytes,
		.config = trace->attr.config,
		.cpus = output->setup->target.cpus.items,
		.cpu_count = output->setup->target.cpus.count,
	};
	struct byte_buffer records = { 0 };
	int error;

	warn_of_clock(output->setup, facts.page);
	error = start_records_setup(&records, &output->setup->events.list,
				    &output->setup->target,
				    output->setup->tracer, &output->setup->pmu,
				    &facts, output->setup->log);
	if (error) {
		byte_buffer_free(&records);
		return error;
	}
	if (!output->setup->graph)
		start_records_kernel(&records, &output->kernel);
	start_records_tasks(&records, &output->setup->target, output->programs);
	start_records_end(&records);
	return recording_output_add(output, &records);
}

int recording_output_list_tasks(const struct recording_output *output,
				const char *cgroups, const char *cpus)
{
	return task_lists_write(output->setup->options->folder, cgroups, cpus,
				output->setup->log);
}

static int prepare_sockets(struct recording_output *output)
{
	if (!(output->setup->options->tracepoints & TRACEPOINTS_OBJECTS))
		return 0;
	return socket_list_open(&output->sockets, output->setup->log);
}

int recording_output_list_sockets(struct recording_output *output)
{
	struct output_folder kcore_dir;
	int error;

	if (!socket_list_is_known(&output->sockets))
		return 0;
	error = kcore_folder_open(&kcore_dir, output->setup->options->folder,
				  output->setup->log);
	if (!error)
		error = socket_list_write(&output->sockets, &kcore_dir,
					  output->setup->log);
	output_folder_close(&kcore_dir);
	return error;
}

static int create_file(struct recording_output *output)
{
	const struct collector_options *options = output->setup->options;
	struct feature features[FEATURES_OF_SYSTEM];
	size_t count = features_of_system(features, NULL, options->argc,
					  options->argv,
					  &output->setup->events.list);
	int error = recording_writer_create(options->folder,
					    &output->setup->events.list,
					    features, count, output->setup->log,
					    &output->writer);

	features_free(features, count);
	return error;
}

/* Checks that at least one thread has events: a thread that ended before its
 * events were opened has none.
 */
static int check_threads(const struct recording_output *output)
{
	if (event_rings_page(&output->setup->events))
		return 0;
	log_message(output->setup->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "the processes to record have ended");
	return -ERROR_NOT_FOUND;
}

static int write_all(struct recording_output *output)
{
	bool has_graph = output->setup->graph;
	struct output_folder kcore_dir;
	int error = kcore_folder_open(
		&kcore_dir, output->setup->options->folder, output->setup->log);

	if (!error)
		error = has_graph ? copy_little(output, &kcore_dir) :
				    copy_kernel(output, &kcore_dir);
	output_folder_close(&kcore_dir);
	if (!error && !has_graph)
		error = set_filter(output);
	if (error)
		return error;
	error = recording_output_list_tasks(output, "cgroups", "cpus");
	if (!error)
		error = prepare_sockets(output);
	if (!error)
		error = create_file(output);
	return error ? error : write_start(output);
}

int recording_output_begin(struct recording_output *output)
{
	int error = check_threads(output);

	if (error)
		return error;
	/* Only names of user code need the programs' files; copying them takes
	 * time that the recorder of a small buffer does not have.
	 */
	if (output->setup->options->user ||
	    output->setup->options->user_stack_bytes) {
		output->programs = program_copies_new(
			output->setup->options->folder, output->setup->log);
		if (!output->programs)
			return -ERROR_MEMORY;
	}
	return write_all(output);
}

struct recording_size
recording_output_size(const struct recording_output *output)
{
	const struct cpu_rings *rings = output->setup->events.cpus.items;
	struct recording_size size = {
		recording_writer_trace_bytes(output->writer),
		recording_writer_bytes(output->writer),
	};

	for (size_t i = 0; i < output->setup->events.cpus.count; i++) {
		struct trace_writer_state state;

		if (!rings[i].writer)
			continue;
		state = trace_writer_look(rings[i].writer);
		size.trace_bytes += state.trace_bytes;
		size.file_bytes += state.file_bytes;
	}
	return size;
}

/* Errors of the comparison were logged, and do not spoil the recording. */
void recording_output_compare(const struct recording_output *output)
{
	struct output_folder kcore_dir;

	if (!output->loaded && !output->setup->tracer->patch_functions)
		return;
	if (!kcore_folder_open(&kcore_dir, output->setup->options->folder,
			       output->setup->log))
		kernel_changes_write(&output->kernel,
				     output->setup->tracer->patch_functions,
				     &kcore_dir, output->setup->log);
	output_folder_close(&kcore_dir);
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
		     drain->output->programs);
	rings->stopped |= drain->counts.truncated != truncated;
	if (kind == RING_HITS)
		hit_wait_take_records(drain->hits, &bytes);
	error = recording_writer_add_ring(drain->output->writer, &bytes);
	ring_release(ring, &bytes);
	return error;
}

/* Adds a loss record at byte @head of the trace. The kernel stops a trace
 * without a record when it reaches the end of the space that was free at the
 * start (perf_aux_output_begin() in kernel/events/ring_buffer.c, which reserves
 * a byte).
 */
static int tell_full(struct ring_drain *drain, struct cpu_rings *rings,
		     uint64_t head)
{
	const struct event *event = event_list_find(&drain->setup->events.list,
						    drain->setup->trace_spec,
						    rings->cpu);
	struct byte_buffer record = { 0 };

	drain->counts.truncated++;
	rings->stopped = true;
	loss_record_add(
		&record, event, head,
		drain->setup->tracer->now_ns(rings->ring[RING_TRACE].page));
	return recording_output_add(drain->output, &record);
}

static int take_from_writer(struct ring_drain *drain, struct cpu_rings *rings)
{
	uint64_t full_at;
	int error = trace_writer_take(rings->writer, &full_at);

	return !error && full_at && !rings->stopped ?
		       tell_full(drain, rings, full_at) :
		       error;
}

static int drain_trace(struct ring_drain *drain, uint32_t index,
		       struct cpu_rings *rings)
{
	struct ring_bytes bytes;
	struct trace_lag lag;
	uint64_t began_ns;
	bool is_full;
	int error;

	if (rings->writer)
		return take_from_writer(drain, rings);
	if (!rings->aux.bytes || rings->overwrite)
		return 0;
	bytes = aux_ring_read(&rings->aux);
	if (!bytes.size)
		return 0;
	began_ns = monotonic_ns();
	error = recording_writer_add_trace(drain->output->writer, index,
					   rings->cpu, -1, &bytes);
	lag = (struct trace_lag){ aux_ring_head(&rings->aux) - bytes.start,
				  monotonic_ns() - began_ns };
	trace_lag_raise(&drain->lag, &lag);
	is_full = aux_ring_release(&rings->aux, &bytes);
	return !error && is_full && !rings->stopped ?
		       tell_full(drain, rings, aux_ring_head(&rings->aux)) :
		       error;
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
	int error = 0;

	for (size_t i = 0; i < drain->setup->events.cpus.count && !error; i++) {
		for (int kind = 0; kind < RING_COUNT && !error; kind++)
			error = drain_ring(drain, &rings[i],
					   (enum event_ring)kind);
		if (!error)
			error = drain_trace(drain, (uint32_t)i, &rings[i]);
	}
	if (!error)
		error = ring_drain_late_records(drain);
	if (!error && drain->setup->graph && !drain->setup->options->snapshot)
		error = function_graph_drain(drain->setup->graph, false);
	return error ? error :
		       recording_writer_end_round(drain->output->writer);
}

int ring_drain_start_writers(struct ring_drain *drain, size_t first)
{
	const struct collector_options *options = drain->setup->options;
	struct cpu_rings *rings = drain->setup->events.cpus.items;
	int error = 0;

	if (!options->threads)
		return 0;
	for (size_t i = first; i < drain->setup->events.cpus.count && !error;
	     i++) {
		const struct trace_writer_options writer = {
			.folder = options->folder,
			.index = (uint32_t)i,
			.cpu = rings[i].cpu,
			.compress = options->compress,
			.log = drain->setup->log,
		};

		if (rings[i].aux.bytes)
			error = trace_writer_start(&rings[i].aux,
						   rings[i].fd[RING_TRACE],
						   &writer, &rings[i].writer);
	}
	return error;
}

/* Stops all writers before it waits for any, so that they write the rest of
 * their traces at the same time.
 */
int ring_drain_end_writers(struct ring_drain *drain)
{
	struct cpu_rings *rings = drain->setup->events.cpus.items;
	size_t count = drain->setup->events.cpus.count;
	int first_error = 0;

	for (size_t i = 0; i < count; i++)
		if (rings[i].writer)
			trace_writer_stop(rings[i].writer);
	for (size_t i = 0; i < count; i++) {
		struct trace_writer_state state;
		int error;

		if (!rings[i].writer)
			continue;
		error = trace_writer_finish(rings[i].writer);
		first_error = first_error ? first_error : error;
		state = trace_writer_look(rings[i].writer);
		trace_lag_raise(&drain->lag, &state.lag);
	}
	return first_error;
}

/* The kernel stops a trace whose buffer is full, and does not restart it by
 * itself. A writer that has not made room yet wakes the loop when it has.
 */
int ring_drain_resume(struct ring_drain *drain)
{
	struct cpu_rings *rings = drain->setup->events.cpus.items;

	for (size_t i = 0; i < drain->setup->events.cpus.count; i++) {
		if (!rings[i].stopped ||
		    (rings[i].writer &&
		     aux_ring_used(&rings[i].aux) > rings[i].aux.size / 2))
			continue;
		rings[i].stopped = false;
		if (event_list_restart_cpu(&drain->setup->events.list,
					   drain->setup->trace_spec,
					   rings[i].cpu))
			return -ERROR_SYSTEM;
	}
	return 0;
}
