/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_KERNEL_FILES_H
#define KT_SERVE_KERNEL_FILES_H

#include "collector/events/event_list.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/target/target.h"
#include "common/output_folder.h"
#include "serve/serve_message.h"

#include <stdbool.h>

struct log;

/* The running kernel's code and names as files for clients: one shared copy,
 * which is renewed when the kernel has changed since.
 */
struct kernel_files {
	const struct log *log;
	struct output_folder folder;
	struct kernel_copy copy;
	bool is_copied;
	/* The events that report code changes, with a ring for each CPU. */
	struct event_list events;
	struct target cpus;
	struct array rings; /* struct ring */
};

/* Starts to watch for changes, without making a copy yet. Returns 0, or a
 * negative enum error with the reason in @log, which is borrowed. The caller
 * must close @files either way.
 */
int kernel_files_open(struct kernel_files *files, const struct log *log);
void kernel_files_close(struct kernel_files *files);

/* Brings the copy up to date; the tracepoint formats are those of @events. Then
 * opens the files, read-only, each with its own file position.
 *
 * Returns 0 and @fds, which the caller closes; a negative enum error, logged.
 */
int kernel_files_take(struct kernel_files *files,
		      const struct event_list *events, int fds[SERVE_FILES]);

#endif
