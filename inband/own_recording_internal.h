/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_OWN_RECORDING_INTERNAL_H
#define KT_INBAND_OWN_RECORDING_INTERNAL_H

#include "collector/kernel_code/kernel_copy.h"
#include "common/bytes.h"
#include "common/files/output_folder.h"
#include "inband/own_records_internal.h"
#include "serve/serve_message.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct code_image;
struct context_kinds;
struct known_events;
struct log;
struct recording;
struct symbols;
struct lines;
struct task_names;
struct thread_events;

/* Stores the kernel's code and names that a service has sent as @files, for
 * programs that are not allowed to read them: writes the files to @folder in
 * the format of kernel_copy_make(), and reads @copy and @formats from there.
 * The caller frees both in any case.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int given_kernel_take(const int files[SERVE_FILES],
		      const struct output_folder *folder,
		      struct kernel_copy *copy, struct byte_buffer *formats,
		      const struct log *log);

/* The data shared by all brackets: a recording without trace, in a folder of
 * its own, with a copy of the kernel's code and names, and the objects read
 * from it.
 */
struct own_recording {
	struct output_folder folder;
	struct kernel_copy kernel;
	/* The section HEADER_TRACING_DATA if a service provided it; otherwise
	 * empty.
	 */
	struct byte_buffer formats;
	/* the records with which the recording starts */
	struct byte_buffer start;
	/* later records that all brackets need */
	struct lasting_records lasting;
	/* bytes of lasting.changes already applied to the image */
	size_t changes_known;
	const struct log *log;
	struct recording *base;
	struct code_image *image;
	struct symbols *symbols;
	struct task_names *names;
	struct known_events *events;
	struct context_kinds *kinds;
	struct lines *lines; /* NULL: source lines are not wanted */
};

/* Creates the recording for @events, which are open. Borrows @events and @log.
 * @files are the files from a service, enum serve_file; NULL: read the kernel
 * with the program's own rights. Returns 0, or a negative enum error with the
 * reason in @log. The caller must close @own either way.
 */
int own_recording_open(struct own_recording *own,
		       const struct thread_events *events, const int *files,
		       const struct log *log);

void own_recording_close(struct own_recording *own);

/* Adds the source lines of sleeps to all later records. Must be called at most
 * once. Returns 0 or -ERROR_MEMORY.
 */
int own_recording_want_lines(struct own_recording *own);

/* Returns whether records of code changes have arrived that are not in the
 * image.
 */
bool own_recording_is_stale(const struct own_recording *own);

/* Replaces the image by one with all code changes so far. The old image must
 * not be in use. Returns 0 or a negative enum error, with the reason in the
 * log.
 */
int own_recording_follow(struct own_recording *own);

/* Writes @part, of thread @tid, as a complete recording into the new folder
 * @path. Returns 0, or a negative enum error with the reason in the log.
 */
int own_recording_save(const struct own_recording *own,
		       const struct thread_events *events,
		       const struct part_bytes *part, pid_t tid,
		       const char *path);

#endif
