/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/recording/record_list.h"
#include "common/formats/perf_data.h"

#include <string.h>

/* Offsets in the file's header. */
enum { DATA_OFFSET = 40, DATA_SIZE = 48, FEATURES = 72, FEATURE_WORDS = 4 };

static uint64_t read_word(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static void write_word(uint8_t *bytes, uint64_t word)
{
	memcpy(bytes, &word, sizeof(word));
}

/* Returns the size of the record at @bytes; @left if it is not valid. */
static size_t record_size(const uint8_t *bytes, size_t left)
{
	uint32_t type;
	uint16_t size;

	if (left < RECORD_HEAD)
		return left;
	memcpy(&type, bytes, sizeof(type));
	memcpy(&size, bytes + 6, sizeof(size));
	if (size < RECORD_HEAD || size > left)
		return left;
	if (type != PERF_DATA_AUXTRACE || size < RECORD_AUXTRACE_HEAD)
		return size;

	uint64_t trace = read_word(bytes + RECORD_HEAD);

	return trace > left - size ? left : size + (size_t)trace;
}

bool record_list_read(struct record_list *list, const uint8_t *file,
		      size_t size)
{
	list->file = file;
	list->file_size = size;
	list->count = 0;
	if (size < PERF_DATA_HEADER_SIZE ||
	    memcmp(file, PERF_DATA_MAGIC, 8) != 0)
		return false;

	uint64_t begin = read_word(file + DATA_OFFSET);
	uint64_t bytes = read_word(file + DATA_SIZE);

	if (begin < PERF_DATA_HEADER_SIZE || begin > size ||
	    bytes > size - begin)
		return false;
	list->begin = (size_t)begin;
	list->end = (size_t)(begin + bytes);
	for (size_t at = list->begin; at < list->end;) {
		struct listed_record *record = &list->records[list->count++];

		record->bytes = file + at;
		record->size = record_size(file + at, list->end - at);
		if (list->count == RECORD_LIST_MOST)
			record->size = list->end - at;
		at += record->size;
	}
	return list->count;
}

bool record_list_insert(struct record_list *list, size_t index,
			struct listed_record record)
{
	if (list->count == RECORD_LIST_MOST)
		return false;
	memmove(&list->records[index + 1], &list->records[index],
		(list->count - index) * sizeof(record));
	list->records[index] = record;
	list->count++;
	return true;
}

void record_list_remove(struct record_list *list, size_t index)
{
	list->count--;
	memmove(&list->records[index], &list->records[index + 1],
		(list->count - index) * sizeof(list->records[0]));
}

/* The table of the features' offsets follows the records, in the order of their
 * bits.
 */
static void move_features(uint8_t *file, size_t end, size_t size,
			  uint64_t distance)
{
	for (size_t i = 0; i < FEATURE_WORDS; i++) {
		uint64_t bits = read_word(file + FEATURES + 8 * i);

		for (; bits && size - end >= 16; bits &= bits - 1, end += 16)
			write_word(file + end,
				   read_word(file + end) + distance);
	}
}

size_t record_list_write(const struct record_list *list, uint8_t *to,
			 size_t room)
{
	size_t tail = list->file_size - list->end;
	size_t at = list->begin;

	if (room < list->begin)
		return 0;
	memcpy(to, list->file, list->begin);
	for (size_t i = 0; i < list->count; i++) {
		const struct listed_record *record = &list->records[i];

		if (room - at < record->size)
			return 0;
		memcpy(to + at, record->bytes, record->size);
		at += record->size;
	}
	if (room - at < tail)
		return 0;
	memcpy(to + at, list->file + list->end, tail);
	write_word(to + DATA_SIZE, at - list->begin);
	move_features(to, at, at + tail, (uint64_t)at - list->end);
	return at + tail;
}
