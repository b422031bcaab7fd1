/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_CHECKPOINT_INDEX_H
#define KT_REPORT_STEPS_CHECKPOINT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;
struct recording;

/* The index: a recording's checkpoints in a file beside it (docs/formats.md,
 * "index"). An index belongs to one key, a hash of everything that checkpoints
 * depend on; one with another key is replaced by the next pass over the whole
 * recording. Deleting it loses only time.
 *
 * The contents are untrusted: offsets, sizes and hashes are checked, and a
 * damaged index is like a missing one. The file appears under its name only
 * when it is complete. Times are in nanoseconds of the recording's clock.
 */

/* Returns the path of the file @name, "index" or another derived file, beside
 * @recording; the caller frees it. NULL when out of memory.
 */
char *checkpoint_index_path(const struct recording *recording,
			    const char *name);

/* Sets *@key to a hash of everything that checkpoints depend on: the
 * recording's file, the kernel's code, the functions and their numbers, and
 * this program.
 *
 * Returns whether all of it could be read.
 */
bool checkpoint_index_key(const struct recording *recording,
			  const struct function_table *functions,
			  uint64_t *key);

/* An index being written. The file appears only when it is finished. */
struct index_writer;

/* Starts an index at @path. Returns NULL if it cannot be written. */
struct index_writer *index_writer_open(const char *path, uint64_t key);

/* Adds a checkpoint. All events before it are at @time_ns or earlier. Must be
 * called in order of time.
 */
void index_writer_add(struct index_writer *writer, uint64_t time_ns,
		      const uint8_t *bytes, size_t size);

/* Moves the index to its path if no error occurred. Returns whether it did. */
bool index_writer_finish(struct index_writer *writer);

/* Replaces the index at @path, which is damaged although it has @key, by an
 * empty one with another key, so that the next pass over the whole recording
 * writes it again. Returns whether it could be replaced.
 */
bool checkpoint_index_discard(const char *path, uint64_t key);

/* Frees @writer; the index is lost unless it was finished. NULL is allowed. */
void index_writer_free(struct index_writer *writer);

/* An open index, with its table. */
struct checkpoint_index;

/* Returns the index at @path, which the caller closes; NULL if there is none,
 * or not with @key, or when out of memory.
 */
struct checkpoint_index *checkpoint_index_open(const char *path, uint64_t key);

/* Closes @index. NULL is allowed. */
void checkpoint_index_close(struct checkpoint_index *index);

/* The checkpoint to find in an index. */
enum checkpoint_wanted {
	CHECKPOINT_BEFORE, /* the last one before a time */
	CHECKPOINT_FROM,   /* the first one at a time or after it */
};

/* Finds the checkpoint @wanted, relative to @time_ns.
 *
 * Returns its bytes, which the caller frees, and sets *@size; NULL with *@size 0
 * if there is none, or with its size if it is damaged.
 */
uint8_t *checkpoint_index_find(const struct checkpoint_index *index,
			       enum checkpoint_wanted wanted, uint64_t time_ns,
			       size_t *size);

#endif
