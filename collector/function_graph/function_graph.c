/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/function_graph.h"
#include "collector/function_graph/graph_pages.h"
#include "collector/function_graph/trace_dat_head.h"
#include "common/array.h"
#include "common/byte_buffer.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct function_graph {
	const struct log *log;
	char *folder;
	size_t page_bytes;
	struct graph_instance instance;
	struct array cpus; /* struct graph_pages */
};

static struct graph_pages *pages_at(const struct function_graph *graph,
				    size_t index)
{
	return array_at(&graph->cpus, index);
}

/* Since Linux 6.8 a ring buffer's pages need not be the machine's. */
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

static int open_all(struct function_graph *graph, const char *folder,
		    const struct graph_choice *choice)
{
	int error = graph_instance_open(&graph->instance, choice, graph->log);

	graph->folder = strdup(folder);
	if (!error && !graph->folder)
		error = -ERROR_MEMORY;
	if (!error)
		graph->page_bytes = page_size(graph->instance.folder);
	for (size_t i = 0; i < choice->cpu_count && !error; i++) {
		struct graph_pages *pages = array_add(&graph->cpus);

		error = pages ? graph_pages_open(pages, graph->instance.folder,
						 choice->cpus[i], folder,
						 graph->log) :
				-ERROR_MEMORY;
	}
	return error;
}

int function_graph_open(const char *folder, const struct graph_choice *choice,
			const struct log *log, struct function_graph **graph)
{
	struct function_graph *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ERROR_MEMORY;
	new->log = log;
	new->cpus = ARRAY_OF(struct graph_pages);
	error = open_all(new, folder, choice);
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
	graph_instance_close(&graph->instance);
	free(graph->folder);
	free(graph);
}

static int turn(const struct function_graph *graph, bool is_on)
{
	int error = graph_instance_trace(&graph->instance, is_on);

	if (error)
		log_message(graph->log, LOG_ERROR, graph->instance.folder,
			    LOG_NO_OFFSET, "tracing_on: %s", strerror(errno));
	return error;
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

static size_t aligned(const struct function_graph *graph, size_t size)
{
	size_t rest = size % graph->page_bytes;

	return rest ? size + graph->page_bytes - rest : size;
}

static int count_cpus(const struct function_graph *graph)
{
	int last = -1;

	for (size_t i = 0; i < graph->cpus.count; i++)
		if (pages_at(graph, i)->cpu > last)
			last = pages_at(graph, i)->cpu;
	return last + 1;
}

static const struct graph_pages *find_cpu(const struct function_graph *graph,
					  int cpu)
{
	for (size_t i = 0; i < graph->cpus.count; i++)
		if (pages_at(graph, i)->cpu == cpu)
			return pages_at(graph, i);
	return NULL;
}

/* Where each CPU's pages lie, the CPUs in order, none left out. */
static void add_places(const struct function_graph *graph,
		       struct byte_buffer *head, int cpus)
{
	uint64_t at = aligned(graph, head->size + (size_t)cpus * 16);

	for (int cpu = 0; cpu < cpus; cpu++) {
		const struct graph_pages *pages = find_cpu(graph, cpu);
		uint64_t size = pages ? pages->bytes : 0;

		byte_buffer_u64(head, at);
		byte_buffer_u64(head, size);
		at += size;
	}
	byte_buffer_zeros(head, aligned(graph, head->size) - head->size);
}

static int append(int fd, const struct graph_pages *pages)
{
	uint64_t left = pages->bytes;
	loff_t from = 0;

	while (left) {
		ssize_t done =
			copy_file_range(pages->file, &from, fd, NULL, left, 0);

		if (done <= 0)
			return -ERROR_SYSTEM;
		left -= (uint64_t)done;
	}
	return 0;
}

static int write_parts(const struct function_graph *graph, int fd,
		       const struct byte_buffer *head, int cpus)
{
	int error = write(fd, head->bytes, head->size) == (ssize_t)head->size ?
			    0 :
			    -ERROR_SYSTEM;

	for (int cpu = 0; cpu < cpus && !error; cpu++) {
		const struct graph_pages *pages = find_cpu(graph, cpu);

		if (pages)
			error = append(fd, pages);
	}
	return error;
}

static void remove_pages(const struct function_graph *graph)
{
	for (size_t i = 0; i < graph->cpus.count; i++)
		unlink(pages_at(graph, i)->path);
}

static int write_file(const struct function_graph *graph,
		      const struct byte_buffer *head, int cpus)
{
	char path[4200];
	int error = -ERROR_SYSTEM;
	int fd;

	snprintf(path, sizeof(path), "%s/trace.dat", graph->folder);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0) {
		error = write_parts(graph, fd, head, cpus);
		close(fd);
	}
	if (error)
		log_message(graph->log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot be written: %s", strerror(errno));
	else
		remove_pages(graph);
	return error;
}

int function_graph_finish(struct function_graph *graph)
{
	struct byte_buffer kallsyms = { 0 };
	struct byte_buffer head = { 0 };
	int cpus = count_cpus(graph);
	int error = -ERROR_MEMORY;

	byte_buffer_file(&kallsyms, "/proc/kallsyms");
	trace_dat_head_add(&head, graph->instance.folder,
			   (const char *)kallsyms.bytes, kallsyms.size,
			   (size_t)cpus);
	add_places(graph, &head, cpus);
	if (!kallsyms.failed && !head.failed)
		error = write_file(graph, &head, cpus);
	byte_buffer_free(&kallsyms);
	byte_buffer_free(&head);
	return error;
}
