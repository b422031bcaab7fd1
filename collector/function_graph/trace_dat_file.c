/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/trace_dat_file_internal.h"

#include "collector/events/tracefs.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/output_folder.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static bool is_equal(const struct byte_buffer *a, const struct byte_buffer *b)
{
	return a->size == b->size &&
	       (!a->size || !memcmp(a->bytes, b->bytes, a->size));
}

int kernel_names_read(struct kernel_names *names)
{
	struct byte_buffer modules = { 0 };

	/* A kernel without modules has no such file. */
	byte_buffer_file(&modules, "/proc/modules");
	if (names->kallsyms.size && is_equal(&modules, &names->modules)) {
		byte_buffer_free(&modules);
		return 0;
	}
	kernel_names_free(names);
	names->modules = modules;
	byte_buffer_file(&names->kallsyms, "/proc/kallsyms");
	return names->kallsyms.failed ? -ERROR_MEMORY : 0;
}

void kernel_names_free(struct kernel_names *names)
{
	byte_buffer_free(&names->kallsyms);
	byte_buffer_free(&names->modules);
	*names = (struct kernel_names){ 0 };
}

/* The default limit of /proc/sys/fs/pipe-max-size for unprivileged users. */
enum { PIPE_BYTES = 1 << 20 };

static int fail(const struct graph_pages *pages, const char *path,
		const char *what)
{
	log_message(pages->log, LOG_ERROR, path, LOG_NO_OFFSET, "%s: %s", what,
		    strerror(errno));
	return -ERROR_SYSTEM;
}

int graph_pages_create(struct graph_pages *pages, int cpu,
		       const struct output_folder *recording,
		       const struct log *log)
{
	*pages = (struct graph_pages){ .cpu = cpu,
				       .ring = -1,
				       .file = -1,
				       .pipe = { -1, -1 },
				       .log = log };
	snprintf(pages->name, sizeof(pages->name), "trace.cpu%d", cpu);
	snprintf(pages->path, sizeof(pages->path), "%s/%s", recording->path,
		 pages->name);
	pages->file = output_folder_create(recording, pages->name);
	if (pages->file < 0)
		return fail(pages, pages->path, "cannot be written");
	if (pipe2(pages->pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail(pages, pages->path, "no pipe");
	/* A smaller pipe is only slower. */
	fcntl(pages->pipe[1], F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

void graph_pages_remove(const struct graph_pages *pages,
			const struct output_folder *recording)
{
	output_folder_remove(recording, pages->name);
}

int graph_pages_open(struct graph_pages *pages, const char *folder)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", folder,
		 pages->cpu);
	pages->ring = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return pages->ring < 0 ? fail(pages, path, "cannot be read") : 0;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

void graph_pages_close(struct graph_pages *pages)
{
	close_one(pages->ring);
	close_one(pages->file);
	close_one(pages->pipe[0]);
	close_one(pages->pipe[1]);
	pages->ring = pages->file = pages->pipe[0] = pages->pipe[1] = -1;
}

/* Writes the pages in the pipe to the file. They are moved, not copied. */
static int keep(struct graph_pages *pages)
{
	for (;;) {
		ssize_t done = splice(pages->pipe[0], NULL, pages->file, NULL,
				      PIPE_BYTES,
				      SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (done < 0 && errno == EAGAIN)
			return 0;
		if (done <= 0)
			return fail(pages, pages->path, "cannot be written");
		pages->bytes += (size_t)done;
	}
}

/* Starts with the pages that a killed recorder left in the pipe. */
static int drain_whole(struct graph_pages *pages)
{
	for (;;) {
		ssize_t size;

		if (keep(pages))
			return -ERROR_SYSTEM;
		size = splice(pages->ring, NULL, pages->pipe[1], NULL,
			      PIPE_BYTES, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (size < 0 && errno != EAGAIN && errno != EINTR)
			return fail(pages, pages->path,
				    "the kernel's ring buffer cannot be read");
		if (size <= 0)
			return 0;
	}
}

/* Writes the last pages of a ring. A page that is read before it is full is
 * padded with zeros.
 */
static int drain_rest(struct graph_pages *pages, size_t page_bytes)
{
	uint8_t *page = calloc(1, page_bytes);
	int error = page ? 0 : -ERROR_MEMORY;

	while (!error) {
		ssize_t size = read(pages->ring, page, page_bytes);

		if (size <= 0)
			break;
		memset(page + size, 0, page_bytes - (size_t)size);
		if (write(pages->file, page, page_bytes) != (ssize_t)page_bytes)
			error = fail(pages, pages->path, "cannot be written");
		else
			pages->bytes += page_bytes;
	}
	free(page);
	return error;
}

int graph_pages_drain(struct graph_pages *pages, size_t page_bytes,
		      bool is_last)
{
	int error = drain_whole(pages);

	return error || !is_last ? error : drain_rest(pages, page_bytes);
}

/* Options of the head that are used here. */
enum { OPTION_END = 0, OPTION_CLOCK = 4, OPTION_UNAME = 5 };

static void add_u16(struct byte_buffer *bytes, uint16_t value)
{
	byte_buffer_add(bytes, &value, sizeof(value));
}

/* Adds the events of one system, each preceded by its size; skips events that
 * the kernel lacks.
 */
static void add_formats(struct byte_buffer *head, const char *system,
			const char *const *names, size_t count)
{
	size_t place = head->size;
	uint32_t added = 0;
	char path[256];

	byte_buffer_u32(head, 0);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/format",
			 tracefs_folder(), system, names[i]);
		if (access(path, R_OK) < 0)
			continue;
		tracefs_add_file(head, path);
		added++;
	}
	if (!head->failed)
		memcpy(head->bytes + place, &added, sizeof(added));
}

static void add_option(struct byte_buffer *head, uint16_t option,
		       const char *text)
{
	add_u16(head, option);
	byte_buffer_u32(head, (uint32_t)strlen(text) + 1);
	byte_buffer_text(head, text);
}

static void add_options(struct byte_buffer *head, const char *folder)
{
	struct byte_buffer clock = { 0 };
	struct utsname names;
	char system[300];
	char path[256];

	byte_buffer_add(head, "options  ", 10);
	snprintf(path, sizeof(path), "%s/trace_clock", folder);
	byte_buffer_file(&clock, path);
	byte_buffer_zeros(&clock, 1);
	if (!clock.failed)
		add_option(head, OPTION_CLOCK, (const char *)clock.bytes);
	byte_buffer_free(&clock);
	if (!uname(&names)) {
		snprintf(system, sizeof(system), "%s %s %s %s", names.sysname,
			 names.nodename, names.release, names.machine);
		add_option(head, OPTION_UNAME, system);
	}
	add_u16(head, OPTION_END);
}

/* Appends the head of a trace.dat of version 6 (trace-cmd.dat.v6(5)) for the
 * instance @folder, up to and including the number of CPUs, @cpu_count: the
 * formats of ring buffer pages and events, the function names, whose text is
 * @kallsyms, the task names, and the clock.
 */
static void add_head(struct byte_buffer *head, const char *folder,
		     const char *kallsyms, size_t kallsyms_size,
		     size_t cpu_count)
{
	static const char *const ftrace[] = { "funcgraph_entry",
					      "funcgraph_retaddr_entry",
					      "funcgraph_exit" };
	static const char *const sched[] = { "sched_switch" };
	char path[256];

	tracefs_add_start(head, "6");
	add_formats(head, "ftrace", ftrace, sizeof(ftrace) / sizeof(*ftrace));
	byte_buffer_u32(head, 1);
	byte_buffer_text(head, "sched");
	add_formats(head, "sched", sched, 1);
	byte_buffer_u32(head, (uint32_t)kallsyms_size);
	byte_buffer_add(head, kallsyms, kallsyms_size);
	byte_buffer_u32(head, 0); /* printk formats: not used */
	snprintf(path, sizeof(path), "%s/saved_cmdlines", tracefs_folder());
	tracefs_add_file(head, path);
	byte_buffer_u32(head, (uint32_t)cpu_count);
	add_options(head, folder);
	byte_buffer_add(head, "flyrecord", 10);
}

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

/* Adds the offset and size of the pages of each CPU below @cpus, in order; the
 * size is 0 if a CPU has none.
 */
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

/* Writes trace.dat under another name first: if the process is killed
 * meanwhile, the old file remains.
 */
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

	add_head(&head, content->instance, (const char *)kallsyms->bytes,
		 kallsyms->size, (size_t)cpus);
	add_places(content, &head, cpus);
	if (!head.failed)
		error = write_file(folder, content, &head, cpus, log);
	byte_buffer_free(&head);
	return error;
}
