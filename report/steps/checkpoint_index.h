/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CHECKPOINT_INDEX_H
#define KT_REPORT_CHECKPOINT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;
struct recording;

/* A recording's checkpoints in a file beside it (docs/formats.md, "index").  It
 * holds nothing that a decode of the whole would not find, so it is made anew
 * wherever something does not fit, and all that is read of it is outside data.
 */

/* Returns the path of the file @name beside @recording, "index" or another that
 * is made of it, to be freed; NULL when out of memory.
 */
char *checkpoint_index_path(const struct recording *recording,
			    const char *name);

/* Sets *@key to what the checkpoints hang on: the recording's file, the
 * kernel's code, the functions and their numbers, and this program.
 *
 * Returns whether that could be found out.
 */
bool checkpoint_index_key(const struct recording *recording,
			  const struct function_table *functions,
			  uint64_t *key);

/* An index being written: nothing is seen of it before it is finished. */
struct index_writer;

/* Returns NULL where it cannot be written. */
struct index_writer *index_writer_open(const char *path, uint64_t key);

/* Adds a checkpoint, later than those before: all before it is earlier than
 * @time_ns or at it.
 */
void index_writer_add(struct index_writer *writer, uint64_t time_ns,
		      const uint8_t *bytes, size_t size);

/* Puts the index in its place if all went well. */
void index_writer_finish(struct index_writer *writer);

/* NULL is allowed. */
void index_writer_free(struct index_writer *writer);

/* Returns whether there is an index at @path that fits. */
bool checkpoint_index_fits(const char *path, uint64_t key);

/* Finds the last checkpoint before @time_ns.
 *
 * Returns its bytes, to be freed, and sets *@size; NULL if there is none.
 */
uint8_t *checkpoint_index_find(const char *path, uint64_t key, uint64_t time_ns,
			       size_t *size);

#endif
