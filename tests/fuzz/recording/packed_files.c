/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/recording/packed_files.h"
#include "tests/fixtures/packed_folder.h"

#include <string.h>

enum { MARK_SIZE = sizeof(PACKED_FOLDER_MARK) - 1 };

static size_t find_mark(const uint8_t *bytes, size_t size)
{
	const uint8_t *found =
		memmem(bytes, size, PACKED_FOLDER_MARK, MARK_SIZE);

	return found ? (size_t)(found - bytes) : size;
}

static void add_file(struct packed_files *packed, const uint8_t *name,
		     size_t name_size, const uint8_t *bytes, size_t size)
{
	struct packed_file *file = &packed->files[packed->count];

	if (!name_size || name_size >= PACKED_NAME_ROOM ||
	    memchr(name, '\0', name_size) || packed->count == PACKED_FILES_MOST)
		return;
	memcpy(file->name, name, name_size);
	file->name[name_size] = '\0';
	file->bytes = bytes;
	file->size = size;
	packed->count++;
}

void packed_files_read(struct packed_files *packed, const uint8_t *bytes,
		       size_t size)
{
	size_t at = find_mark(bytes, size);

	packed->count = 0;
	if (at)
		add_file(packed, (const uint8_t *)"data", 4, bytes, at);
	while (at < size) {
		const uint8_t *name = bytes + at + MARK_SIZE;
		size_t left = size - at - MARK_SIZE;
		const uint8_t *end = memchr(name, '\n', left);
		size_t name_size = end ? (size_t)(end - name) : left;
		size_t start = name_size < left ? name_size + 1 : left;
		size_t file_size = find_mark(name + start, left - start);

		if (end)
			add_file(packed, name, name_size, name + start,
				 file_size);
		at += MARK_SIZE + start + file_size;
	}
}

const struct packed_file *packed_files_find(const struct packed_files *packed,
					    const char *name)
{
	for (size_t i = 0; i < packed->count; i++)
		if (!strcmp(packed->files[i].name, name))
			return &packed->files[i];
	return NULL;
}

size_t packed_files_write(const struct packed_files *packed, uint8_t *to,
			  size_t room)
{
	size_t at = 0;

	for (size_t i = 0; i < packed->count; i++) {
		const struct packed_file *file = &packed->files[i];
		size_t length = strlen(file->name);

		if (room - at < MARK_SIZE + length + 1 + file->size)
			return 0;
		memcpy(to + at, PACKED_FOLDER_MARK, MARK_SIZE);
		at += MARK_SIZE;
		memcpy(to + at, file->name, length);
		at += length;
		to[at++] = '\n';
		if (file->size)
			memcpy(to + at, file->bytes, file->size);
		at += file->size;
	}
	return at;
}
