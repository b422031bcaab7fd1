/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDING_OUTPUT_H
#define KT_COLLECTOR_RECORDING_OUTPUT_H

#include "collector/kernel_code/kernel_copy.h"
#include "collector/records/loaded_code.h"
#include "collector/sockets/socket_list.h"
#include "collector/writer/recording_writer.h"

struct recording_setup;

/* The recording's folder: the file of records and trace, and the copies of what
 * there is beside it.
 */
struct recording_output {
	const struct recording_setup *setup;
	struct recording_writer *writer; /* NULL before there is a file */
	struct kernel_copy kernel;
	struct loaded_code *loaded; /* NULL: new code cannot be seen */
	struct socket_list sockets;
};

/* Borrows @setup, whose events are opened before the others here are called. */
struct recording_output
recording_output_new(const struct recording_setup *setup);
void recording_output_free(struct recording_output *output);

/* Copies the kernel's code, sets the filter and writes the start of the
 * recording.  Returns 0 or a negative enum error with the reason in the log.
 */
int recording_output_begin(struct recording_output *output);

/* Writes which cgroup each thread is in now to the recording's file @name, for
 * whoever asks by cgroup; what moves tasks meanwhile is recorded.  Likewise.
 */
int recording_output_list_cgroups(const struct recording_output *output,
				  const char *name);

/* Lists the connections that there are now, if their messages are recorded.
 * Likewise.
 */
int recording_output_list_sockets(struct recording_output *output);

/* Adds @records, which are freed.  Likewise. */
int recording_output_add(struct recording_output *output,
			 struct byte_buffer *records);

/* Looks for changes of the kernel's code that were not recorded.  The events are
 * still open: closing them patches the kernel, too.
 */
void recording_output_compare(const struct recording_output *output);

#endif
