/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_DATA_SUMMARY_H
#define KT_VIEW_DATA_SUMMARY_H

/* The summary of a recording, from which the page is answered without
 * decoding.
 *
 * view/make/ fills it during one complete decode; view/answer/ reads it, also
 * while it grows; it is then saved beside the recording, and loaded the next
 * time.
 *
 *   view_summary_new() --> grows (reached_ns) --> is_complete --> saved
 *   view_summary_load() -------------------------^
 *
 * Invariants:
 * 1. Readers and writers hold the lock, except for the members that never
 *    change.
 * 2. Level 0 of the slices has the resolution resolution_ns, each further
 *    level one that is four times as coarse.
 * 3. A file is untrusted: one that does not fit the recording, or is damaged,
 *    is treated as missing.
 *
 * Slices and sums are in the file. Memory holds the positions of its chunks,
 * call paths, threads, and the longest slices of each kind.
 */

#include "common/array.h"
#include "common/files/cache_file.h"
#include "common/files/output_folder.h"
#include "view/data/slice_store.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct call_sums;
struct log;
struct slice_store;

enum { LONGEST_KEPT = 50 };

/* The longest slices of some kind, and their total number. */
struct longest {
	struct view_slice slices[LONGEST_KEPT]; /* longest first */
	uint32_t kept;
	uint64_t count;
	uint64_t sum_ns;
};

void longest_consume(struct longest *longest, const struct view_slice *slice);

/* A thread, or the idle task of a CPU. */
struct view_thread {
	int32_t tid; /* 0: the idle task of cpu; -1: an unknown task of cpu */
	int32_t pid;
	int32_t cpu;
	uint64_t state_ns[VIEW_STATES];
	uint64_t state_count[VIEW_STATES];
};

/* A coroutine, fiber or goroutine, struct call_step.fiber. The calls of its
 * track are also in those of the threads that it ran in.
 */
struct view_fiber {
	int32_t pid;
	uint32_t fiber;
};

/* The overview's lists of longest slices. */
enum view_list {
	LIST_SLEEPS,
	LIST_CALLS, /* system calls */
	LIST_INTERRUPTS,
	LIST_GAPS,
	LIST_COUNT,
};

/* The results of a whole decode for the page: slices by level, call trees by
 * parts of time, threads. It is rebuilt if it does not fit the recording, and
 * its file is untrusted.
 *
 * All fields are public. Readers and writers must hold the lock, except for the
 * fields up to functions, which never change.
 */
struct view_summary {
	uint64_t first_ns; /* start and end of the recording */
	uint64_t last_ns;
	/* calls on level 0 that are shorter are merged; four times as much on
	 * each further level
	 */
	uint64_t resolution_ns;
	uint32_t levels;
	uint32_t functions; /* number of functions of the recording */
	pthread_mutex_t lock;
	uint64_t begin_ns;   /* start of its trace; 0: nothing decoded yet */
	uint64_t reached_ns; /* end of the decoded part */
	bool is_complete;
	struct array threads; /* struct view_thread */
	struct array fibers;  /* struct view_fiber */
	struct longest lists[LIST_COUNT];
	/* why the command took as long as it did (explain/), as JSON; NULL:
	 * incomplete, or not known. Owned.
	 */
	char *explanation;
	/* the rows of reports that have no slices, as an object of lists by
	 * report: block, spins, args; NULL: incomplete. Owned.
	 */
	char *reports;
	/* each function's time with its callees, by number, once a search of a
	 * complete summary has summed it up; owned
	 */
	uint64_t *function_ns;
	struct output_draft draft; /* fd -1: an unnamed temporary file */
	struct chunk_file file;
	struct slice_store *slices;
	struct call_sums *calls;
};

/* Returns an empty summary whose file will become @path. If that cannot be
 * written, the file is a temporary one. NULL when out of memory, or if no file
 * can be written; the latter is logged.
 */
struct view_summary *view_summary_new(const char *path, const struct log *log);

/* Returns the summary saved at @path with @key; NULL if there is none that
 * fits.
 */
struct view_summary *view_summary_load(const char *path, uint64_t key,
				       uint32_t functions);
void view_summary_free(struct view_summary *summary);

/* Saves a complete summary. Returns 0, or a negative enum error, after which
 * the summary can still be used in memory.
 */
int view_summary_save(struct view_summary *summary, uint64_t key);

/* Returns the resolution of @level: shorter slices are merged there. */
uint64_t view_summary_resolution(const struct view_summary *summary,
				 uint32_t level);

#endif
