/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/elf_frames.h"

#include "common/maps.h"
#include "symbolize/unwind/user_elf.h"

#include <malloc.h>
#include <stdlib.h>

/* libdw interprets a frame description from its start each time, so this many
 * results are cached, of about 1 KiB each.
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

/* Returns NULL if there is none. */
static Dwarf_Frame *work_out(struct elf_frames *frames, uint64_t address)
{
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(frames->descriptions, address, &frame))
		return NULL;
	if (malloc_usable_size(frame) <= MOST_FRAME_BYTES)
		return frame;
	/* libdw allocates room for all registers up to the highest one named. A
	 * hundred million registers mean that the file is damaged.
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
