/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_DATA_FILE_H
#define KT_DECODER_DATA_FILE_H

#include "common/array.h"
#include "common/file_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct recording;

/* The frame of a perf.data file: where its parts lie.  What they mean is
 * read elsewhere.
 */
struct data_file {
	struct file_map map;
	bool has_fd; /* else it is in memory alone */
	int fd;
	const char *path; /* borrowed, for messages */
	const struct log *log;
	bool is_pipe;	      /* no attributes, no feature sections */
	bool is_cut;	      /* the file ends before its data does */
	uint64_t data_offset; /* the records */
	uint64_t data_size;   /* cut to what is there */
	uint64_t attr_offset;
	uint64_t attr_size;
	uint64_t attr_entry_size;
	uint64_t feature_offset; /* where their {offset, size} lie */
	uint64_t features[4];	 /* which there are, bit by bit */
};

/* Opens and checks @path.  Returns 0 or a negative enum error. */
int data_file_open(struct data_file *file, const char *path,
		   const struct log *log);
void data_file_close(struct data_file *file);

/* Copies the @size bytes of the file's map at @bytes, without touching that: a page
 * that nobody has touched costs a page fault.  Returns whether it did; not if they
 * lie elsewhere.
 */
bool data_file_copy(const struct data_file *file, const uint8_t *bytes,
		    size_t size, void *to);

/* Returns the bytes of feature @bit in place and sets *@size; NULL if the
 * file does not have it whole.
 */
const uint8_t *data_file_feature(const struct data_file *file, unsigned int bit,
				 size_t *size);

/* That of @recording. */
const struct data_file *recording_data_file(const struct recording *recording);

#endif
