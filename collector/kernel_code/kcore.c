/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kcore.h"
#include "common/error.h"
#include "common/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int read_segments(struct kcore *kcore)
{
	const Elf64_Ehdr *header = &kcore->header;
	int error = read_at(kcore->fd, &kcore->header, sizeof(*header), 0);

	if (error)
		return error == -ERROR_NOT_FOUND ? -ERROR_FORMAT : error;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_phentsize != sizeof(Elf64_Phdr))
		return -ERROR_FORMAT;
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr *segment = array_add(&kcore->segments);

		if (!segment)
			return -ERROR_MEMORY;
		error = read_at(kcore->fd, segment, sizeof(*segment),
				header->e_phoff + i * sizeof(*segment));
		if (error)
			return -ERROR_FORMAT;
	}
	return 0;
}

int kcore_open(struct kcore *kcore, const char *path)
{
	return kcore_open_fd(kcore, open(path, O_RDONLY | O_CLOEXEC));
}

int kcore_open_fd(struct kcore *kcore, int fd)
{
	int error;

	*kcore = (struct kcore){ .segments = ARRAY_OF(Elf64_Phdr) };
	kcore->fd = fd;
	if (kcore->fd < 0)
		return -ERROR_SYSTEM;
	error = read_segments(kcore);
	if (error)
		kcore_close(kcore);
	return error;
}

void kcore_close(struct kcore *kcore)
{
	int saved = errno;

	if (kcore->fd >= 0)
		close(kcore->fd);
	kcore->fd = -1;
	array_free(&kcore->segments);
	errno = saved;
}

int kcore_read(const struct kcore *kcore, uint64_t address, void *buffer,
	       size_t size)
{
	const Elf64_Phdr *segments = kcore->segments.items;

	for (size_t i = 0; i < kcore->segments.count; i++) {
		uint64_t into = address - segments[i].p_vaddr;

		if (segments[i].p_type != PT_LOAD ||
		    address < segments[i].p_vaddr ||
		    into >= segments[i].p_memsz ||
		    size > segments[i].p_memsz - into)
			continue;
		return read_at(kcore->fd, buffer, size,
			       segments[i].p_offset + into);
	}
	return -ERROR_NOT_FOUND;
}

bool kcore_has_same(const struct kcore *a, const struct kcore *b,
		    uint64_t address, uint64_t size)
{
	uint8_t left[4096];
	uint8_t right[sizeof(left)];

	for (uint64_t at = 0; at < size; at += sizeof(left)) {
		uint64_t part = size - at;

		if (part > sizeof(left))
			part = sizeof(left);
		if (kcore_read(a, address + at, left, part) ||
		    kcore_read(b, address + at, right, part) ||
		    memcmp(left, right, part) != 0)
			return false;
	}
	return true;
}
