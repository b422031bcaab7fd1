/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_FUNCTION_GRAPH_TRACE_DAT_FILE_INTERNAL_H
#define KT_COLLECTOR_FUNCTION_GRAPH_TRACE_DAT_FILE_INTERNAL_H

#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct output_folder;

/* The names of the kernel's functions. Zeroed: empty. */
struct kernel_names {
	struct byte_buffer kallsyms; /* the text of /proc/kallsyms */
	/* the text of /proc/modules, read at the same time */
	struct byte_buffer modules;
};

/* Reads the names, unless they were read already and no module was loaded or
 * removed since: the kernel takes long to generate them. A file that cannot be
 * read counts as empty.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int kernel_names_read(struct kernel_names *names);

void kernel_names_free(struct kernel_names *names);

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

/* Appends the ring's available pages to the file: the full ones, and if
 * @is_last also the one that is being written. Returns 0, -ERROR_MEMORY, or
 * -ERROR_SYSTEM with the reason in the log.
 */
int graph_pages_drain(struct graph_pages *pages, size_t page_bytes,
		      bool is_last);

/* The content of a trace.dat of version 6 (trace-cmd.dat.v6(5)). All pointers
 * are borrowed.
 */
struct trace_dat_content {
	const char *instance; /* the folder in tracefs */
	const struct kernel_names *names;
	const struct graph_pages *pages;
	size_t cpu_count; /* of the pages */
	size_t page_bytes;
	/* false: the pages are still in their files trace.cpuN */
	bool has_pages;
};

/* Writes the file trace.dat of the recording @folder atomically, replacing an
 * existing file.
 *
 * Returns 0, -ERROR_MEMORY, or -ERROR_SYSTEM with the reason in @log.
 */
int trace_dat_file_write(const struct output_folder *folder,
			 const struct trace_dat_content *content,
			 const struct log *log);

#endif
