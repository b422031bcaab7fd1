/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_KERNEL_WATCH_H
#define KT_SERVE_KERNEL_WATCH_H

#include "collector/events/event_list.h"
#include "collector/target/target.h"
#include "common/array.h"
#include "serve/kernel_files.h"

struct log;

/* Watches the running kernel: reports whether its code has changed since the
 * last copy.
 */
struct kernel_watch {
	/* The events that report code changes, with a ring for each CPU. */
	struct event_list events;
	struct target cpus;
	struct array rings;   /* struct ring */
	struct array modules; /* struct module, of the last copy */
};

/* Starts to watch for changes. Returns 0, or a negative enum error with the
 * reason in @log. The caller must close @watch either way.
 */
int kernel_watch_open(struct kernel_watch *watch, const struct log *log);
void kernel_watch_close(struct kernel_watch *watch);

/* Returns the source for kernel_files_open(), which borrows @watch. */
struct kernel_source kernel_watch_source(struct kernel_watch *watch);

#endif
