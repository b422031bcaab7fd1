/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_FILE_FRONT_H
#define KT_COLLECTOR_FILE_FRONT_H

#include "common/perf_data.h"

#include <stddef.h>
#include <stdint.h>

struct array;
struct byte_buffer;
struct event_list;
struct feature;

struct file_section {
	uint64_t offset;
	uint64_t size;
};

/* The file's first bytes, as stored on disk. */
struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[PERF_DATA_FEATURE_BITS / 64];
};

_Static_assert(sizeof(struct file_header) == PERF_DATA_HEADER_SIZE, "header");

/* Fills @header and appends the data between it and the records to @bytes: the
 * ids and attrs of @events, and the @count sections @features. Their positions
 * are added to @table, an array of struct file_section.
 *
 * Returns 0 or -ERROR_MEMORY; @bytes may have failed, too.
 */
int file_front_make(struct file_header *header, struct array *table,
		    const struct event_list *events,
		    const struct feature *features, size_t count,
		    struct byte_buffer *bytes);

/* Appends to @bytes, which will be at offset @at of the file, the ids and attrs of
 * @events as the bodies of records without meaning, and makes @header refer to
 * them.
 *
 * Returns 0; -ERROR_MEMORY; or -ERROR_UNSUPPORTED if a record would be larger
 * than its 16-bit size allows. @bytes may have failed, too.
 */
int file_front_attrs_again(struct file_header *header,
			   const struct event_list *events, uint64_t at,
			   struct byte_buffer *bytes);

/* Enters feature @bit, which has @size bytes at @offset of the file. Must be
 * called with ascending bits. Returns 0 or -ERROR_MEMORY.
 */
int file_front_enter(struct file_header *header, struct array *table,
		     enum perf_data_feature bit, uint64_t offset,
		     uint64_t size);

#endif
