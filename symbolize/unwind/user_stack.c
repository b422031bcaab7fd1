/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/user_stack.h"

#include "common/maps.h"
#include "symbolize/arch/arch.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/unwind/stack_frame_internal.h"
#include "symbolize/unwind/user_elf_internal.h"
#include "symbolize/unwind/user_memory_internal.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdlib.h>

/* Unwinds copied stacks, of any architecture, by the unwind information of the
 * files mapped in a process, read with libdw.
 */
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

/* Returns the description of the frame's function. A return address may be
 * after the end of its function, so the address before it is looked up.
 */
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

/* Writes an address in the function of each frame, innermost first, to
 * @addresses, which has room for @room of them (1 or more).
 *
 * Returns their number; 0 if not even the innermost one is known.
 */
static size_t stack_walker_walk(struct stack_walker *walker,
				const struct stack_copy *copy,
				uint64_t *addresses, size_t room)
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

/* Must be called before the files that it used (struct user_elf) are closed. */
static void stack_walker_free(struct stack_walker *walker)
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

enum { DEEPEST = 256 };

struct user_stack {
	const struct symbols *symbols;
	const struct arch_frames *frames;
	const struct recording *recording;
	struct user_memory *memory; /* NULL until a stack is unwound */
	struct stack_walker *walker;
	uint64_t refused;
};

struct user_stack *user_stack_new(const struct recording *recording,
				  const struct symbols *symbols)
{
	struct user_stack *stack = calloc(1, sizeof(*stack));

	if (!stack)
		return NULL;
	stack->symbols = symbols;
	stack->frames = &symbols_arch(symbols)->frames;
	stack->recording = recording;
	stack->walker = calloc(1, sizeof(struct stack_walker));
	if (stack->walker)
		return stack;
	user_stack_free(stack);
	return NULL;
}

void user_stack_free(struct user_stack *stack)
{
	if (!stack)
		return;
	stack_walker_free(stack->walker);
	user_memory_free(stack->memory);
	free(stack);
}

static bool can_unwind(struct user_stack *stack, uint64_t abi)
{
	bool is_known = stack->frames->register_count &&
			abi == PERF_SAMPLE_REGS_ABI_64;

	if (!is_known && abi != PERF_SAMPLE_REGS_ABI_NONE)
		stack->refused++;
	return is_known;
}

/* Opens the memory of processes when the first stack needs it. */
static bool has_memory(struct user_stack *stack)
{
	if (!stack->memory)
		stack->memory = user_memory_new(stack->recording);
	return stack->memory;
}

size_t user_stack_addresses(struct user_stack *stack,
			    const struct sideband_record *record,
			    uint64_t *addresses, size_t room)
{
	struct stack_copy copy = { stack->frames, NULL, &record->sample.user };

	if (!can_unwind(stack, copy.state->registers.abi) || !room ||
	    !has_memory(stack))
		return 0;
	copy.memory = stack->memory;
	if (user_memory_look(stack->memory, record->pid, record->time_ns) < 0)
		return 0;
	return stack_walker_walk(stack->walker, &copy, addresses, room);
}

size_t user_stack_unwind(struct user_stack *stack,
			 const struct sideband_record *record,
			 uint32_t *functions, size_t room)
{
	uint64_t addresses[DEEPEST];
	struct symbol symbol;
	size_t count;

	count = user_stack_addresses(stack, record, addresses,
				     room < DEEPEST ? room : DEEPEST);
	for (size_t i = 0; i < count; i++) {
		symbols_find(stack->symbols, record->pid, record->time_ns,
			     addresses[i], &symbol);
		functions[i] = symbol.function;
	}
	return count;
}

uint64_t user_stack_refused(const struct user_stack *stack)
{
	return stack->refused;
}
