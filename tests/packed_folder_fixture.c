/* SPDX-License-Identifier: MIT */
#include "tests/packed_folder_fixture.h"
#include "tests/remove_folder_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MARK_SIZE = sizeof(PACKED_FOLDER_MARK) - 1, NAME_LIMIT = 80 };

/* The folders that recordings have in them. */
static const char *const inner[] = { "kcore_dir/", "code/" };
enum { INNER_COUNT = sizeof(inner) / sizeof(*inner) };

static const char *behind_inner(const char *name)
{
	for (size_t i = 0; i < INNER_COUNT; i++)
		if (!strncmp(name, inner[i], strlen(inner[i])))
			return name + strlen(inner[i]);
	return name;
}

/* Reads one line of @bytes as a name; returns its length including the newline,
 * 0 if it is not a name.
 */
static size_t read_name(const uint8_t *bytes, size_t size,
			char name[NAME_LIMIT])
{
	const uint8_t *end = memchr(bytes, '\n', size);
	size_t length = end ? (size_t)(end - bytes) : 0;
	const char *last;

	if (!length || length >= NAME_LIMIT)
		return 0;
	memcpy(name, bytes, length);
	name[length] = '\0';
	last = behind_inner(name);
	return *last && *last != '.' && !strchr(last, '/') ? length + 1 : 0;
}

static void write_file(const struct packed_folder *folder, const char *name,
		       const uint8_t *bytes, size_t size)
{
	char path[sizeof(folder->path) + NAME_LIMIT];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	file = fopen(path, "wb");
	if (!file)
		return;
	if (size)
		fwrite(bytes, 1, size, file);
	fclose(file);
}

static size_t find_mark(const uint8_t *bytes, size_t size)
{
	const uint8_t *found =
		memmem(bytes, size, PACKED_FOLDER_MARK, MARK_SIZE);

	return found ? (size_t)(found - bytes) : size;
}

bool packed_folder_unpack(struct packed_folder *folder, const uint8_t *bytes,
			  size_t size)
{
	const char *parent = getenv("TMPDIR");
	char path[sizeof(folder->path) + NAME_LIMIT];
	char name[NAME_LIMIT];
	size_t at = find_mark(bytes, size);

	snprintf(folder->path, sizeof(folder->path), "%s/ktrace-fuzz-XXXXXX",
		 parent && strlen(parent) < 64 ? parent : "/tmp");
	if (!mkdtemp(folder->path))
		return false;
	for (size_t i = 0; i < INNER_COUNT; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder->path, inner[i]);
		mkdir(path, 0700);
	}
	if (at)
		write_file(folder, "data", bytes, at);
	while (at < size) {
		size_t start = at + MARK_SIZE;
		size_t length = read_name(bytes + start, size - start, name);

		start += length;
		at = start + find_mark(bytes + start, size - start);
		if (length)
			write_file(folder, name, bytes + start, at - start);
	}
	return true;
}

void packed_folder_remove(const struct packed_folder *folder)
{
	remove_folder(folder->path);
}
