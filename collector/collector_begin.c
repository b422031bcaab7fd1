/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/kernel_code/vdso_copy.h"
#include "collector/records/cgroup_list.h"
#include "collector/records/loaded_code.h"
#include "collector/records/start_records.h"
#include "collector/trace_unit/address_filter.h"
#include "collector/writer/feature.h"
#include "collector/writer/recording_writer.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

static const struct perf_event_mmap_page *
page_of(const struct collector *collector)
{
	const struct cpu_rings *rings = collector->cpus.items;

	return rings->ring[RING_TRACE].page;
}

/* function_graph names the functions, whose code nobody has to follow: only
 * the code that user stacks may go through is copied.
 */
static int copy_little(const struct collector *collector)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/kcore_dir",
		 collector->options->folder);
	return vdso_copy_make(path, collector->log);
}

static int copy_kernel(struct collector *collector)
{
	const char *folder = collector->options->folder;
	char path[4096];
	int error;

	snprintf(path, sizeof(path), "%s/kcore_dir", folder);
	error = kernel_copy_make(&collector->kernel, path, collector->log);
	if (!error)
		error = vdso_copy_make(path, collector->log);
	if (error || !collector->wide)
		return error;
	error = loaded_code_open(folder, &collector->kernel, collector->tracer,
				 page_of(collector), collector->log,
				 &collector->loaded);
	if (error)
		return error;
	return loaded_code_existing(collector->loaded,
				    &collector->kernel.symbols);
}

static int set_filter(struct collector *collector)
{
	const char *text = collector->options->filter;
	int error;

	if (!text)
		return 0;
	error = address_filter_parse(
		text, &collector->kernel.symbols,
		collector->tracer->filter_ranges(&collector->pmu),
		collector->log, &collector->filter);
	if (error)
		return error;
	error = event_list_control(&collector->events, collector->trace_spec,
				   PERF_EVENT_IOC_SET_FILTER,
				   collector->filter.bytes);
	if (error)
		log_message(collector->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "the kernel refuses the filter '%s': %s",
			    (const char *)collector->filter.bytes,
			    strerror(errno));
	return error;
}

static int write_start(struct collector *collector)
{
	const struct event_spec *trace =
		array_at(&collector->events.specs, collector->trace_spec);
	struct tracer_facts facts = {
		.page = page_of(collector),
		.switches_of_cpu = collector->wide,
		.snapshot = collector->options->snapshot,
		.filter = (const char *)collector->filter.bytes,
		.config = trace->attr.config,
		.cpus = collector->target.cpus.items,
		.cpu_count = collector->target.cpus.count,
	};
	struct byte_buffer records = { 0 };
	int error;

	start_records_setup(&records, &collector->events, &collector->target,
			    collector->tracer, &collector->pmu, &facts);
	if (!collector->graph)
		start_records_kernel(&records, &collector->kernel);
	start_records_tasks(&records, &collector->target);
	start_records_end(&records);
	error = recording_writer_add(collector->writer, &records);
	byte_buffer_free(&records);
	return error;
}

int collector_list_cgroups(const struct collector *collector, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/kcore_dir/%s",
		 collector->options->folder, name);
	return cgroup_list_write(path, collector->log);
}

static int prepare_sockets(struct collector *collector)
{
	if (!(collector->options->tracepoints & TRACEPOINTS_OBJECTS))
		return 0;
	return socket_list_open(&collector->sockets);
}

int collector_list_sockets(struct collector *collector)
{
	char path[4096];

	if (!socket_list_is_known(&collector->sockets))
		return 0;
	snprintf(path, sizeof(path), "%s/kcore_dir/sockets",
		 collector->options->folder);
	return socket_list_write(&collector->sockets, path, collector->log);
}

static int create_file(struct collector *collector)
{
	const struct collector_options *options = collector->options;
	struct feature features[FEATURES_OF_SYSTEM];
	size_t count = features_of_system(features, NULL, options->argc,
					  options->argv, &collector->events);
	char path[4096];
	int error;

	snprintf(path, sizeof(path), "%s/data", options->folder);
	error = recording_writer_create(path, &collector->events, features,
					count, collector->log,
					&collector->writer);
	features_free(features, count);
	return error;
}

/* Threads that end before they are traced have no events. */
static int check_threads(const struct collector *collector)
{
	if (page_of(collector))
		return 0;
	log_message(collector->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "the processes to record have ended");
	return -ERROR_NOT_FOUND;
}

int collector_begin(struct collector *collector)
{
	int error = check_threads(collector);

	if (!error)
		error = collector->graph ? copy_little(collector) :
					   copy_kernel(collector);
	if (!error && !collector->graph)
		error = set_filter(collector);
	if (error)
		return error;
	error = collector_list_cgroups(collector, "cgroups");
	if (!error)
		error = prepare_sockets(collector);
	if (!error)
		error = create_file(collector);
	if (!error)
		error = write_start(collector);
	if (!error)
		error = collector_begin_streams(collector);
	return error ? error : collector_drain(collector);
}
