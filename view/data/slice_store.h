/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SLICE_STORE_H
#define KT_VIEW_SLICE_STORE_H

#include "report/steps/call_step.h"
#include "view/data/slice.h"

struct chunk_file;
struct pack;

/* Slices by level and lane: level 0 has all stored slices, each further level
 * those visible at a lower zoom. They are in a file, some thousands per chunk;
 * only the chunks' positions are in memory.
 */
struct slice_store;

enum { SLICE_LEVELS_MOST = 16 };

/* Borrows @file.  Returns NULL when out of memory. */
struct slice_store *slice_store_new(struct chunk_file *file);
void slice_store_free(struct slice_store *store);

/* Adds a slice; slices of a level and lane must be added in order of their
 * ends.
 *
 * Returns 0 or a negative enum error.
 */
int slice_store_add(struct slice_store *store, uint32_t level,
		    const struct view_slice *slice);

/* Passes the slices of @level and @lane that overlap @window to @callback, in
 * the order in which they were added.
 *
 * Returns 0 or a negative enum error: -ERROR_FORMAT if the file was changed.
 */
int slice_store_read(const struct slice_store *store, uint32_t level,
		     uint32_t lane, struct time_window window,
		     struct slice_callback *callback);

/* Returns one more than the last lane number on @level. */
uint32_t slice_store_lanes(const struct slice_store *store, uint32_t level);

/* Writes all slices that are still in memory to the file. Returns 0 or a
 * negative enum error.
 */
int slice_store_flush(struct slice_store *store);

/* Writes, after slice_store_flush(), the chunks' positions, or reads them. */
void slice_store_pack(struct slice_store *store, struct pack *pack);

#endif
