/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_DATA_FILE_H
#define KT_DECODER_DATA_FILE_H

#include "common/file_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct recording;

/* The container format of a perf.data file: locates its parts. Other files
 * parse them.
 */
struct data_file {
	struct file_map map;
	bool has_fd; /* false: it is in memory only */
	int fd;
	const char *path; /* borrowed, for messages */
	const struct log *log;
	bool is_pipe;	      /* no attributes, no feature sections */
	bool is_cut;	      /* the file ends before its data does */
	uint64_t data_offset; /* the records */
	uint64_t data_size;   /* cut to the size of the file */
	uint64_t attr_offset;
	uint64_t attr_size;
	uint64_t attr_entry_size;
	uint64_t feature_offset; /* position of their {offset, size} */
	uint64_t features[4];	 /* bitmap of the features present */
};

/* Opens and checks @path. Returns 0 or a negative enum error. */
int data_file_open(struct data_file *file, const char *path,
		   const struct log *log);
void data_file_close(struct data_file *file);

/* Copies the @size bytes at @bytes, part of the file's mapping, without
 * touching the mapping: the first access to each page would be a page fault.
 * Returns false, without copying, if the bytes are not part of the mapping.
 */
bool data_file_copy(const struct data_file *file, const uint8_t *bytes,
		    size_t size, void *to);

/* Returns a pointer to the bytes of feature @bit in the mapping and sets
 * *@size; NULL if the file does not contain all of it.
 */
const uint8_t *data_file_feature(const struct data_file *file, unsigned int bit,
				 size_t *size);

/* Returns the file of @recording. */
const struct data_file *recording_data_file(const struct recording *recording);

#endif
