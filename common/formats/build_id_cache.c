/* SPDX-License-Identifier: MIT */
#include "common/formats/build_id_cache.h"

#include "common/array.h"
#include "common/files/regular_file.h"
#include "common/maps.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct elf_build_id id_of(Elf *elf)
{
	struct elf_build_id id = { 0 };
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	if (size > 0 && size <= ELF_BUILD_ID_SIZE) {
		id.size = (size_t)size;
		memcpy(id.bytes, bytes, id.size);
	}
	return id;
}

struct elf_build_id elf_build_id_of_file(const char *path)
{
	struct elf_build_id id = { 0 };
	int fd = regular_file_open(path);
	Elf *elf;

	if (fd < 0)
		return id;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		id = id_of(elf);
	elf_end(elf);
	close(fd);
	return id;
}

/* Returns the first build id among the notes of an ELF file, whose headers, names
 * and contents are padded to 4 bytes each (elf(5)).
 */
static struct elf_build_id id_in_notes(const char *notes, size_t size)
{
	struct elf_build_id id = { 0 };
	size_t at = 0;
	GElf_Nhdr note;

	while (size - at > sizeof(note)) {
		size_t name = at + sizeof(note);
		size_t content;

		memcpy(&note, notes + at, sizeof(note));
		if (note.n_namesz > size || note.n_descsz > size)
			break;
		content = name + (note.n_namesz + 3) / 4 * 4;
		at = content + (note.n_descsz + 3) / 4 * 4;
		if (at > size)
			break;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp(notes + name, "GNU", 4) ||
		    note.n_descsz > ELF_BUILD_ID_SIZE)
			continue;
		id.size = note.n_descsz;
		memcpy(id.bytes, notes + content, id.size);
		break;
	}
	return id;
}

struct elf_build_id elf_build_id_of_kernel(void)
{
	FILE *file = fopen("/sys/kernel/notes", "re");
	char notes[4096]; /* the kernel's are a few hundred bytes */
	size_t size = file ? fread(notes, 1, sizeof(notes), file) : 0;

	if (file)
		fclose(file);
	return id_in_notes(notes, size);
}

struct build_id_cache {
	struct string_pool *paths;
	struct array ids; /* struct elf_build_id, by the number of its path */
};

struct build_id_cache *build_id_cache_new(void)
{
	struct build_id_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->ids = ARRAY_OF(struct elf_build_id);
	cache->paths = string_pool_new();
	if (cache->paths)
		return cache;
	free(cache);
	return NULL;
}

void build_id_cache_free(struct build_id_cache *cache)
{
	if (!cache)
		return;
	string_pool_free(cache->paths);
	array_free(&cache->ids);
	free(cache);
}

struct elf_build_id *build_id_cache_at(struct build_id_cache *cache,
				       const char *name, bool *is_new)
{
	uint32_t number = string_pool_add(cache->paths, name, strlen(name));

	*is_new = false;
	if (number == STRING_POOL_NONE)
		return NULL;
	*is_new = number >= cache->ids.count;
	return array_reach(&cache->ids, number);
}

struct elf_build_id build_id_cache_of(struct build_id_cache *cache,
				      const char *path)
{
	bool is_new;
	struct elf_build_id *id = build_id_cache_at(cache, path, &is_new);

	if (!id)
		return (struct elf_build_id){ 0 };
	if (is_new)
		*id = elf_build_id_of_file(path);
	return *id;
}
