/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/code.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
	const char *path;
	uint8_t *bytes; /* private mapping; NULL: cannot be read */
	size_t size;
};

struct code {
	const struct recording *recording;
	const char *vdso;
	struct file kcore;
	struct file *files; /* one per mapping, not shared */
	uint32_t next_poke;
	uint64_t tsc;
};

static void file_map(struct file *file, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes = MAP_FAILED;

	file->path = path;
	if (fd < 0)
		return;
	if (!fstat(fd, &status) && status.st_size > 0)
		bytes = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return;
	file->bytes = bytes;
	file->size = status.st_size;
}

static void file_unmap(struct file *file)
{
	if (file->bytes)
		munmap(file->bytes, file->size);
}

static void map_user_files(struct code *code)
{
	const struct recording *recording = code->recording;
	const char *path;

	code->files =
		calloc(recording->mapping_count + 1, sizeof(*code->files));
	if (!code->files)
		abort();
	for (uint32_t i = 0; i < recording->mapping_count; i++) {
		path = recording->mappings[i].path;
		if (!strcmp(path, "[vdso]"))
			path = code->vdso;
		if (path)
			file_map(&code->files[i], path);
	}
}

struct code *code_open(const struct recording *recording, const char *vdso)
{
	struct code *code = calloc(1, sizeof(*code));
	char path[4096];

	if (!code)
		abort();
	code->recording = recording;
	code->vdso = vdso;
	snprintf(path, sizeof(path), "%s/kcore_dir/kcore",
		 recording->directory);
	file_map(&code->kcore, path);
	if (!code->kcore.bytes || code->kcore.size < sizeof(Elf64_Ehdr)) {
		fprintf(stderr, "%s: cannot be read\n", path);
		code_close(code);
		return NULL;
	}
	map_user_files(code);
	return code;
}

void code_close(struct code *code)
{
	for (uint32_t i = 0; code->files && i < code->recording->mapping_count;
	     i++)
		file_unmap(&code->files[i]);
	free(code->files);
	file_unmap(&code->kcore);
	free(code);
}

/* Returns the kcore's bytes at @address; *@left is how many follow. */
static uint8_t *kernel_bytes(struct code *code, uint64_t address, size_t *left)
{
	uint8_t *bytes = code->kcore.bytes;
	const Elf64_Ehdr *header = (const void *)bytes;
	const Elf64_Phdr *segment = (const void *)(bytes + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++, segment++) {
		uint64_t offset = address - segment->p_vaddr;

		if (offset >= segment->p_filesz ||
		    segment->p_offset + segment->p_filesz > code->kcore.size)
			continue;
		*left = segment->p_filesz - offset;
		return bytes + segment->p_offset + offset;
	}
	return NULL;
}

static void put_kernel_bytes(struct code *code, uint64_t address,
			     const uint8_t *bytes, size_t size)
{
	size_t left;
	uint8_t *at = kernel_bytes(code, address, &left);

	if (at)
		memcpy(at, bytes, size < left ? size : left);
}

void code_rewind(struct code *code)
{
	const struct text_poke *pokes = code->recording->pokes;

	/* The copy may be from any time: undo all changes, the last one first.
	 */
	for (uint32_t i = code->recording->poke_count; i-- > 0;)
		put_kernel_bytes(code, pokes[i].address, pokes[i].bytes,
				 pokes[i].old_size);
	code->next_poke = 0;
}

void code_advance(struct code *code, uint64_t tsc)
{
	const struct text_poke *poke;

	code->tsc = tsc;
	while (code->next_poke < code->recording->poke_count) {
		poke = &code->recording->pokes[code->next_poke];
		if (poke->tsc > tsc)
			break;
		put_kernel_bytes(code, poke->address,
				 poke->bytes + poke->old_size, poke->new_size);
		code->next_poke++;
	}
}

static bool covers(const struct code_mapping *mapping, uint64_t address)
{
	return address >= mapping->start && address < mapping->end;
}

/* Returns the newest mapping made so far, since it replaced older ones. */
static const struct code_mapping *find_mapping(struct code *code,
					       uint64_t address)
{
	const struct recording *recording = code->recording;
	const struct code_mapping *mapping;

	for (uint32_t i = recording->mapping_count; i-- > 0;) {
		mapping = &recording->mappings[i];
		if (covers(mapping, address) && mapping->tsc <= code->tsc)
			return mapping;
	}
	return NULL;
}

static const uint8_t *user_bytes(struct code *code, uint64_t address,
				 size_t *left)
{
	const struct code_mapping *mapping = find_mapping(code, address);
	const struct file *file;
	uint64_t offset;

	if (!mapping)
		return NULL;
	file = &code->files[mapping - code->recording->mappings];
	offset = address - mapping->start;
	if (strcmp(mapping->path, "[vdso]"))
		offset += mapping->file_offset;
	if (!file->bytes || offset >= file->size)
		return NULL;
	*left = file->size - offset;
	if (*left > mapping->end - address)
		*left = mapping->end - address;
	return file->bytes + offset;
}

size_t code_read(struct code *code, uint64_t address, uint8_t *bytes,
		 size_t size)
{
	size_t left;
	const uint8_t *at = address >> 63 ? kernel_bytes(code, address, &left) :
					    user_bytes(code, address, &left);

	if (!at)
		return 0;
	if (size > left)
		size = left;
	memcpy(bytes, at, size);
	return size;
}
