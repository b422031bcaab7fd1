/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/graph_pages.h"
#include "common/error.h"
#include "common/log.h"
#include "common/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The pipe size permitted without rights: /proc/sys/fs/pipe-max-size. */
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

/* A page that is read before it is full is padded with zeros. */
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
