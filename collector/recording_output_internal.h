/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDING_OUTPUT_INTERNAL_H
#define KT_COLLECTOR_RECORDING_OUTPUT_INTERNAL_H

#include "collector/kernel_code/kernel_copy.h"
#include "collector/records/loaded_code.h"
#include "collector/records/program_copies.h"
#include "collector/records/record_watch.h"
#include "collector/sockets/socket_list.h"
#include "collector/writer/recording_writer.h"
#include "collector/writer/trace_writer.h"
#include "common/bytes.h"

struct hit_wait;
struct recording_setup;

/* The output of a recording: the file of records and trace, and in the same
 * folder the copies of code and other files.
 */
struct recording_output {
	const struct recording_setup *setup;
	struct recording_writer *writer; /* NULL before the file exists */
	struct kernel_copy kernel;
	struct loaded_code *loaded;	 /* NULL: new code cannot be detected */
	struct program_copies *programs; /* NULL before the file exists */
	struct socket_list sockets;
	/* address filter of the trace, as text for the kernel; empty: none */
	struct byte_buffer filter;
};

/* Returns an output that borrows @setup. The events of @setup must be open
 * before any other function here is called.
 */
struct recording_output
recording_output_new(const struct recording_setup *setup);

void recording_output_free(struct recording_output *output);

/* Copies the kernel's code, sets the filter and writes the start of the
 * recording. Returns 0 or a negative enum error with the reason in the log.
 */
int recording_output_begin(struct recording_output *output);

/* Writes the current cgroup of each thread to the recording's file @cgroups,
 * for queries by cgroup; later moves of tasks are recorded as events. Writes
 * the CPUs that each thread may use, and the CPUs' idle states, to the file
 * @cpus. Returns like recording_output_begin().
 */
int recording_output_list_tasks(const struct recording_output *output,
				const char *cgroups, const char *cpus);

/* Lists the current connections, if their messages are recorded. Returns like
 * recording_output_begin().
 */
int recording_output_list_sockets(struct recording_output *output);

/* Adds @records and frees them. Returns like recording_output_begin(). */
int recording_output_add(struct recording_output *output,
			 struct byte_buffer *records);

/* The size of a recording so far, in bytes. */
struct recording_size {
	uint64_t trace_bytes;
	uint64_t file_bytes;
};

struct recording_size
recording_output_size(const struct recording_output *output);

/* Checks for changes of the kernel's code that were not recorded. Must be
 * called while the events are open, because closing them patches the kernel,
 * too.
 */
void recording_output_compare(const struct recording_output *output);

/* Copies the content of the rings into the recording. */
struct ring_drain {
	struct recording_setup *setup;
	struct recording_output *output;
	struct hit_wait *hits; /* examines the records of triggers */
	struct record_counts counts;
	struct trace_lag lag;
};

/* Starts a writer for each CPU of the setup from number @first on, if writers
 * were requested. Returns 0 or a negative enum error with the reason in the
 * log.
 */
int ring_drain_start_writers(struct ring_drain *drain, size_t first);

/* Ends all writers after they have written the content of the rings;
 * ring_drain_all() must follow. Returns 0 or a negative enum error, which was
 * logged.
 */
int ring_drain_end_writers(struct ring_drain *drain);

/* Reads all rings once, and writes their content to the recording. Returns 0 or
 * a negative enum error.
 */
int ring_drain_all(struct ring_drain *drain);

/* Copies the kernel's new code that is still incomplete (loaded_code_flush()),
 * and adds the records of all code that was copied since the last call. Returns
 * 0 or a negative enum error.
 */
int ring_drain_late_records(struct ring_drain *drain);

/* Resumes traces that stopped because their buffer was full. Must be called
 * after the buffers were read. Returns 0 or -ERROR_SYSTEM.
 */
int ring_drain_resume(struct ring_drain *drain);

#endif
