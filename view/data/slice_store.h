/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SLICE_STORE_H
#define KT_VIEW_SLICE_STORE_H

#include "report/steps/time_window.h"
#include "view/data/slice.h"

struct chunk_file;
struct pack;

/* Slices by level and lane: level 0 has all that was kept, each further one
 * what can be seen from farther away.  They lie in a file, some thousands a
 * chunk, of which only where they are is kept in memory.
 */
struct slice_store;

enum { SLICE_LEVELS_MOST = 16 };

/* Borrows @file.  Returns NULL when out of memory. */
struct slice_store *slice_store_new(struct chunk_file *file);
void slice_store_free(struct slice_store *store);

/* Adds a slice; those of a level and a lane in order of their ends.
 *
 * Returns 0 or a negative enum error.
 */
int slice_store_add(struct slice_store *store, uint32_t level,
		    const struct view_slice *slice);

/* Hands those of @level and @lane that @window has any part of to @callback, in
 * the order in which they were added.
 *
 * Returns 0 or a negative enum error: -ERROR_FORMAT if what was written is not
 * what is read.
 */
int slice_store_read(const struct slice_store *store, uint32_t level,
		     uint32_t lane, struct time_window window,
		     struct slice_callback *callback);

/* Returns the number behind the last lane that @level has. */
uint32_t slice_store_lanes(const struct slice_store *store, uint32_t level);

/* Writes all that is still in memory to the file.  Returns 0 or a negative
 * enum error.
 */
int slice_store_flush(struct slice_store *store);

/* Writes where everything is, behind slice_store_flush(), or reads it. */
void slice_store_pack(struct slice_store *store, struct pack *pack);

#endif
