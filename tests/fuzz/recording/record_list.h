/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_RECORD_LIST_H
#define KT_TESTS_FUZZ_RECORD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_LIST_MOST = 512, RECORD_HEAD = 8, RECORD_AUXTRACE_HEAD = 48 };

/* A record with the trace that follows it, if it is an AUXTRACE. */
struct listed_record {
	const uint8_t *bytes;
	size_t size;
};

/* The records of a perf.data file, for changing and rewriting. */
struct record_list {
	const uint8_t *file;
	size_t file_size;
	size_t begin; /* offset of the records in the file */
	size_t end;
	struct listed_record records[RECORD_LIST_MOST];
	size_t count;
};

/* Finds the records of the @size bytes at @file, which are borrowed. Bytes that
 * are not a record belong to the last one. Returns false if it is not a
 * perf.data file or has no records.
 */
bool record_list_read(struct record_list *list, const uint8_t *file,
		      size_t size);

/* Puts a record before the one at @index.  Returns false if there is no room. */
bool record_list_insert(struct record_list *list, size_t index,
			struct listed_record record);
void record_list_remove(struct record_list *list, size_t index);

/* Writes the file with the current records, adapting the offsets in its header
 * and features. Returns the size; 0 if @room is too small.
 */
size_t record_list_write(const struct record_list *list, uint8_t *to,
			 size_t room);

#endif
