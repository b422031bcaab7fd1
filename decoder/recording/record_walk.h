/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_RECORD_WALK_H
#define KT_DECODER_RECORDING_RECORD_WALK_H

/* The container format of perf.data, up to unparsed records.
 *
 *	struct data_file     the file's parts: header, data, features
 *	      │ record_store_open(): one walk, compressed records unpacked
 *	struct record_store  all records, in the order of the file
 *	      │ record_walk_of()
 *	struct record_walk   an iterator; any number, each for one thread
 *
 * 1. Nothing in the file is trusted: each size is checked against its
 *    container. The first invalid record ends the records (stop_reason); those
 *    before it are used.
 * 2. A store is constant after record_store_open(). record_walk_release() gives
 *    pages back to the system, which loads them again when they are read.
 * 3. Records are read in place, in the mapping or in the unpacked bytes.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */

#include "common/array.h"
#include "common/files/file_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct recording;

/* One open perf.data file, and where its header, records and features are.
 * Other source files parse these.
 *
 * A recording that is a directory may also have files data.N, or compressed
 * data.N.zst, with more records: records of one CPU's trace
 * (collector/writer/trace_writer.h). They are mapped after the file, each on a
 * page of its own, as if they were parts of it.
 */
struct data_file {
	struct file_map map;
	struct array parts; /* struct data_part: the other files */
	bool has_fd;	    /* false: it is in memory only */
	int fd;
	const char *path; /* borrowed, for messages */
	const struct log *log;
	bool is_pipe;	      /* no attributes, no feature sections */
	bool is_cut;	      /* the file ends before its data does */
	uint64_t data_offset; /* where the records start */
	uint64_t data_size;   /* limited to the size of the file */
	uint64_t attr_offset;
	uint64_t attr_size;
	uint64_t attr_entry_size;
	/* offset of the table of the features' {offset, size} */
	uint64_t feature_offset;
	uint64_t features[4]; /* bitmap of the features present */
};

/* Opens and checks @path. Returns 0 or a negative enum error. */
int data_file_open(struct data_file *file, const char *path,
		   const struct log *log);

void data_file_close(struct data_file *file);

/* Maps the files data.N and data.N.zst of @folder, the latter decompressed to
 * a temporary file, after @file; one that cannot be read is left out with a
 * warning. Must be called before anything refers to the mapping, which moves.
 * Returns 0, -ERROR_MEMORY or -ERROR_SYSTEM.
 */
int data_file_add_parts(struct data_file *file, const char *folder);

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

/* A file of records beside the recording's own file. */
struct data_part {
	char name[24];
	unsigned int number; /* in its name */
	int fd;		     /* -1: only mapped */
	uint64_t start;	     /* in the mapping */
	uint64_t size;
};

/* One record, unparsed. */
struct record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;	      /* of the record, including its header */
	const uint8_t *bytes; /* starts with the header */
	uint64_t file_offset; /* for a compressed record: of its container */
	/* Data after the record that is not included in its size: the trace
	 * bytes of AUXTRACE, the formats of TRACING_DATA.
	 */
	const uint8_t *trailer;
	uint64_t trailer_size;
	bool trailer_cut;
};

/* Reads the record at the start of @bytes, of which @size are available.
 *
 * Returns NULL and sets @record, except its file_offset, and *@length, the
 * distance to the next record. Returns a text that describes the error
 * otherwise.
 */
const char *record_frame_read(const uint8_t *bytes, uint64_t size,
			      struct record *record, uint64_t *length);

/* All records of a file, with the compressed ones unpacked. */
struct record_store {
	const struct data_file *file;
	struct array spans; /* struct record_span, in order */
	struct file_map unpacked;
	bool has_attributes;	 /* records of type ATTR are possible */
	const char *stop_reason; /* why the walk ended early, or NULL */
};

/* Finds the records of @file, which it borrows. Returns 0, -ERROR_MEMORY or
 * -ERROR_SYSTEM. The first invalid record ends the walk.
 */
int record_store_open(struct record_store *store, const struct data_file *file);

/* Like record_store_open(), for a store that is open or zeroed: keeps its
 * memory.
 */
int record_store_reopen(struct record_store *store,
			const struct data_file *file);

void record_store_close(struct record_store *store);

struct record_walk {
	const struct record_store *store;
	size_t span;
	uint64_t offset;
	/* end of the bytes given back to the system: of the file, and of the
	 * unpacked bytes
	 */
	uint64_t released[2];
};

struct record_walk record_walk_of(const struct record_store *store);

/* Returns 1 and @record, or 0 at the end. */
int record_walk_next(struct record_walk *walk, struct record *record);

/* Gives the memory of the records that @walk read before the position of @place
 * back to the system. The records can still be read again.
 */
void record_walk_release(struct record_walk *walk,
			 const struct record_walk *place);

/* Like record_walk_release(), for a reader of selected records that has reached
 * @bytes: releases the file's pages before it. *@released must be 0 in the
 * first call.
 */
void record_store_release(const struct record_store *store,
			  const uint8_t *bytes, uint64_t *released);

/* Returns the records of @recording. */
const struct record_store *recording_store(const struct recording *recording);

#endif
