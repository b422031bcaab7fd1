/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/function_graph.h"

#include "collector/function_graph/trace_dat_file_internal.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/log.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct function_graph {
	const struct log *log;
	const struct output_folder *folder;
	size_t page_bytes;
	struct graph_instance instance;
	struct kernel_names names;
	struct array cpus; /* struct graph_pages */
};

static struct graph_pages *pages_at(const struct function_graph *graph,
				    size_t index)
{
	return array_at(&graph->cpus, index);
}

/* Returns the size of the ring buffer's pages, which since Linux 6.8 may differ
 * from the machine's pages.
 */
static size_t page_size(const char *instance)
{
	struct byte_buffer text = { 0 };
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char path[256];
	unsigned long kib;

	snprintf(path, sizeof(path), "%s/buffer_subbuf_size_kb", instance);
	if (!byte_buffer_file(&text, path)) {
		byte_buffer_zeros(&text, 1);
		kib = text.failed ? 0 :
				    strtoul((const char *)text.bytes, NULL, 10);
		if (kib)
			size = kib << 10;
	}
	byte_buffer_free(&text);
	return size;
}

static int turn(const struct function_graph *graph, bool is_on)
{
	int error = graph_instance_trace(&graph->instance, is_on);

	if (error)
		log_message(graph->log, LOG_ERROR, graph->instance.folder,
			    LOG_NO_OFFSET, "tracing_on: %s", strerror(errno));
	return error;
}

static int write_trace_dat(const struct function_graph *graph, bool has_pages)
{
	struct trace_dat_content content = {
		.instance = graph->instance.folder,
		.names = &graph->names,
		.pages = graph->cpus.items,
		.cpu_count = graph->cpus.count,
		.page_bytes = graph->page_bytes,
		.has_pages = has_pages,
	};

	return trace_dat_file_write(graph->folder, &content, graph->log);
}

/* Runs in the instance's guard after the recorder was killed. Appends the
 * unread trace to the recorder's files.
 */
static void save_rest(void *context)
{
	struct function_graph *graph = context;

	turn(graph, false);
	graph->page_bytes = page_size(graph->instance.folder);
	for (size_t i = 0; i < graph->cpus.count; i++) {
		struct graph_pages *pages = pages_at(graph, i);

		if (!graph_pages_open(pages, graph->instance.folder))
			graph_pages_drain(pages, graph->page_bytes, true);
		/* Pages must be closed first: an instance in use cannot be
		 * removed.
		 */
		graph_pages_close(pages);
	}
}

static int create_files(struct function_graph *graph,
			const struct graph_choice *choice)
{
	int error = 0;

	for (size_t i = 0; i < choice->cpu_count && !error; i++) {
		struct graph_pages *pages = array_add(&graph->cpus);

		error = pages ? graph_pages_create(pages, choice->cpus[i],
						   graph->folder, graph->log) :
				-ERROR_MEMORY;
	}
	return error;
}

/* Opens the files before the instance, whose guard inherits them. */
static int open_all(struct function_graph *graph,
		    const struct graph_choice *choice)
{
	const struct graph_rescue rescue = { save_rest, graph };
	int error = create_files(graph, choice);

	/* Tracing functions would slow this down, so it comes first. */
	if (!error)
		error = kernel_names_read(&graph->names);
	if (!error)
		error = graph_instance_open(&graph->instance, choice, &rescue,
					    graph->log);
	if (error)
		return error;
	graph->page_bytes = page_size(graph->instance.folder);
	for (size_t i = 0; i < graph->cpus.count && !error; i++)
		error = graph_pages_open(pages_at(graph, i),
					 graph->instance.folder);
	return error ? error : write_trace_dat(graph, false);
}

int function_graph_open(const struct output_folder *folder,
			const struct graph_choice *choice,
			const struct log *log, struct function_graph **graph)
{
	struct function_graph *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ERROR_MEMORY;
	new->log = log;
	new->cpus = ARRAY_OF(struct graph_pages);
	new->folder = folder;
	error = open_all(new, choice);
	if (error)
		function_graph_close(new);
	else
		*graph = new;
	return error;
}

void function_graph_close(struct function_graph *graph)
{
	if (!graph)
		return;
	for (size_t i = 0; i < graph->cpus.count; i++)
		graph_pages_close(pages_at(graph, i));
	array_free(&graph->cpus);
	kernel_names_free(&graph->names);
	graph_instance_close(&graph->instance);
	free(graph);
}

int function_graph_add_cpu(struct function_graph *graph, int cpu)
{
	struct graph_pages *pages = array_add(&graph->cpus);
	int error = pages ? graph_pages_create(pages, cpu, graph->folder,
					       graph->log) :
			    -ERROR_MEMORY;

	return error ? error : graph_pages_open(pages, graph->instance.folder);
}

int function_graph_start(const struct function_graph *graph)
{
	return turn(graph, true);
}

int function_graph_stop(const struct function_graph *graph)
{
	return turn(graph, false);
}

size_t function_graph_ring_count(const struct function_graph *graph)
{
	return graph->cpus.count;
}

int function_graph_ring(const struct function_graph *graph, size_t index)
{
	return pages_at(graph, index)->ring;
}

int function_graph_drain(struct function_graph *graph, bool is_last)
{
	int error = 0;

	for (size_t i = 0; i < graph->cpus.count && !error; i++)
		error = graph_pages_drain(pages_at(graph, i), graph->page_bytes,
					  is_last);
	return error;
}

uint64_t function_graph_bytes(const struct function_graph *graph)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < graph->cpus.count; i++)
		bytes += pages_at(graph, i)->bytes;
	return bytes;
}

uint64_t function_graph_overruns(const struct function_graph *graph)
{
	uint64_t overruns = 0;

	for (size_t i = 0; i < graph->cpus.count; i++)
		overruns += graph_instance_overruns(&graph->instance,
						    pages_at(graph, i)->cpu);
	return overruns;
}

int function_graph_finish(struct function_graph *graph)
{
	int error;

	graph_instance_end(&graph->instance);
	error = kernel_names_read(&graph->names);
	if (!error)
		error = write_trace_dat(graph, true);
	for (size_t i = 0; i < graph->cpus.count && !error; i++)
		graph_pages_remove(pages_at(graph, i), graph->folder);
	return error;
}

/* Configures a dummy event, which provides the same sideband records as a trace
 * unit's event.
 */
static int configure(const struct pmu *pmu, const struct log *log,
		     struct perf_event_attr *attr)
{
	(void)pmu;
	(void)log;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->exclude_kernel = 1;
	attr->exclude_user = 0;
	attr->aux_watermark = 0;
	return 0;
}

static int set_cycles(const struct pmu *pmu, const struct cycle_choice *choice,
		      const struct log *log, struct perf_event_attr *attr,
		      uint64_t *config3)
{
	(void)pmu;
	(void)choice;
	(void)attr;
	(void)config3;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "function_graph counts no cycles: omit --cycles and "
		    "--no-cycles");
	return -ERROR_UNSUPPORTED;
}

static unsigned int filter_ranges(const struct pmu *pmu)
{
	(void)pmu;
	return 0;
}

/* Returns 0, which means no clock: losses have no times of their own. */
static uint64_t now_ns(const struct perf_event_mmap_page *page)
{
	(void)page;
	return 0;
}

const struct tracer function_graph_tracer = {
	.pmu_name = "function_graph",
	.title = "function_graph",
	.cycle_term = "",
	.configure = configure,
	.set_cycles = set_cycles,
	.filter_ranges = filter_ranges,
	.now_ns = now_ns,
};
