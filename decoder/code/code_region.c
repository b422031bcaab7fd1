/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_region.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/files/file_io.h"
#include "common/files/file_map.h"
#include "common/files/output_folder.h"
#include "common/log.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Three parts: sets of known ranges (struct code_known, sorted, never
 * touching); the loads of an ELF core file such as kcore, with overlaps
 * removed; and regions, made of loads that are near each other.
 *
 * A region of one load stays in the core file. A region of several loads is
 * copied to a temporary file of its own, which is mapped, so that decoders and
 * libipt read the same bytes; memory that is all zero is not written, so the
 * file is sparse. The core file is untrusted: loads are checked against its
 * size, and those beyond the budget are left out, which is logged.
 */

/* Makes room for one range at @index. Returns it, or NULL. */
static struct code_known *insert(struct array *known, size_t index)
{
	struct code_known *ranges;

	if (!array_add(known))
		return NULL;
	ranges = known->items;
	for (size_t i = known->count - 1; i > index; i--)
		ranges[i] = ranges[i - 1];
	return &ranges[index];
}

/* Merges the new range with all ranges that overlap or touch it. */
int code_known_add(struct array *known, uint64_t first, uint64_t end)
{
	size_t index = array_count_below(
		known, KEYS(RISING(struct code_known, end)), first);
	struct code_known *range;
	size_t count = 0;

	if (first >= end)
		return 0;
	for (; index + count < known->count; count++) {
		range = array_at(known, index + count);
		if (range->first > end)
			break;
		if (range->first < first)
			first = range->first;
		if (range->end > end)
			end = range->end;
	}
	if (count > 1)
		array_remove(known, index + 1, count - 1);
	range = count ? array_at(known, index) : insert(known, index);
	if (!range)
		return -ERROR_MEMORY;
	*range = (struct code_known){ first, end };
	return 0;
}

int code_known_remove(struct array *known, uint64_t first, uint64_t end)
{
	size_t index = array_count_up_to(
		known, KEYS(RISING(struct code_known, end)), first);

	while (first < end && index < known->count) {
		struct code_known *range = array_at(known, index);
		const struct code_known was = *range;

		if (was.first >= end)
			break;
		if (was.first < first && was.end > end) {
			range->end = first;
			range = insert(known, index + 1);
			if (!range)
				return -ERROR_MEMORY;
			*range = (struct code_known){ end, was.end };
			break;
		}
		if (was.first >= first && was.end <= end) {
			array_remove(known, index, 1);
			continue;
		}
		if (was.first < first)
			range->end = first;
		else
			range->first = end;
		index++;
	}
	return 0;
}

const struct code_known *code_known_next(const struct array *known,
					 uint64_t address)
{
	size_t index = array_count_up_to(
		known, KEYS(RISING(struct code_known, end)), address);

	return index < known->count ? array_at(known, index) : NULL;
}

uint64_t code_known_limit(const struct array *known, uint64_t address)
{
	const struct code_known *range = code_known_next(known, address);

	return range && range->first <= address ? range->end - address : 0;
}

/* Returns whether the file contains all bytes of @load, and its addresses are
 * valid.
 */
static bool is_usable(const Elf64_Phdr *load, const struct file_map *map)
{
	return load->p_type == PT_LOAD && load->p_filesz &&
	       load->p_offset <= map->size &&
	       load->p_filesz <= map->size - load->p_offset &&
	       load->p_filesz <= UINT64_MAX - load->p_vaddr;
}

static bool read_header(const struct file_map *map, Elf64_Ehdr *header)
{
	if (map->size < sizeof(*header))
		return false;
	memcpy(header, map->bytes, sizeof(*header));
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_phentsize == sizeof(Elf64_Phdr) &&
	       header->e_phoff <= map->size &&
	       header->e_phnum * sizeof(Elf64_Phdr) <=
		       map->size - header->e_phoff;
}

static uint64_t end_of(const struct code_region *region)
{
	return region->first + region->size_bytes;
}

/* Cuts @load to the part after @end. Returns whether anything is left. */
static bool cut_front(struct code_region *load, uint64_t end)
{
	uint64_t shared = load->first < end ? end - load->first : 0;

	if (shared >= load->size_bytes)
		return false;
	load->first += shared;
	load->size_bytes -= shared;
	load->file_offset += shared;
	load->bytes += shared;
	return true;
}

/* Removes from the sorted loads all parts that an earlier load contains, so
 * that nothing is copied twice, and the loads beyond the budget.
 */
static void keep_affordable(struct array *loads, const char *path,
			    const struct log *log)
{
	struct code_region *items = loads->items;
	struct code_region left_out = { 0 };
	uint64_t left = BUDGET_CODE_BYTES;
	size_t count = 0;

	for (size_t i = 0; i < loads->count; i++) {
		struct code_region load = items[i];

		if (count && !cut_front(&load, end_of(&items[count - 1])))
			continue;
		if (count == BUDGET_CODE_LOADS || load.size_bytes > left) {
			if (!left_out.size_bytes)
				left_out = load;
			continue;
		}
		left -= load.size_bytes;
		items[count++] = load;
	}
	loads->count = count;
	if (left_out.size_bytes)
		log_message(log, LOG_WARNING, path, left_out.file_offset,
			    "more code than a kernel has: what is at %#" PRIx64
			    " (%" PRIu64 " bytes), and more, is left out",
			    left_out.first, left_out.size_bytes);
}

int core_loads_read(const char *path, const struct file_map *map,
		    const struct log *log, struct array *loads)
{
	Elf64_Ehdr header;

	if (!read_header(map, &header))
		return -ERROR_FORMAT;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr load;

		memcpy(&load, map->bytes + header.e_phoff + i * sizeof(load),
		       sizeof(load));
		if (!is_usable(&load, map))
			continue;

		struct code_region *region = array_add(loads);

		if (!region)
			return -ERROR_MEMORY;
		region->first = load.p_vaddr;
		region->size_bytes = load.p_filesz;
		region->file_path = path;
		region->file_offset = load.p_offset;
		region->bytes = map->bytes + load.p_offset;
		region->is_late = load.p_flags == (PF_R | PF_X);
	}
	code_region_sort(loads);
	keep_affordable(loads, path, log);
	return 0;
}

/* Loads nearer than this become one region; the file is sparse between. */
#define NEAR_BYTES (64ull << 20)

/* A region larger than this costs a decoder's cache too much memory. */
#define REGION_LIMIT (512ull << 20)

enum { PIECE_BYTES = 16384 };

void code_region_sort(struct array *regions)
{
	array_sort_by(regions, KEYS(RISING(struct code_region, first)));
}

/* Returns how many loads from @from on make one region. */
static size_t cluster_size(const struct array *loads, size_t from)
{
	const struct code_region *first = array_at(loads, from);
	uint64_t end = end_of(first);
	size_t count = 1;

	for (; from + count < loads->count; count++) {
		const struct code_region *next = array_at(loads, from + count);

		if (next->first > end && next->first - end > NEAR_BYTES)
			break;
		if (end_of(next) - first->first > REGION_LIMIT)
			break;
		if (end_of(next) > end)
			end = end_of(next);
	}
	return count;
}

/* Writes the bytes of @load to @fd at @offset, and releases their pages. Pieces
 * that are all zero, as between modules, are skipped to use no disk space: the
 * file is new, so unwritten parts read as zeros.
 */
static int write_load(int fd, uint64_t offset, const struct code_region *load)
{
	static const uint8_t zeros[PIECE_BYTES];
	uint64_t size;
	int error = 0;

	for (uint64_t done = 0; done < load->size_bytes && !error;
	     done += size) {
		size = load->size_bytes - done;
		if (size > PIECE_BYTES)
			size = PIECE_BYTES;
		if (memcmp(load->bytes + done, zeros, size))
			error = write_at(fd, load->bytes + done, size,
					 offset + done);
	}
	pages_release(load->bytes, 0, load->size_bytes);
	return error;
}

/* Maps the bytes of @region, at @offset in the file @fd. */
static int map_region(int fd, uint64_t offset, struct code_region *region)
{
	void *bytes = mmap(NULL, region->size_bytes, PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, (off_t)offset);

	if (bytes == MAP_FAILED)
		return -ERROR_SYSTEM;
	region->bytes = bytes;
	region->is_mapped = true;
	region->file_path = NULL;
	region->file_offset = offset;
	snprintf(region->path, sizeof(region->path), "/proc/self/fd/%d", fd);
	return 0;
}

/* Extends the file by @size bytes that start at a page boundary, and sets
 * *@offset to their start.
 */
static int grow_file(int fd, uint64_t size, uint64_t *file_size,
		     uint64_t *offset)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	*offset = (*file_size + page - 1) / page * page;
	*file_size = *offset + size;
	return ftruncate(fd, (off_t)*file_size) < 0 ? -ERROR_SYSTEM : 0;
}

static int build_cluster(const struct array *loads, size_t from, size_t count,
			 const struct log *log, struct code_region *region,
			 struct array *descriptors)
{
	int *fd = array_add(descriptors);
	uint64_t end = 0;
	int error = 0;

	if (!fd)
		return -ERROR_MEMORY;
	*fd = file_map_temporary(log);
	if (*fd < 0)
		return -ERROR_SYSTEM;
	for (size_t i = from; i < from + count && !error; i++) {
		const struct code_region *load = array_at(loads, i);

		error = write_load(*fd, load->first - region->first, load);
		if (end_of(load) > end)
			end = end_of(load);
	}
	region->size_bytes = end - region->first;
	if (!error && ftruncate(*fd, (off_t)region->size_bytes) < 0)
		error = -ERROR_SYSTEM;
	if (!error)
		error = map_region(*fd, 0, region);
	return error ? output_temporary_fail(log) : 0;
}

static void remove_late(struct array *loads)
{
	struct code_region *items = loads->items;
	size_t count = 0;

	for (size_t i = 0; i < loads->count; i++)
		if (!items[i].is_late)
			items[count++] = items[i];
	loads->count = count;
}

int code_region_know(const struct array *regions, struct array *known)
{
	int error = 0;

	for (size_t i = 0; i < regions->count && !error; i++) {
		const struct code_region *region = array_at(regions, i);

		error = code_known_add(known, region->first, end_of(region));
	}
	return error;
}

int code_region_read_kcore(const char *path, const struct file_map *map,
			   bool with_late, const struct log *log,
			   struct array *regions, struct array *descriptors,
			   struct array *known)
{
	struct array loads = ARRAY_OF(struct code_region);
	int error = core_loads_read(path, map, log, &loads);

	if (error == -ERROR_FORMAT)
		log_message(log, LOG_WARNING, path, 0,
			    "not an ELF core file of a 64-bit kernel");
	if (!with_late)
		remove_late(&loads);
	if (!error)
		error = code_region_know(&loads, known);
	for (size_t at = 0; at < loads.count && !error;) {
		size_t count = cluster_size(&loads, at);
		struct code_region *region = array_add(regions);

		if (!region) {
			error = -ERROR_MEMORY;
			break;
		}
		*region = *(struct code_region *)array_at(&loads, at);
		if (count > 1)
			error = build_cluster(&loads, at, count, log, region,
					      descriptors);
		at += count;
	}
	array_free(&loads);
	return error;
}

/* Reserves space in the file, so that writing to its mapping cannot fail. */
static int reserve(int fd, uint64_t offset, uint64_t size)
{
	errno = posix_fallocate(fd, (off_t)offset, (off_t)size);
	return errno ? -ERROR_SYSTEM : 0;
}

int code_region_add_empty(struct array *regions, uint64_t address, size_t size,
			  int fd, uint64_t *file_size, const struct log *log)
{
	struct code_region region = { .first = address, .size_bytes = size };
	struct code_region *added;
	uint64_t offset;
	int error;

	for (size_t i = 0; i < regions->count; i++) {
		const struct code_region *other = array_at(regions, i);

		if (other->first > address &&
		    other->first - address < region.size_bytes)
			region.size_bytes = other->first - address;
	}
	error = grow_file(fd, region.size_bytes, file_size, &offset);
	if (!error)
		error = reserve(fd, offset, region.size_bytes);
	if (!error)
		error = map_region(fd, offset, &region);
	if (error)
		return output_temporary_fail(log);
	added = array_add(regions);
	if (!added) {
		code_region_unmap(&region);
		return -ERROR_MEMORY;
	}
	*added = region;
	code_region_sort(regions);
	return 0;
}

int code_region_copy(struct code_region *region, int fd, uint64_t *file_size,
		     const struct log *log)
{
	uint64_t offset;
	int error = grow_file(fd, region->size_bytes, file_size, &offset);

	if (!error)
		error = write_load(fd, offset, region);
	if (!error)
		error = map_region(fd, offset, region);
	return error ? output_temporary_fail(log) : 0;
}

void code_region_unmap(struct code_region *region)
{
	if (region->is_mapped)
		munmap((void *)(uintptr_t)region->bytes, region->size_bytes);
	region->is_mapped = false;
}

static bool region_ends_by(const void *item, const void *key)
{
	const struct code_region *region = item;
	uint64_t address = *(const uint64_t *)key;

	return address >= region->first &&
	       address - region->first >= region->size_bytes;
}

const struct code_region *code_region_next(const struct array *regions,
					   uint64_t address)
{
	size_t index = array_partition_point(regions, &address, region_ends_by);

	return index < regions->count ? array_at(regions, index) : NULL;
}

const struct code_region *code_region_find(const struct array *regions,
					   uint64_t address)
{
	const struct code_region *next = code_region_next(regions, address);

	return next && next->first <= address ? next : NULL;
}
