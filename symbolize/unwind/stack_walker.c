/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/stack_walker.h"

#include "common/maps.h"
#include "symbolize/arch/arch.h"
#include "symbolize/unwind/elf_frames.h"
#include "symbolize/unwind/stack_copy.h"
#include "symbolize/unwind/stack_frame.h"
#include "symbolize/unwind/user_memory.h"

#include <assert.h>
#include <stdlib.h>

struct stack_walker {
	struct number_map files; /* struct elf_frames *, by user_elf */
};

static struct elf_frames *frames_of(struct stack_walker *walker,
				    const struct user_elf *elf)
{
	uint64_t *kept = number_map_add(&walker->files, (uintptr_t)elf);

	if (kept && !*kept)
		*kept = (uintptr_t)elf_frames_new(elf);
	return kept ? (struct elf_frames *)(uintptr_t)*kept : NULL;
}

/* A return address may be after its function's end. */
static Dwarf_Frame *description_of(struct stack_walker *walker,
				   const struct stack_frame *frame)
{
	uint64_t address = stack_frame_pc(frame) - !frame->is_interrupted;
	struct elf_frames *frames;
	struct user_image image;

	if (!user_memory_image(frame->copy->memory, address, &image))
		return NULL;
	frames = frames_of(walker, image.elf);
	return frames ? elf_frames_at(frames, address - image.shift) : NULL;
}

/* Returns an address in the frame's function. */
static uint64_t look_at(struct stack_walker *walker, struct stack_frame *frame)
{
	bool ends_signal;

	frame->description = description_of(walker, frame);
	frame->ends_signal = stack_frame_ends_signal(frame);
	ends_signal = frame->ends_signal;
	if (frame->description && !ends_signal)
		dwarf_frame_info(frame->description, NULL, NULL, &ends_signal);
	/* The return target of signal handlers does not follow a call. */
	return stack_frame_pc(frame) - !(frame->is_interrupted || ends_signal);
}

static bool step(struct stack_frame *frame)
{
	const struct arch_frames *frames = frame->copy->frames;
	uint64_t stack;
	uint64_t cfa;

	if (frame->ends_signal)
		return stack_frame_step_signal(frame);
	if (frame->description && stack_frame_cfa(frame, &cfa))
		return stack_frame_step_described(frame, cfa);
	/* Steps by frame pointers may have lost registers that the description
	 * needs.
	 */
	if (frame->description &&
	    frame_register(&frame->registers, frames->stack_pointer, &stack))
		return false;
	return stack_frame_step_linked(frame);
}

static bool begin(struct stack_frame *frame, const struct stack_copy *copy)
{
	uint64_t value;

	/* In a system call, the address is after the instruction, too. */
	*frame = (struct stack_frame){ .copy = copy, .may_be_leaf = true };
	assert(copy->frames->register_count <= FRAME_REGISTERS);
	for (unsigned int i = 0; i < copy->frames->register_count; i++)
		if (stack_copy_register(copy, i, &value))
			frame_register_set(&frame->registers, i, value);
	return frame_register(&frame->registers, copy->frames->code_address,
			      &value);
}

size_t stack_walker_walk(struct stack_walker *walker,
			 const struct stack_copy *copy, uint64_t *addresses,
			 size_t room)
{
	struct stack_frame frame;
	size_t count = 0;

	if (!begin(&frame, copy))
		return 0;
	do {
		if (!stack_frame_pc(&frame))
			break;
		addresses[count++] = look_at(walker, &frame);
	} while (count < room && step(&frame));
	return count;
}

struct stack_walker *stack_walker_new(void)
{
	return calloc(1, sizeof(struct stack_walker));
}

void stack_walker_free(struct stack_walker *walker)
{
	size_t place = 0;
	struct elf_frames *file;

	if (!walker)
		return;
	while ((file = number_map_next_pointer(&walker->files, &place)))
		elf_frames_free(file);
	number_map_free(&walker->files);
	free(walker);
}
