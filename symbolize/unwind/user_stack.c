/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/user_stack.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/code/process_maps.h"
#include "decoder/recording/sideband.h"
#include "symbolize/arch/arch.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/unwind/user_elf_internal.h"

#include <assert.h>
#include <dwarf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The known state of a thread at a sample: its registers and a part of its
 * stack, from the sample, and the code of its process. All are borrowed.
 */
struct stack_copy {
	const struct arch_frames *frames; /* of the recording's architecture */
	/* set by user_memory_look() to the sample's process and time */
	struct user_memory *memory;
	const struct sideband_user_state *state;
};

/* A file as mapped in the process. */
struct user_image {
	const struct user_elf *elf;
	uint64_t shift; /* mapped address minus the file's own address */
	uint64_t start; /* start of the mapping with code */
	uint64_t end;
};

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

static void user_memory_free(struct user_memory *memory)
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

/* Borrows @recording. Returns NULL when out of memory. */
static struct user_memory *user_memory_new(const struct recording *recording)
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

/* Selects process @pid, as it was at @time_ns, for the functions below. Returns
 * 0 or -ERROR_MEMORY.
 */
static int user_memory_look(struct user_memory *memory, int32_t pid,
			    uint64_t time_ns)
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

/* Finds the file whose code covers @address; returns false if there is none. */
static bool user_memory_image(struct user_memory *memory, uint64_t address,
			      struct user_image *image)
{
	for (size_t i = memory->mapped.count; i-- > 0;) {
		const struct process_map *map = array_at(&memory->mapped, i);

		if (address - map->address < map->size_bytes)
			return make_image(memory, map, image);
	}
	return false;
}

/* Copies the @size bytes at @address from a file whose code is mapped in the
 * process; that may be data of the file. Returns false if they are in none.
 */
static bool user_memory_read(struct user_memory *memory, uint64_t address,
			     void *bytes, size_t size)
{
	struct user_image image;

	for (size_t i = memory->mapped.count; i-- > 0;)
		if (make_image(memory, array_at(&memory->mapped, i), &image) &&
		    user_elf_read(image.elf, address - image.shift, bytes,
				  size))
			return true;
	return false;
}

/* Sets *@value to register @number (DWARF's number). Returns false if the
 * sample does not contain it.
 */
static bool stack_copy_register(const struct stack_copy *copy,
				unsigned int number, uint64_t *value)
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

/* Reads the 8 bytes at @address of the stack, or of files with code. Returns
 * false unless all are known.
 */
static bool stack_copy_read(const struct stack_copy *copy, uint64_t address,
			    uint64_t *value)
{
	return read_stack(copy, address, value) ||
	       user_memory_read(copy->memory, address, value, sizeof(*value));
}

/* The known registers of a frame, by DWARF's numbers. */
struct frame_registers {
	uint64_t values[FRAME_REGISTERS];
	uint64_t known; /* bit i: values[i] is known */
};

/* A frame of a copied stack. The functions stack_frame_step_*() replace it by
 * its caller; if they return false, the caller is unknown and the frame must
 * not be used any more.
 */
struct stack_frame {
	const struct stack_copy *copy;
	struct frame_registers registers;
	bool is_interrupted; /* its code address is not a return address */
	bool may_be_leaf;    /* has perhaps not called any function */
	bool ends_signal;    /* see stack_frame_ends_signal() */
	/* unwind information of its code; NULL: none */
	Dwarf_Frame *description;
};

/* The values that expressions in unwind information may use. */
struct frame_context {
	const struct stack_copy *copy;
	const struct frame_registers *registers;
	uint64_t cfa; /* canonical frame address, once it is known */
};

enum { DEPTH = 32 };

struct evaluation {
	const struct frame_context *context;
	uint64_t stack[DEPTH];
	size_t depth;
	bool is_place; /* the result is the address where the value is saved */
};

static bool frame_register(const struct frame_registers *registers,
			   uint64_t number, uint64_t *value)
{
	if (number >= FRAME_REGISTERS || !(registers->known >> number & 1))
		return false;
	*value = registers->values[number];
	return true;
}

static void frame_register_set(struct frame_registers *registers,
			       unsigned int number, uint64_t value)
{
	registers->values[number] = value;
	registers->known |= UINT64_C(1) << number;
}

static bool push(struct evaluation *evaluation, uint64_t value)
{
	if (evaluation->depth == DEPTH)
		return false;
	evaluation->stack[evaluation->depth++] = value;
	return true;
}

static bool pop(struct evaluation *evaluation, uint64_t *value)
{
	if (!evaluation->depth)
		return false;
	*value = evaluation->stack[--evaluation->depth];
	return true;
}

static bool push_register(struct evaluation *evaluation, uint64_t number,
			  uint64_t offset)
{
	uint64_t value;

	return frame_register(evaluation->context->registers, number, &value) &&
	       push(evaluation, value + offset);
}

/* Pushes the value that is @index below the top. */
static bool pick(struct evaluation *evaluation, uint64_t index)
{
	return index < evaluation->depth &&
	       push(evaluation,
		    evaluation->stack[evaluation->depth - 1 - index]);
}

static bool load(struct evaluation *evaluation, uint64_t size)
{
	uint64_t address;
	uint64_t value;

	if (!size || size > sizeof(value) || !pop(evaluation, &address) ||
	    !stack_copy_read(evaluation->context->copy, address, &value))
		return false;
	return push(evaluation, value << (64 - 8 * size) >> (64 - 8 * size));
}

/* Executes operations that replace the top value. */
static bool change_top(struct evaluation *evaluation, const Dwarf_Op *op)
{
	uint64_t value;

	if (!pop(evaluation, &value))
		return false;
	switch (op->atom) {
	case DW_OP_plus_uconst:
		return push(evaluation, value + op->number);
	case DW_OP_neg:
		return push(evaluation, -value);
	case DW_OP_not:
		return push(evaluation, ~value);
	case DW_OP_abs:
		return push(evaluation, (int64_t)value < 0 ? -value : value);
	default:
		return false;
	}
}

static bool compute(uint8_t atom, uint64_t left, uint64_t right,
		    uint64_t *result)
{
	bool fits = right < 64;

	switch (atom) {
	case DW_OP_plus:
		*result = left + right;
		return true;
	case DW_OP_minus:
		*result = left - right;
		return true;
	case DW_OP_mul:
		*result = left * right;
		return true;
	case DW_OP_and:
		*result = left & right;
		return true;
	case DW_OP_or:
		*result = left | right;
		return true;
	case DW_OP_xor:
		*result = left ^ right;
		return true;
	case DW_OP_shl:
		*result = fits ? left << right : 0;
		return true;
	case DW_OP_shr:
		*result = fits ? left >> right : 0;
		return true;
	case DW_OP_shra:
		*result = (uint64_t)((int64_t)left >> (fits ? right : 63));
		return true;
	default:
		return false;
	}
}

static bool compare(uint8_t atom, int64_t left, int64_t right, uint64_t *result)
{
	switch (atom) {
	case DW_OP_eq:
		*result = left == right;
		return true;
	case DW_OP_ne:
		*result = left != right;
		return true;
	case DW_OP_lt:
		*result = left < right;
		return true;
	case DW_OP_le:
		*result = left <= right;
		return true;
	case DW_OP_gt:
		*result = left > right;
		return true;
	case DW_OP_ge:
		*result = left >= right;
		return true;
	default:
		return false;
	}
}

/* Executes operations that replace the two top values by one, or swap them. */
static bool join(struct evaluation *evaluation, uint8_t atom)
{
	uint64_t left;
	uint64_t right;
	uint64_t result;

	if (!pop(evaluation, &right) || !pop(evaluation, &left))
		return false;
	if (atom == DW_OP_swap)
		return push(evaluation, right) && push(evaluation, left);
	return (compute(atom, left, right, &result) ||
		compare(atom, (int64_t)left, (int64_t)right, &result)) &&
	       push(evaluation, result);
}

static bool operate(struct evaluation *evaluation, const Dwarf_Op *op)
{
	uint64_t dropped;

	switch (op->atom) {
	case DW_OP_nop:
		return true;
	case DW_OP_stack_value:
		evaluation->is_place = false;
		return true;
	case DW_OP_call_frame_cfa:
		evaluation->is_place = true;
		return push(evaluation, evaluation->context->cfa);
	case DW_OP_lit0 ... DW_OP_lit31:
		return push(evaluation, op->atom - DW_OP_lit0);
	case DW_OP_const1u ... DW_OP_consts:
		return push(evaluation, op->number);
	case DW_OP_reg0 ... DW_OP_reg31:
		return push_register(evaluation, op->atom - DW_OP_reg0, 0);
	case DW_OP_regx:
		return push_register(evaluation, op->number, 0);
	case DW_OP_breg0 ... DW_OP_breg31:
		return push_register(evaluation, op->atom - DW_OP_breg0,
				     op->number);
	case DW_OP_bregx:
		return push_register(evaluation, op->number, op->number2);
	case DW_OP_deref:
		return load(evaluation, sizeof(uint64_t));
	case DW_OP_deref_size:
		return load(evaluation, op->number);
	case DW_OP_dup:
		return pick(evaluation, 0);
	case DW_OP_over:
		return pick(evaluation, 1);
	case DW_OP_pick:
		return pick(evaluation, op->number);
	case DW_OP_drop:
		return pop(evaluation, &dropped);
	case DW_OP_plus_uconst:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_abs:
		return change_top(evaluation, op);
	default:
		return join(evaluation, op->atom);
	}
}

/* Evaluates the @count operations @ops, as returned by libdw, to the value of a
 * register. If the operations result in the address at which the value is
 * saved, reads the value there. Sources: DWARF 5, 2.5.1; dwarf_frame_register()
 * and dwarf_frame_cfa() of libdw.
 *
 * Returns false if the operations need an unknown value, are damaged, or
 * contain branches.
 */
static bool frame_value(const struct frame_context *context,
			const Dwarf_Op *ops, size_t count, uint64_t *value)
{
	struct evaluation evaluation = { .context = context };

	for (size_t i = 0; i < count; i++)
		if (!operate(&evaluation, &ops[i]))
			return false;
	return pop(&evaluation, value) &&
	       (!evaluation.is_place ||
		stack_copy_read(context->copy, *value, value));
}

/* Returns the address at which @frame's code continues. */
static uint64_t stack_frame_pc(const struct stack_frame *frame)
{
	return frame->registers.values[frame->copy->frames->code_address];
}

/* Sets *@cfa to @frame's canonical frame address, by its description. Returns
 * false if a value needed for this is unknown.
 */
static bool stack_frame_cfa(const struct stack_frame *frame, uint64_t *cfa)
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

/* Sets *@value to the caller's register @number. Returns false if it is
 * unknown.
 */
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
	/* This is libdw's encoding of an unchanged register; else its value is
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

/* Returns whether @frame, the caller, has another code address or stack pointer
 * than its callee's registers @before. If not, the stack ends there.
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

/* Replaces @frame by its caller's frame, which its unwind description gives for
 * the canonical frame address @cfa.
 */
static bool stack_frame_step_described(struct stack_frame *frame, uint64_t cfa)
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

/* Returns whether the return address @address is in a different file from
 * @frame's code. In a function that has called others, the link register may
 * point into that function itself, and so to the same file.
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

/* Steps out of a leaf function that has not saved its return address; returns
 * false if @frame is none. @saved is the return address beside the saved frame
 * pointer.
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

/* Replaces @frame by its caller, by frame pointers. The caller's other
 * registers become unknown.
 */
static bool stack_frame_step_linked(struct stack_frame *frame)
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
	/* Each frame pointer is higher than the one before; the outermost is 0.
	 */
	return next > at || !next;
}

/* Returns whether @frame's code is that of the kernel that ends signal handlers
 * and has no unwind information (arch_frames.signal_return).
 */
static bool stack_frame_ends_signal(const struct stack_frame *frame)
{
	const struct arch_frames *frames = frame->copy->frames;
	uint8_t code[sizeof(frames->signal_return)];

	return frames->signal_return_bytes &&
	       user_memory_read(frame->copy->memory, stack_frame_pc(frame),
				code, frames->signal_return_bytes) &&
	       !memcmp(code, frames->signal_return,
		       frames->signal_return_bytes);
}

/* Replaces @frame, the code that ends a signal handler, by the interrupted
 * code. Requires stack_frame_ends_signal().
 */
static bool stack_frame_step_signal(struct stack_frame *frame)
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
	/* The code that ends a signal handler is entered at its start, not
	 * after a call.
	 */
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
	/* The description cannot be used. If the stack pointer is known, the
	 * stack ends here. If not, an earlier step by frame pointers has lost
	 * it: continue by frame pointers.
	 */
	if (frame->description &&
	    frame_register(&frame->registers, frames->stack_pointer, &stack))
		return false;
	return stack_frame_step_linked(frame);
}

static bool begin(struct stack_frame *frame, const struct stack_copy *copy)
{
	uint64_t value;

	/* The sample's address counts as a return address: in a system call, it
	 * is the address after the instruction, too.
	 */
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

/* Frees @walker; NULL is allowed. Must be called before the files that it used
 * (struct user_elf) are closed.
 */
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

/* Creates stack->memory when it is first needed. Returns whether it exists. */
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
