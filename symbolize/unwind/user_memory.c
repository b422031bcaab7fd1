/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/user_memory_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/code/process_maps.h"
#include "decoder/recording/sideband.h"
#include "symbolize/arch/arch.h"

#include <stdlib.h>
#include <string.h>

bool stack_copy_register(const struct stack_copy *copy, unsigned int number,
			 uint64_t *value)
{
	return number < copy->frames->register_count &&
	       sideband_register(&copy->state->registers,
				 copy->frames->perf_registers[number], value);
}

static bool read_stack(const struct stack_copy *copy, uint64_t address,
		       uint64_t *value)
{
	const struct sideband_user_state *state = copy->state;
	uint64_t bottom;

	if (!state->stack ||
	    !stack_copy_register(copy, copy->frames->stack_pointer, &bottom) ||
	    address < bottom || address - bottom > state->stack_size ||
	    state->stack_size - (address - bottom) < sizeof(*value))
		return false;
	memcpy(value, state->stack + (address - bottom), sizeof(*value));
	return true;
}

bool stack_copy_read(const struct stack_copy *copy, uint64_t address,
		     uint64_t *value)
{
	return read_stack(copy, address, value) ||
	       user_memory_read(copy->memory, address, value, sizeof(*value));
}

struct known_file {
	const char *path;     /* owned by the recording */
	struct user_elf *elf; /* NULL if it cannot be read */
};

/* The part of a process's memory that is known at some time: the mapped files
 * that contain code.
 */
struct user_memory {
	struct process_maps *maps;
	struct array files; /* struct known_file */
	/* struct process_map of the process, the oldest first */
	struct array mapped;
	int32_t pid;
	uint64_t from_ns; /* mapped is valid in [from_ns, until_ns) */
	uint64_t until_ns;
};

struct user_memory *user_memory_new(const struct recording *recording)
{
	struct user_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->files = ARRAY_OF(struct known_file);
	memory->mapped = ARRAY_OF(struct process_map);
	memory->maps = process_maps_new(recording);
	if (memory->maps)
		return memory;
	user_memory_free(memory);
	return NULL;
}

void user_memory_free(struct user_memory *memory)
{
	if (!memory)
		return;
	for (size_t i = 0; i < memory->files.count; i++) {
		struct known_file *file = array_at(&memory->files, i);

		user_elf_close(file->elf);
	}
	array_free(&memory->files);
	array_free(&memory->mapped);
	process_maps_free(memory->maps);
	free(memory);
}

int user_memory_look(struct user_memory *memory, int32_t pid, uint64_t time_ns)
{
	if (memory->pid == pid && time_ns >= memory->from_ns &&
	    time_ns < memory->until_ns)
		return 0;
	memory->mapped.count = 0;
	memory->pid = pid;
	memory->from_ns = time_ns;
	memory->until_ns =
		process_maps_at(memory->maps, pid, time_ns, &memory->mapped);
	return memory->until_ns ? 0 : -ERROR_MEMORY;
}

static const struct user_elf *elf_of(struct user_memory *memory,
				     const char *path)
{
	struct known_file *file;

	for (size_t i = 0; i < memory->files.count; i++) {
		file = array_at(&memory->files, i);
		if (!strcmp(file->path, path))
			return file->elf;
	}
	file = array_add(&memory->files);
	if (!file)
		return NULL;
	file->path = path;
	/* "[vdso]" and "//anon" are not files. */
	if (path[0] == '/' && path[1] != '/')
		file->elf = user_elf_open(path);
	return file->elf;
}

static bool make_image(struct user_memory *memory,
		       const struct process_map *map, struct user_image *image)
{
	uint64_t own;

	image->elf = elf_of(memory, map->path);
	if (!image->elf ||
	    !user_elf_address(image->elf, map->file_offset, &own))
		return false;
	image->shift = map->address - own;
	image->start = map->address;
	image->end = map->address + map->size_bytes;
	return true;
}

bool user_memory_image(struct user_memory *memory, uint64_t address,
		       struct user_image *image)
{
	for (size_t i = memory->mapped.count; i-- > 0;) {
		const struct process_map *map = array_at(&memory->mapped, i);

		if (address - map->address < map->size_bytes)
			return make_image(memory, map, image);
	}
	return false;
}

bool user_memory_read(struct user_memory *memory, uint64_t address, void *bytes,
		      size_t size)
{
	struct user_image image;

	for (size_t i = memory->mapped.count; i-- > 0;)
		if (make_image(memory, array_at(&memory->mapped, i), &image) &&
		    user_elf_read(image.elf, address - image.shift, bytes,
				  size))
			return true;
	return false;
}
