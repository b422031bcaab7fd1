/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/trace_dat_file.h"
#include "collector/function_graph/graph_pages.h"
#include "collector/function_graph/kernel_names.h"
#include "collector/function_graph/trace_dat_head.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/output_folder.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

static size_t aligned(const struct trace_dat_content *content, size_t size)
{
	size_t rest = size % content->page_bytes;

	return rest ? size + content->page_bytes - rest : size;
}

/* Returns the number of CPUs up to the last one with pages. */
static int count_cpus(const struct trace_dat_content *content)
{
	int last = -1;

	for (size_t i = 0; i < content->cpu_count; i++)
		if (content->pages[i].cpu > last)
			last = content->pages[i].cpu;
	return last + 1;
}

static const struct graph_pages *
find_cpu(const struct trace_dat_content *content, int cpu)
{
	for (size_t i = 0; i < content->cpu_count; i++)
		if (content->pages[i].cpu == cpu)
			return &content->pages[i];
	return NULL;
}

/* Adds the position of each CPU's pages, in CPU order, without omissions. */
static void add_places(const struct trace_dat_content *content,
		       struct byte_buffer *head, int cpus)
{
	uint64_t at = aligned(content, head->size + (size_t)cpus * 16);

	for (int cpu = 0; cpu < cpus; cpu++) {
		const struct graph_pages *pages = find_cpu(content, cpu);
		uint64_t size = pages && content->has_pages ? pages->bytes : 0;

		byte_buffer_u64(head, at);
		byte_buffer_u64(head, size);
		at += size;
	}
	byte_buffer_zeros(head, aligned(content, head->size) - head->size);
}

static int append(int fd, const struct graph_pages *pages)
{
	uint64_t left = pages->bytes;
	off_t from = 0;

	while (left) {
		ssize_t done =
			copy_file_range(pages->file, &from, fd, NULL, left, 0);

		if (done == 0)
			errno = EIO; /* the pages' own file became shorter */
		if (done <= 0)
			return -ERROR_SYSTEM;
		left -= (uint64_t)done;
	}
	return 0;
}

static int write_parts(const struct trace_dat_content *content, int fd,
		       const struct byte_buffer *head, int cpus)
{
	int error = file_map_put(fd, head->bytes, head->size);

	for (int cpu = 0; cpu < cpus && !error && content->has_pages; cpu++) {
		const struct graph_pages *pages = find_cpu(content, cpu);

		if (pages)
			error = append(fd, pages);
	}
	return error;
}

/* If the process is killed while writing, the old file trace.dat remains. */
static int write_file(const struct output_folder *folder,
		      const struct trace_dat_content *content,
		      const struct byte_buffer *head, int cpus,
		      const struct log *log)
{
	static const char name[] = "trace.dat";
	static const char unfinished[] = "trace.cpus";
	int error = -ERROR_SYSTEM;
	int fd = output_folder_replace(folder, unfinished);

	if (fd >= 0) {
		error = write_parts(content, fd, head, cpus);
		close(fd);
	}
	if (!error)
		error = output_folder_rename(folder, unfinished, name);
	if (!error)
		return 0;
	output_folder_fail(folder, name, log);
	output_folder_remove(folder, unfinished);
	return error;
}

int trace_dat_file_write(const struct output_folder *folder,
			 const struct trace_dat_content *content,
			 const struct log *log)
{
	const struct byte_buffer *kallsyms = &content->names->kallsyms;
	struct byte_buffer head = { 0 };
	int cpus = count_cpus(content);
	int error = -ERROR_MEMORY;

	trace_dat_head_add(&head, content->instance,
			   (const char *)kallsyms->bytes, kallsyms->size,
			   (size_t)cpus);
	add_places(content, &head, cpus);
	if (!head.failed)
		error = write_file(folder, content, &head, cpus, log);
	byte_buffer_free(&head);
	return error;
}
