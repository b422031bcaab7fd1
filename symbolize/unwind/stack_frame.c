/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/stack_frame.h"

#include "symbolize/arch/arch.h"
#include "symbolize/unwind/stack_copy.h"

uint64_t stack_frame_pc(const struct stack_frame *frame)
{
	return frame->registers.values[frame->copy->frames->code_address];
}

bool stack_frame_cfa(const struct stack_frame *frame, uint64_t *cfa)
{
	const struct frame_context context = {
		.copy = frame->copy,
		.registers = &frame->registers,
	};
	Dwarf_Op *ops;
	size_t count;

	return !dwarf_frame_cfa(frame->description, &ops, &count) &&
	       frame_value(&context, ops, count, cfa);
}

/* Returns false if the caller's register @number is unknown. */
static bool find_register(Dwarf_Frame *description, unsigned int number,
			  const struct frame_context *context, uint64_t *value)
{
	Dwarf_Op room[3];
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_register(description, (int)number, room, &ops, &count))
		return false;
	if (count)
		return frame_value(context, ops, count, value);
	/* libdw's encoding of an unchanged register; otherwise its value is
	 * lost.
	 */
	return !ops && frame_register(context->registers, number, value);
}

static void find_registers(struct frame_registers *found,
			   Dwarf_Frame *description,
			   const struct frame_context *context)
{
	uint64_t value;

	found->known = 0;
	for (unsigned int i = 0; i < context->copy->frames->code_address; i++)
		if (find_register(description, i, context, &value))
			frame_register_set(found, i, value);
}

/* Returns whether the caller's position differs from its callee's. If it does
 * not, the stack ends there.
 */
static bool has_moved(const struct stack_frame *frame,
		      const struct frame_registers *before)
{
	const struct arch_frames *frames = frame->copy->frames;
	const uint64_t *values = frame->registers.values;

	return values[frames->code_address] !=
		       before->values[frames->code_address] ||
	       values[frames->stack_pointer] !=
		       before->values[frames->stack_pointer];
}

bool stack_frame_step_described(struct stack_frame *frame, uint64_t cfa)
{
	const struct arch_frames *frames = frame->copy->frames;
	const struct frame_registers before = frame->registers;
	const struct frame_context context = { frame->copy, &before, cfa };
	uint64_t pc;
	int link = dwarf_frame_info(frame->description, NULL, NULL,
				    &frame->is_interrupted);

	if (link < 0 || link > frames->code_address ||
	    !find_register(frame->description, (unsigned int)link, &context,
			   &pc))
		return false;
	find_registers(&frame->registers, frame->description, &context);
	frame_register_set(&frame->registers, frames->code_address,
			   pc & frames->code_bits);
	frame->may_be_leaf = frame->is_interrupted;
	return has_moved(frame, &before);
}
