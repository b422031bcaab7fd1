/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SUMMARY_H
#define KT_VIEW_SUMMARY_H

#include "common/array.h"
#include "common/chunk_file.h"
#include "common/output_folder.h"
#include "view/data/longest.h"
#include "view/data/slice.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct call_sums;
struct slice_store;

/* A thread, or the idle task of a CPU. */
struct view_thread {
	int32_t tid; /* 0: idle task; -1: unknown, both of cpu */
	int32_t pid;
	int32_t cpu;
	uint64_t state_ns[VIEW_STATES];
	uint64_t state_count[VIEW_STATES];
};

/* This is what the overview lists the longest of. */
enum view_list {
	LIST_SLEEPS,
	LIST_CALLS, /* of the system */
	LIST_INTERRUPTS,
	LIST_GAPS,
	LIST_COUNT,
};

/* All that a whole decode leaves for the page: slices by level, call trees by
 * parts of time, threads.  Made anew if it does not fit the recording, and all
 * that is read of it is outside data.
 *
 * Open.  Who reads or changes it holds the lock, but for the fields down to
 * functions, which stay as they are.
 */
struct view_summary {
	uint64_t first_ns; /* of the recording */
	uint64_t last_ns;
	uint64_t resolution_ns; /* of calls on level 0; each level has four
				 * times that of the one before */
	uint32_t levels;
	uint32_t functions; /* of the recording */
	pthread_mutex_t lock;
	uint64_t begin_ns;   /* of its trace; 0: nothing is decoded yet */
	uint64_t reached_ns; /* how far the decode has come */
	bool is_complete;
	struct array threads; /* struct view_thread */
	struct longest lists[LIST_COUNT];
	struct output_draft draft; /* fd -1: a file without a place */
	struct chunk_file file;
	struct slice_store *slices;
	struct call_sums *calls;
};

/* Returns an empty one, its file to become @path; NULL when out of memory or if
 * no file can be written, not even a temporary one.
 */
struct view_summary *view_summary_new(const char *path);

/* Returns the one that was saved at @path under @key; NULL if there is none
 * that fits.
 */
struct view_summary *view_summary_load(const char *path, uint64_t key,
				       uint32_t functions);
void view_summary_free(struct view_summary *summary);

/* All was decoded: saves it.  Returns 0, or a negative enum error: then it is
 * of use as long as it lives.
 */
int view_summary_save(struct view_summary *summary, uint64_t key);

/* Returns how long what a slice may be is, to be seen on @level. */
uint64_t view_summary_resolution(const struct view_summary *summary,
				 uint32_t level);

#endif
