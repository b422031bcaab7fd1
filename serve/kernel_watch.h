/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_KERNEL_WATCH_H
#define KT_SERVE_KERNEL_WATCH_H

#include "collector/events/event_list.h"
#include "collector/target/target.h"
#include "common/array.h"
#include "serve/kernel_files.h"

#include <stdbool.h>

struct log;

/* Watches the running kernel: reports whether its code may have changed since
 * the last copy. The events are open on the CPUs that are online. The kernel
 * closes those of a CPU that is switched off, and a CPU that is switched on has
 * none: if a CPU was switched on, the code counts as changed, and the events are
 * opened again. Code also counts as changed if the kernel's patches cannot be
 * watched: arm64's, without CAP_SYS_ADMIN or a free breakpoint.
 */
struct kernel_watch {
	const struct log *log; /* borrowed */
	/* The events that report code changes, with a ring for each CPU. */
	struct event_list events;
	struct target cpus;
	struct array rings;   /* struct ring */
	struct array modules; /* struct module, of the last copy */
	int reports;	      /* of CPUs, see cpu_reports.h; -1: none */
	bool is_blind;	      /* changes may be missed */
};

/* Starts to watch for changes. Borrows @log. Returns 0, or a negative enum error
 * with the reason in @log. The caller must close @watch either way.
 */
int kernel_watch_open(struct kernel_watch *watch, const struct log *log);
void kernel_watch_close(struct kernel_watch *watch);

/* Returns the source for kernel_files_open(), which borrows @watch. */
struct kernel_source kernel_watch_source(struct kernel_watch *watch);

#endif
