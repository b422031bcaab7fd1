/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACE_DAT_FILE_H
#define KT_COLLECTOR_TRACE_DAT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct graph_pages;
struct kernel_names;
struct log;
struct output_folder;

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
