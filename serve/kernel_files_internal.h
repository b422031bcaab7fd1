/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_KERNEL_FILES_INTERNAL_H
#define KT_SERVE_KERNEL_FILES_INTERNAL_H

#include "collector/events/event_list.h"
#include "collector/target/target.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/files/output_folder.h"
#include "serve/serve_message.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct log;

/* Copies of the running kernel's code and names, as files that all clients
 * share.
 *
 * A copy takes half a second and tens of MB. Whether one is needed does not
 * depend on the client: the kernel's code changes whenever a program, with
 * rights or without, switches something on. So no user is charged for a copy;
 * instead the total is bounded, whatever clients do:
 *
 *	        kernel_files_take(), if the newest copy is outdated
 *	 idle ──────────────────────────────────────────────────────► copying
 *	   ▲                   kernel_files_finish()                     │
 *	   └─────────────────────────────────────────────────────────────┘
 *
 * Copies have numbers, 1, 2, ... by their start. Invariants;
 * tests/serve/test_kernel_files.c has a test for each:
 *
 *  1. At most one copy is being made, in a thread of its own. No function here
 *     waits for it, except kernel_files_close().
 *  2. A client whose events were open before copy N started needs no later copy
 *     than N: the events report all changes since. So it waits for two copies
 *     at most: the current one and the next.
 *  3. While the kernel's code does not change, all clients get the same files,
 *     each with a file position of its own.
 *  4. At most BUDGET_KERNEL_COPIES copies occupy disk space, including the one
 *     that is being made. Complete ones have no names. Before a copy is made,
 *     the oldest is withdrawn: its files are truncated, which frees their space
 *     even if clients hold descriptors of them.
 *  5. Of a withdrawn copy the file SERVE_KCORE is truncated first. If this file
 *     is not empty after a client has read all files, the client has read a
 *     whole copy. Between its turn and the withdrawal at least two further
 *     copies are made.
 *
 * Threads: one thread calls all functions. The thread that copies uses only the
 * source, the folder, the oldest of the copies, and @making.
 */

/* The kernel, or a test's stand-in for it. */
struct kernel_source {
	void *context;
	/* Returns whether the code may have changed since the previous call. It
	 * is called when a copy starts, and never during one.
	 */
	bool (*has_changed)(void *context);
	/* Writes all files of enum serve_file to @folder. Returns 0, or a
	 * negative enum error with the reason in @log.
	 */
	int (*copy)(void *context, const struct output_folder *folder,
		    const struct log *log);
};

struct shared_copy {
	int fds[SERVE_FILES]; /* for reading and writing; -1: not open */
};

struct copy_result {
	int error;
	struct serve_refused reason; /* for the error */
};

struct kernel_files {
	struct kernel_source source;
	struct output_folder folder;
	struct shared_copy copies[BUDGET_KERNEL_COPIES];
	size_t newest;	  /* index in @copies of the last complete one */
	uint64_t started; /* the number of the last copy that started */
	/* number of the last copy that finished: @started, or 1 less */
	uint64_t finished;
	uint64_t succeeded; /* number of the last complete copy; 0: none */
	bool is_current; /* no code change was reported since the newest copy */
	pthread_t thread;	   /* valid while a copy is being made */
	int finish_fd;		   /* becomes readable when a copy is made */
	struct copy_result making; /* belongs to the thread while it runs */
	struct copy_result last;   /* result of copy number @finished */
};

/* Opens @files without a copy. Returns 0, or a negative enum error with the
 * reason in @log. The caller must close @files either way.
 */
int kernel_files_open(struct kernel_files *files, struct kernel_source source,
		      const struct log *log);

/* Waits for the copy that is being made, and frees everything. Zeroed @files
 * are allowed.
 */
void kernel_files_close(struct kernel_files *files);

/* Completes the copy after files->finish_fd has become readable. */
void kernel_files_finish(struct kernel_files *files);

/* Opens the files for a client whose events were open when files->started was
 * @since; starts a copy if one is needed and none is being made.
 *
 * Returns 0 and @fds, which the caller closes; 1 if the client has to wait for
 * a copy; a negative enum error with the reason in @log.
 */
int kernel_files_take(struct kernel_files *files, uint64_t since,
		      const struct log *log, int fds[SERVE_FILES]);

/* Returns whether a client with this @since (see kernel_files_take()) has to
 * wait for the copy that is being made.
 */
bool kernel_files_is_waiting(const struct kernel_files *files, uint64_t since);

/* Watches the running kernel: reports whether its code may have changed since
 * the last copy. The events are open on the CPUs that are online. The kernel
 * closes those of a CPU that is switched off, and a CPU that is switched on has
 * none: if a CPU was switched on, the code counts as changed, and the events
 * are opened again. Code also counts as changed if the kernel's patches cannot
 * be watched: arm64's, without CAP_SYS_ADMIN or a free breakpoint.
 */
struct kernel_watch {
	const struct log *log; /* borrowed */
	/* The events that report code changes, with a ring for each CPU. */
	struct event_list events;
	struct target cpus;
	struct array rings;   /* struct ring */
	struct array modules; /* struct module, of the last copy */
	int reports;	      /* of CPUs, see cpu_reports_open(); -1: none */
	bool is_blind;	      /* changes may be missed */
};

/* A watch that is not open. */
#define KERNEL_WATCH_NONE ((struct kernel_watch){ .reports = -1 })

/* Starts to watch for changes. Borrows @log. Returns 0, or a negative enum
 * error with the reason in @log. The caller must close @watch either way.
 */
int kernel_watch_open(struct kernel_watch *watch, const struct log *log);

/* KERNEL_WATCH_NONE is allowed. */
void kernel_watch_close(struct kernel_watch *watch);

/* Returns the source for kernel_files_open(), which borrows @watch. */
struct kernel_source kernel_watch_source(struct kernel_watch *watch);

#endif
