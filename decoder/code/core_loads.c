/* SPDX-License-Identifier: MIT */
#include "decoder/code/core_loads.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "decoder/code/code_region.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

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
