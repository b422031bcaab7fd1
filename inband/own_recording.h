/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_OWN_RECORDING_H
#define KT_INBAND_OWN_RECORDING_H

#include "collector/kernel_code/kernel_copy.h"
#include "common/byte_buffer.h"
#include "common/output_folder.h"
#include "inband/own_records.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct code_image;
struct context_kinds;
struct known_events;
struct log;
struct thread_events;
struct part_bytes;
struct recording;
struct symbols;
struct task_names;

/* All that brackets have in common: a recording without trace, in a folder of
 * its own, with a copy of the kernel's code and names, and what is read of it.
 */
struct own_recording {
	struct output_folder folder;
	struct kernel_copy kernel;
	/* The section HEADER_TRACING_DATA where a service gave it; else empty. */
	struct byte_buffer formats;
	struct byte_buffer start;	/* the records that it begins with */
	struct lasting_records lasting; /* since then */
	size_t changes_known; /* bytes of its changes that the image has */
	const struct log *log;
	struct recording *base;
	struct code_image *image;
	struct symbols *symbols;
	struct task_names *names;
	struct known_events *events;
	struct context_kinds *kinds;
};

/* Makes it of @events, which are open, borrowing both.  @files: what a service
 * gave, enum serve_file, or NULL: the kernel is read by our own rights.  Returns
 * 0, or a negative enum error with the reason in @log.  Close it either way.
 */
int own_recording_open(struct own_recording *own,
		       const struct thread_events *events, const int *files,
		       const struct log *log);
void own_recording_close(struct own_recording *own);

/* Returns whether there were changes of code since the image was read. */
bool own_recording_is_stale(const struct own_recording *own);

/* Reads the code anew, which nobody may have borrowed.  Returns 0 or a negative
 * enum error, with the reason in the log.
 */
int own_recording_follow(struct own_recording *own);

/* Writes @part, of thread @tid, with all that a reader needs into the new folder
 * @path.  Returns 0, or a negative enum error with the reason in the log.
 */
int own_recording_save(const struct own_recording *own,
		       const struct thread_events *events,
		       const struct part_bytes *part, pid_t tid,
		       const char *path);

#endif
