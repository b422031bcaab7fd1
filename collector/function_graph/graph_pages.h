/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GRAPH_PAGES_H
#define KT_COLLECTOR_GRAPH_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct output_folder;

/* One CPU's ring buffer, whose pages are written to a file in the kernel's
 * format: per_cpu/cpuN/trace_pipe_raw of tracefs.
 */
struct graph_pages {
	int cpu;
	int ring;    /* the kernel's ring, to poll */
	int file;    /* where its pages are stored */
	int pipe[2]; /* for splice(2), so pages are not copied */
	uint64_t bytes;
	char name[32];	 /* of the file */
	char path[4200]; /* of the file, for messages */
	const struct log *log;
};

/* Creates the file trace.cpuN of the recording @recording for @cpu's pages.
 *
 * Returns 0 or -ERROR_SYSTEM with the reason in @log. The caller must close it
 * either way.
 */
int graph_pages_create(struct graph_pages *pages, int cpu,
		       const struct output_folder *recording,
		       const struct log *log);

/* Removes the file. */
void graph_pages_remove(const struct graph_pages *pages,
			const struct output_folder *recording);

/* Opens the CPU's ring of the instance @folder. Returns like
 * graph_pages_create().
 */
int graph_pages_open(struct graph_pages *pages, const char *folder);
void graph_pages_close(struct graph_pages *pages);

/* Reads the available pages: the full ones, and if @is_last also the one that
 * is being written. Returns 0 or -ERROR_SYSTEM with the reason in the log.
 */
int graph_pages_drain(struct graph_pages *pages, size_t page_bytes,
		      bool is_last);

#endif
