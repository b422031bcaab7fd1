/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kcore.h"

#include "common/bytes.h"
#include "common/error.h"
#include "common/files/file_io.h"
#include "common/files/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
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

enum { FILE_PAGE = 4096, PIECE = 1 << 20 };

static int copy_range(const struct kcore *kcore, int fd,
		      const struct code_range *range, uint64_t offset)
{
	uint8_t *piece = malloc(PIECE);
	uint64_t address = range->start;
	int error = piece ? 0 : -ERROR_MEMORY;

	while (!error && address < range->end) {
		uint64_t left = range->end - address;
		size_t size = left < PIECE ? (size_t)left : PIECE;

		error = kcore_read(kcore, address, piece, size);
		if (!error)
			error = write_at(fd, piece, size, offset);
		address += size;
		offset += size;
	}
	free(piece);
	return error;
}

static uint64_t round_up(uint64_t size)
{
	return (size + FILE_PAGE - 1) / FILE_PAGE * FILE_PAGE;
}

static Elf64_Phdr segment_of(const struct code_range *range, uint64_t offset)
{
	uint64_t size = range->end - range->start;

	return (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W | PF_X,
		.p_offset = offset,
		.p_vaddr = range->start,
		.p_filesz = size,
		.p_memsz = size,
		.p_align = FILE_PAGE,
	};
}

/* Adds the headers. Returns the offset of the first range's bytes. */
static uint64_t add_headers(const struct kcore *kcore,
			    const struct code_range *ranges, size_t count,
			    struct byte_buffer *bytes)
{
	uint64_t first =
		round_up(sizeof(Elf64_Ehdr) +
			 (count + KCORE_COPY_SPARE) * sizeof(Elf64_Phdr));
	Elf64_Ehdr header = kcore->header;
	uint64_t offset = first;

	header.e_phoff = sizeof(header);
	header.e_phnum = (Elf64_Half)count;
	header.e_shoff = 0;
	header.e_shnum = header.e_shentsize = header.e_shstrndx = 0;
	byte_buffer_add(bytes, &header, sizeof(header));
	for (size_t i = 0; i < count; i++) {
		Elf64_Phdr segment = segment_of(&ranges[i], offset);

		byte_buffer_add(bytes, &segment, sizeof(segment));
		offset += round_up(segment.p_filesz);
	}
	return first;
}

static int write_core(const struct kcore *kcore, int fd,
		      const struct code_range *ranges, size_t count)
{
	struct byte_buffer headers = { 0 };
	uint64_t offset = add_headers(kcore, ranges, count, &headers);
	int error = headers.failed ?
			    -ERROR_MEMORY :
			    write_at(fd, headers.bytes, headers.size, 0);

	byte_buffer_free(&headers);
	for (size_t i = 0; i < count && !error; i++) {
		error = copy_range(kcore, fd, &ranges[i], offset);
		offset += round_up(ranges[i].end - ranges[i].start);
	}
	return error;
}

/* Closes @fd. Returns @error, or the error of closing. */
static int finish(int fd, int error)
{
	int saved = errno;

	if (close(fd) < 0 && !error)
		return -ERROR_SYSTEM;
	errno = saved;
	return error;
}

int kcore_copy(const struct kcore *kcore, const struct output_folder *folder,
	       const char *name, const struct code_range *ranges, size_t count)
{
	int fd = output_folder_replace(folder, name);

	if (fd < 0)
		return -ERROR_SYSTEM;
	return finish(fd, write_core(kcore, fd, ranges, count));
}

static bool overlaps(const struct kcore *copy, const struct code_range *range)
{
	const Elf64_Phdr *segments = copy->segments.items;

	for (size_t i = 0; i < copy->segments.count; i++)
		if (range->start < segments[i].p_vaddr + segments[i].p_memsz &&
		    segments[i].p_vaddr < range->end)
			return true;
	return false;
}

/* Returns whether another header fits before the bytes. */
static bool has_room(const struct kcore *copy)
{
	const Elf64_Phdr *segments = copy->segments.items;
	uint64_t headers_end = copy->header.e_phoff +
			       (copy->segments.count + 1) * sizeof(*segments);

	for (size_t i = 0; i < copy->segments.count; i++)
		if (segments[i].p_offset < headers_end)
			return false;
	return true;
}

/* Writes the bytes first and the number of segments last, so that the file is
 * valid at any time.
 */
static int add_segment(const struct kcore *kcore, int fd, uint64_t offset,
		       Elf64_Ehdr *header, const struct code_range *range)
{
	Elf64_Phdr segment = segment_of(range, offset);
	int error = copy_range(kcore, fd, range, offset);

	segment.p_flags = KCORE_COPY_LATE_FLAGS;
	if (!error)
		error = write_at(fd, &segment, sizeof(segment),
				 header->e_phoff +
					 header->e_phnum * sizeof(segment));
	header->e_phnum++;
	return error ? error : write_at(fd, header, sizeof(*header), 0);
}

static int append(const struct kcore *kcore, struct kcore *copy,
		  const struct code_range *range)
{
	off_t end = lseek(copy->fd, 0, SEEK_END);

	if (end < 0)
		return -ERROR_SYSTEM;
	return add_segment(kcore, copy->fd, round_up((uint64_t)end),
			   &copy->header, range);
}

int kcore_copy_add(const struct kcore *kcore,
		   const struct output_folder *folder, const char *name,
		   const struct code_range *range)
{
	struct kcore copy;
	int error = kcore_open_fd(&copy,
				  output_folder_reopen(folder, name, O_RDWR));
	bool is_new;

	if (error)
		return error;
	is_new = !overlaps(&copy, range);
	if (is_new && !has_room(&copy))
		error = -ERROR_UNSUPPORTED;
	else if (is_new)
		error = append(kcore, &copy, range);
	kcore_close(&copy);
	return error ? error : is_new;
}

int kcore_copy_raw(const struct kcore *kcore,
		   const struct output_folder *folder, const char *name,
		   const struct code_range *range)
{
	int fd = output_folder_replace(folder, name);

	if (fd < 0)
		return -ERROR_SYSTEM;
	return finish(fd, copy_range(kcore, fd, range, 0));
}
