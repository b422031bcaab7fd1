/* SPDX-License-Identifier: MIT */
/* Frames without unwind information. */
#include "symbolize/unwind/stack_frame.h"

#include "symbolize/arch/arch.h"
#include "symbolize/unwind/stack_copy.h"
#include "symbolize/unwind/user_memory.h"

#include <string.h>

/* Replaces @frame by its caller, with only these registers known. */
static void set_caller(struct stack_frame *frame, uint64_t frame_pointer,
		       uint64_t pc)
{
	const struct arch_frames *frames = frame->copy->frames;
	struct frame_registers found = { .known = 0 };

	frame_register_set(&found, frames->frame_pointer, frame_pointer);
	frame_register_set(&found, frames->code_address,
			   pc & frames->code_bits);
	frame->registers = found;
	frame->is_interrupted = false;
	frame->may_be_leaf = false;
}

/* Returns whether @address is in another file than the frame's code. After a
 * call, the link register points back into the frame's own code.
 */
static bool is_in_other_file(const struct stack_frame *frame, uint64_t address)
{
	struct user_memory *memory = frame->copy->memory;
	struct user_image own = { .elf = NULL };
	struct user_image other;

	user_memory_image(memory, stack_frame_pc(frame), &own);
	return user_memory_image(memory, address - 1, &other) &&
	       other.elf != own.elf;
}

/* Handles a leaf function whose return address was not saved yet; else returns
 * false. @saved is the value above the frame pointer.
 */
static bool step_leaf(struct stack_frame *frame, uint64_t saved)
{
	const struct arch_frames *frames = frame->copy->frames;
	uint64_t at;
	uint64_t link;

	if (!frame->may_be_leaf || !frames->link_register ||
	    !frame_register(&frame->registers, frames->frame_pointer, &at) ||
	    !frame_register(&frame->registers, frames->link_register, &link))
		return false;
	link &= frames->code_bits;
	if (link == (saved & frames->code_bits) ||
	    !is_in_other_file(frame, link))
		return false;
	set_caller(frame, at, link);
	return true;
}

bool stack_frame_step_linked(struct stack_frame *frame)
{
	const struct arch_frames *frames = frame->copy->frames;
	uint64_t at;
	uint64_t next;
	uint64_t saved;

	if (!frame_register(&frame->registers, frames->frame_pointer, &at) ||
	    !stack_copy_read(frame->copy, at, &next) ||
	    !stack_copy_read(frame->copy, at + sizeof(next), &saved))
		return false;
	if (step_leaf(frame, saved))
		return true;
	set_caller(frame, next, saved);
	if (frames->frame_ends_there)
		frame_register_set(&frame->registers, frames->stack_pointer,
				   at + 2 * sizeof(next));
	/* Frame pointers lead upwards, and the outermost one is 0. */
	return next > at || !next;
}

bool stack_frame_ends_signal(const struct stack_frame *frame)
{
	const struct arch_frames *frames = frame->copy->frames;
	uint8_t code[sizeof(frames->signal_return)];

	return frames->signal_return_bytes &&
	       user_memory_read(frame->copy->memory, stack_frame_pc(frame),
				code, frames->signal_return_bytes) &&
	       !memcmp(code, frames->signal_return,
		       frames->signal_return_bytes);
}

bool stack_frame_step_signal(struct stack_frame *frame)
{
	const struct arch_frames *frames = frame->copy->frames;
	uint64_t at;

	if (!frame_register(&frame->registers, frames->stack_pointer, &at))
		return false;
	at += frames->signal_registers;
	for (unsigned int i = 0; i < frames->register_count; i++, at += 8)
		if (!stack_copy_read(frame->copy, at,
				     &frame->registers.values[i]))
			return false;
	frame->registers.known = (UINT64_C(1) << frames->register_count) - 1;
	frame->is_interrupted = true;
	frame->may_be_leaf = true;
	return true;
}
