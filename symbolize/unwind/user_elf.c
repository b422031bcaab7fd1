/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/user_elf_internal.h"

#include "common/array.h"
#include "common/files/file_map.h"
#include "common/maps.h"

#include <gelf.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

struct load {
	uint64_t address;
	uint64_t file_offset;
	uint64_t size_bytes; /* in the file */
};

struct user_elf {
	struct file_map map;
	struct array loads; /* struct load */
};

static bool consume_header(struct user_elf *elf, const GElf_Phdr *header)
{
	struct load *load;

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

static bool read_headers(struct user_elf *elf)
{
	/* elf_memory() does not write to the memory passed to it. */
	Elf *file =
		elf_memory((char *)(uintptr_t)elf->map.bytes, elf->map.size);
	GElf_Phdr header;
	size_t count = 0;
	bool is_good = file && gelf_getclass(file) == ELFCLASS64 &&
		       !elf_getphdrnum(file, &count);

	for (size_t i = 0; is_good && i < count; i++)
		is_good = gelf_getphdr(file, (int)i, &header) &&
			  consume_header(elf, &header);
	elf_end(file);
	return is_good;
}

struct user_elf *user_elf_open(const char *path)
{
	struct user_elf *elf = calloc(1, sizeof(*elf));

	if (!elf)
		return NULL;
	elf->loads = ARRAY_OF(struct load);
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
	free(elf);
}

bool user_elf_address(const struct user_elf *elf, uint64_t file_offset,
		      uint64_t *address)
{
	const struct load *loads = elf->loads.items;

	for (size_t i = 0; i < elf->loads.count; i++) {
		/* Mappings start at page boundaries, segments need not. */
		uint64_t first = loads[i].file_offset & ~UINT64_C(0xfff);
		uint64_t end = loads[i].file_offset + loads[i].size_bytes;

		if (file_offset < first || file_offset >= end)
			continue;
		*address =
			loads[i].address + file_offset - loads[i].file_offset;
		return true;
	}
	return false;
}

bool user_elf_read(const struct user_elf *elf, uint64_t address, void *bytes,
		   size_t size)
{
	const uint8_t *found = bytes_at(elf, address, size);

	if (found && size)
		memcpy(bytes, found, size);
	return found;
}

/* Returns the whole file and sets *@size to its size; valid as long as @elf. */
static const uint8_t *user_elf_bytes(const struct user_elf *elf, size_t *size)
{
	*size = elf->map.size;
	return elf->map.bytes;
}

/* libdw interprets a frame description from its start for each address. So up
 * to KEPT_FRAMES results, of about 1 KiB each, are cached.
 */
enum { KEPT_FRAMES = 8192, MOST_FRAME_BYTES = 1 << 16 };

struct elf_frames {
	Elf *file;
	Dwarf_CFI *descriptions;  /* NULL: none */
	struct number_map frames; /* Dwarf_Frame *, by address */
};

struct elf_frames *elf_frames_new(const struct user_elf *elf)
{
	struct elf_frames *frames = calloc(1, sizeof(*frames));
	const uint8_t *bytes;
	size_t size;

	if (!frames)
		return NULL;
	bytes = user_elf_bytes(elf, &size);
	/* libelf does not write to this memory. */
	frames->file = elf_memory((char *)(uintptr_t)bytes, size);
	if (frames->file) {
		frames->descriptions = dwarf_getcfi_elf(frames->file);
		return frames;
	}
	elf_frames_free(frames);
	return NULL;
}

static void forget(struct elf_frames *frames)
{
	size_t place = 0;
	void *frame;

	while ((frame = number_map_next_pointer(&frames->frames, &place)))
		free(frame);
	number_map_free(&frames->frames);
}

static void forget_descriptions(struct elf_frames *frames)
{
	dwarf_cfi_end(frames->descriptions);
	frames->descriptions = NULL;
}

void elf_frames_free(struct elf_frames *frames)
{
	if (!frames)
		return;
	forget(frames);
	if (frames->descriptions)
		forget_descriptions(frames);
	elf_end(frames->file);
	free(frames);
}

/* Returns the cache entry of @address, NULL when out of memory. */
static uint64_t *place_of(struct elf_frames *frames, uint64_t address)
{
	if (number_map_count(&frames->frames) >= KEPT_FRAMES)
		forget(frames);
	return number_map_add(&frames->frames, address);
}

/* Asks libdw for the frame description at @address. Returns NULL if there is
 * none.
 */
static Dwarf_Frame *work_out(struct elf_frames *frames, uint64_t address)
{
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(frames->descriptions, address, &frame))
		return NULL;
	if (malloc_usable_size(frame) <= MOST_FRAME_BYTES)
		return frame;
	/* libdw allocates room for all registers up to the highest number in
	 * the description. A result this large means that the file is damaged.
	 */
	free(frame);
	forget_descriptions(frames);
	return NULL;
}

Dwarf_Frame *elf_frames_at(struct elf_frames *frames, uint64_t address)
{
	uint64_t *kept;

	if (!frames->descriptions)
		return NULL;
	kept = number_map_find(&frames->frames, address);
	if (!kept) {
		kept = place_of(frames, address);
		if (kept)
			*kept = (uintptr_t)work_out(frames, address);
	}
	return kept ? (Dwarf_Frame *)(uintptr_t)*kept : NULL;
}
