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

/* The running kernel's code and names as files that programs are given: one copy
 * for all, made anew when the kernel has changed since.
 */
struct kernel_files {
	const struct log *log;
	struct output_folder folder;
	struct kernel_copy copy;
	bool is_copied;
	/* What tells of changes of the code, with a ring for each CPU. */
	struct event_list events;
	struct target cpus;
	struct array rings; /* struct ring */
};

/* Begins to look for changes, without a copy yet.  Returns 0, or a negative enum
 * error with the reason in @log, which is borrowed.  Close it either way.
 */
int kernel_files_open(struct kernel_files *files, const struct log *log);
void kernel_files_close(struct kernel_files *files);

/* Sees to it that the copy holds all changes until now; @events are whose
 * tracepoints' formats are wanted.  Then opens the files, for reading only, each
 * with an offset of its own.
 *
 * Returns 0 and @fds, the caller's to close; a negative enum error, said to the
 * log.
 */
int kernel_files_take(struct kernel_files *files,
		      const struct event_list *events, int fds[SERVE_FILES]);

#endif
