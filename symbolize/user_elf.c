/* SPDX-License-Identifier: MIT */
#include "symbolize/user_elf.h"

#include "common/array.h"
#include "common/file_map.h"
#include "symbolize/unwind_index.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* Encodings of pointers in .eh_frame_hdr (LSB, "DWARF Exception Header
 * Encoding"): the ones that every linker writes.
 */
enum {
	EH_FRAME_HDR_VERSION = 1,
	ENCODING_UDATA4 = 0x03,
	ENCODING_DATAREL_SDATA4 = 0x3b,
	HEADER_BYTES = 12,
};

struct load {
	uint64_t address;
	uint64_t file_offset;
	uint64_t size_bytes;	/* in the file */
};

struct user_elf {
	struct file_map map;
	struct array loads;	/* struct load */
	uint64_t unwind_header;
	bool has_unwind_header;
	uint64_t frames;	/* the address of .eh_frame */
	struct array index;	/* struct unwind_index_entry: made here */
};

/* Where the index is that is not in the file: nothing else can be. */
static const uint64_t index_address = UINT64_C(1) << 62;

static bool take_header(struct user_elf *elf, const GElf_Phdr *header)
{
	struct load *load;

	if (header->p_type == PT_GNU_EH_FRAME) {
		elf->unwind_header = header->p_vaddr;
		elf->has_unwind_header = true;
	}
	if (header->p_type != PT_LOAD || header->p_offset > elf->map.size ||
	    header->p_filesz > elf->map.size - header->p_offset)
		return true;
	load = array_add(&elf->loads);
	if (!load)
		return false;
	load->address = header->p_vaddr;
	load->file_offset = header->p_offset;
	load->size_bytes = header->p_filesz;
	return true;
}

/* Returns the @size bytes at @address, or NULL unless all are in the file. */
static const uint8_t *bytes_at(const struct user_elf *elf, uint64_t address,
			       uint64_t size)
{
	const struct load *loads = elf->loads.items;

	for (size_t i = 0; i < elf->loads.count; i++) {
		uint64_t at = address - loads[i].address;

		if (at <= loads[i].size_bytes &&
		    size <= loads[i].size_bytes - at)
			return elf->map.bytes + loads[i].file_offset + at;
	}
	return NULL;
}

static bool find_section(Elf *file, const char *wanted, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;
	const char *name;

	if (elf_getshdrstrndx(file, &names))
		return false;
	while ((section = elf_nextscn(file, section))) {
		if (!gelf_getshdr(section, header))
			continue;
		name = elf_strptr(file, names, header->sh_name);
		if (name && !strcmp(name, wanted))
			return true;
	}
	return false;
}

/* Static programs have descriptions of their frames and no index of them. */
static bool make_index(struct user_elf *elf, Elf *file)
{
	struct unwind_section section;
	GElf_Shdr header;

	if (elf->has_unwind_header || !find_section(file, ".eh_frame", &header))
		return true;
	section = (struct unwind_section){
		.bytes = bytes_at(elf, header.sh_addr, header.sh_size),
		.size = header.sh_size,
		.address = header.sh_addr,
	};
	elf->frames = header.sh_addr;
	return !section.bytes || !unwind_index_make(&section, &elf->index);
}

static bool read_headers(struct user_elf *elf)
{
	/* elf_memory() does not write to what it is given. */
	Elf *file = elf_memory((char *)(uintptr_t)elf->map.bytes,
			       elf->map.size);
	GElf_Phdr header;
	size_t count = 0;
	bool is_good = file && gelf_getclass(file) == ELFCLASS64 &&
		       !elf_getphdrnum(file, &count);

	for (size_t i = 0; is_good && i < count; i++)
		is_good = gelf_getphdr(file, (int)i, &header) &&
			  take_header(elf, &header);
	is_good = is_good && make_index(elf, file);
	elf_end(file);
	return is_good;
}

struct user_elf *user_elf_open(const char *path)
{
	struct user_elf *elf = calloc(1, sizeof(*elf));

	if (!elf)
		return NULL;
	elf->loads = ARRAY_OF(struct load);
	elf->index = ARRAY_OF(struct unwind_index_entry);
	elf_version(EV_CURRENT);
	if (!file_map_open(&elf->map, path, NULL) && elf->map.size &&
	    read_headers(elf))
		return elf;
	user_elf_close(elf);
	return NULL;
}

void user_elf_close(struct user_elf *elf)
{
	if (!elf)
		return;
	file_map_close(&elf->map);
	array_free(&elf->loads);
	array_free(&elf->index);
	free(elf);
}

bool user_elf_address(const struct user_elf *elf, uint64_t file_offset,
		      uint64_t *address)
{
	const struct load *loads = elf->loads.items;

	for (size_t i = 0; i < elf->loads.count; i++) {
		/* Mappings begin at pages, segments may not. */
		uint64_t first = loads[i].file_offset & ~UINT64_C(0xfff);
		uint64_t end = loads[i].file_offset + loads[i].size_bytes;

		if (file_offset < first || file_offset >= end)
			continue;
		*address = loads[i].address + file_offset -
			   loads[i].file_offset;
		return true;
	}
	return false;
}

/* The same of the index. */
static const uint8_t *index_bytes_at(const struct user_elf *elf,
				     uint64_t address, uint64_t size)
{
	uint64_t all = elf->index.count * sizeof(struct unwind_index_entry);
	uint64_t at = address - index_address;

	if (at > all || size > all - at)
		return NULL;
	return (const uint8_t *)elf->index.items + at;
}

bool user_elf_read(const struct user_elf *elf, uint64_t address, void *bytes,
		   size_t size)
{
	const uint8_t *found = bytes_at(elf, address, size);

	if (!found)
		found = index_bytes_at(elf, address, size);
	if (found && size)
		memcpy(bytes, found, size);
	return found;
}

static bool linked_table(const struct user_elf *elf,
			 struct unwind_table *table)
{
	uint8_t bytes[HEADER_BYTES];
	uint32_t count;

	if (!user_elf_read(elf, elf->unwind_header, bytes, sizeof(bytes)))
		return false;
	/* The second byte is how long the pointer is that follows: 4. */
	if (bytes[0] != EH_FRAME_HDR_VERSION || (bytes[1] & 0x07) != 0x03 ||
	    bytes[2] != ENCODING_UDATA4 || bytes[3] != ENCODING_DATAREL_SDATA4)
		return false;
	memcpy(&count, bytes + 8, sizeof(count));
	table->header = elf->unwind_header;
	table->entries = elf->unwind_header + HEADER_BYTES;
	table->entry_count = count;
	return true;
}

bool user_elf_unwind_table(const struct user_elf *elf,
			   struct unwind_table *table)
{
	if (elf->has_unwind_header)
		return linked_table(elf, table);
	table->header = elf->frames;
	table->entries = index_address;
	table->entry_count = elf->index.count;
	return elf->index.count;
}
