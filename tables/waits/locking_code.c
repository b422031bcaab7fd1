/* SPDX-License-Identifier: MIT */
#include "common/formats/kernel_types.h"
#include "common/maps.h"
#include "tables/waits/lock_members_internal.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdlib.h>

enum { REGISTERS = 16, SLOTS_MOST = 32, NO_REGISTER = REGISTERS };

/* Numbers of registers, as in their encoding. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

/* Maximum number of passes over the code until the values at all labels are
 * stable: usually three are enough.
 */
enum { PASSES_MOST = 50 };

/* The value of a register or a stack slot: an address in an object. */
struct value {
	bool is_known;
	uint32_t type;	 /* of the object; 0: see callee */
	uint64_t callee; /* that returned the object; 0: unknown */
	int64_t offset;
};

/* The values before one instruction; each stack slot that the code uses has an
 * index.
 */
struct state {
	bool is_reached;
	struct value values[REGISTERS];
	struct value slots[SLOTS_MOST];
};

/* A stack slot, by its distance from the stack pointer, which the code of the
 * kernel changes at the start and the end of a function only.
 */
struct slot {
	int base; /* RSP, or RBP in a function with a frame pointer */
	int64_t displacement;
	bool has_address; /* other code may write it */
};

struct reading {
	const struct locking_code *code;
	ZydisDecoder decoder;
	struct number_map labels; /* number of the label + 1, by its offset */
	struct state *states;	  /* by label */
	struct slot slots[SLOTS_MOST];
	size_t slot_count;
	struct number_map results; /* type + 1, by the address of the callee */
	bool has_changed;	   /* a label's state, in this pass */
	/* The code has jumps through tables. They may lead to any code that no
	 * other branch reaches, so that nothing is known there. Without such
	 * jumps, code that is not reached does not run: it belongs to disabled
	 * static keys, or follows instructions that fault.
	 */
	bool has_tables;
	bool has_frame; /* RBP is the frame pointer */
	/* the pass includes code that no branch reaches */
	bool starts_anywhere;
};

/* One instruction. */
struct step {
	size_t offset;
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool read_step(const struct reading *reading, size_t offset,
		      struct step *step)
{
	step->offset = offset;
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(
		&reading->decoder, reading->code->bytes + offset,
		reading->code->size - offset, &step->instruction,
		step->operands));
}

/* Returns the number of the 64-bit register that contains the register of
 * @operand; NO_REGISTER if it is none of these.
 */
static int register_of(const ZydisDecodedOperand *operand)
{
	ZydisRegister whole;

	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return NO_REGISTER;
	whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
						 operand->reg.value);
	return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ?
		       ZydisRegisterGetId(whole) :
		       NO_REGISTER;
}

static int base_of(const ZydisDecodedOperand *operand)
{
	return operand->mem.base == ZYDIS_REGISTER_NONE ||
			       ZydisRegisterGetClass(operand->mem.base) !=
				       ZYDIS_REGCLASS_GPR64 ?
		       NO_REGISTER :
		       ZydisRegisterGetId(operand->mem.base);
}

/* Returns whether @operand is 8 bytes of memory at a base and a displacement. */
static bool is_plain_memory(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       operand->mem.index == ZYDIS_REGISTER_NONE;
}

/* Returns the index of the stack slot that @operand is, added if it is new;
 * SLOTS_MOST if it is none, or there are too many.
 */
static size_t slot_of(struct reading *reading,
		      const ZydisDecodedOperand *operand)
{
	int base = is_plain_memory(operand) ? base_of(operand) : NO_REGISTER;
	size_t at = 0;

	if (base != RSP && (base != RBP || !reading->has_frame))
		return SLOTS_MOST;
	while (at < reading->slot_count &&
	       (reading->slots[at].base != base ||
		reading->slots[at].displacement != operand->mem.disp.value))
		at++;
	if (at == reading->slot_count && at < SLOTS_MOST)
		reading->slots[reading->slot_count++] = (struct slot){
			.base = base,
			.displacement = operand->mem.disp.value,
		};
	return at;
}

/* Returns the target of a direct branch or call; 0: it has none. */
static uint64_t target_of(const struct reading *reading,
			  const struct step *step)
{
	const ZydisDecodedOperand *operand = &step->operands[0];

	if (!step->instruction.operand_count_visible ||
	    operand->type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
	    !operand->imm.is_relative)
		return 0;
	return reading->code->address + step->offset +
	       step->instruction.length + (uint64_t)operand->imm.value.s;
}

/* Returns whether the instruction is the call of the function tracer at the
 * function's start, which preserves all registers.
 */
static bool is_tracer_call(const struct step *step)
{
	enum { ENDBR_BYTES = 4 };

	return !step->offset || step->offset == ENDBR_BYTES;
}

static bool is_call(const struct step *step)
{
	return step->instruction.meta.category == ZYDIS_CATEGORY_CALL &&
	       !is_tracer_call(step);
}

/* Returns whether the next instruction is reached by branches only. */
static bool is_end(const struct step *step)
{
	return step->instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	       step->instruction.meta.category == ZYDIS_CATEGORY_RET;
}

/* Returns whether the instruction is mov %rsp, %rbp. */
static bool sets_frame(const struct step *step)
{
	return step->instruction.mnemonic == ZYDIS_MNEMONIC_MOV &&
	       register_of(&step->operands[0]) == RBP &&
	       register_of(&step->operands[1]) == RSP;
}

/* Returns whether the instruction jumps to an address from a register or
 * memory, as from a table.
 */
static bool is_table_jump(const struct step *step)
{
	return step->instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR &&
	       step->operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

/* Returns whether the instruction may be there only to align the next one. */
static bool is_padding(const struct step *step)
{
	return step->instruction.mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       step->instruction.mnemonic == ZYDIS_MNEMONIC_NOP;
}

static void forget(struct state *state, int number)
{
	state->values[number] = (struct value){ .is_known = false };
}

/* Adds the targets of branches as labels, and marks the stack slots whose
 * addresses the code passes on. Returns the number of labels; 0 when out of
 * memory.
 */
static size_t find_labels(struct reading *reading)
{
	enum { OBJECT_BYTES = 256 };
	const struct locking_code *code = reading->code;
	size_t count = 1;
	struct step step;

	for (size_t at = 0; at < code->size && read_step(reading, at, &step);
	     at += step.instruction.length) {
		uint64_t target = target_of(reading, &step) - code->address;
		uint64_t *label;
		size_t slot;

		reading->has_frame |= sets_frame(&step);
		reading->has_tables |= is_table_jump(&step);
		if (step.instruction.mnemonic == ZYDIS_MNEMONIC_LEA) {
			slot = slot_of(reading, &step.operands[1]);
			if (slot < SLOTS_MOST)
				reading->slots[slot].has_address = true;
		} else if (!is_call(&step) && target < code->size) {
			label = number_map_add(&reading->labels, target);
			if (!label)
				return 0;
			if (!*label)
				*label = count++;
		}
		slot_of(reading, &step.operands[0]);
	}
	for (size_t i = 0; i < reading->slot_count; i++)
		for (size_t k = 0; k < reading->slot_count; k++)
			if (reading->slots[i].has_address &&
			    reading->slots[k].base == reading->slots[i].base &&
			    reading->slots[k].displacement -
					    reading->slots[i].displacement >=
				    0 &&
			    reading->slots[k].displacement <
				    reading->slots[i].displacement +
					    OBJECT_BYTES)
				reading->slots[k].has_address = true;
	return count;
}

static bool is_equal(const struct value *a, const struct value *b)
{
	return a->is_known == b->is_known && a->type == b->type &&
	       a->callee == b->callee && a->offset == b->offset;
}

/* Makes those of the @count values @into unknown that differ from @from.
 * Returns whether any has changed.
 */
static bool join_values(struct value *into, const struct value *from,
			size_t count)
{
	bool has_changed = false;

	for (size_t i = 0; i < count; i++)
		if (into[i].is_known && !is_equal(&into[i], &from[i])) {
			into[i] = (struct value){ .is_known = false };
			has_changed = true;
		}
	return has_changed;
}

/* Joins @state into the values at label @number, where control continues from
 * it.
 */
static void arrive(struct reading *reading, const struct state *state,
		   uint64_t number)
{
	struct state *label = &reading->states[number];

	if (!state->is_reached)
		return;
	if (!label->is_reached) {
		*label = *state;
		reading->has_changed = true;
		return;
	}
	reading->has_changed |=
		join_values(label->values, state->values, REGISTERS);
	reading->has_changed |=
		join_values(label->slots, state->slots, SLOTS_MOST);
}

/* Returns the type of the object that @value is in; 0: unknown. */
static uint32_t type_of(struct reading *reading, const struct value *value)
{
	const struct locking_code *code = reading->code;
	uint64_t *type;

	if (!value->is_known || value->type || !value->callee)
		return value->is_known ? value->type : 0;
	type = number_map_add(&reading->results, value->callee);
	if (type && !*type)
		*type = 1 +
			(uint64_t)kernel_types_result(
				code->types,
				code->function_at(code->ctx, value->callee));
	return type ? (uint32_t)(*type - 1) : 0;
}

/* Returns the value of the pointer that is read from @operand. */
static struct value load(struct reading *reading, const struct state *state,
			 const struct step *step,
			 const ZydisDecodedOperand *operand)
{
	const struct locking_code *code = reading->code;
	struct value loaded = { .is_known = true };
	size_t slot = slot_of(reading, operand);
	int64_t displacement = operand->mem.disp.value;
	const struct value *base;
	uint32_t type;

	if (slot < SLOTS_MOST)
		return reading->slots[slot].has_address ? (struct value){ 0 } :
							  state->slots[slot];
	if (operand->mem.segment == ZYDIS_REGISTER_GS) {
		if (operand->mem.base == ZYDIS_REGISTER_RIP)
			displacement += (int64_t)(code->address + step->offset +
						  step->instruction.length);
		if (code->is_current(code->ctx, (uint64_t)displacement))
			loaded.type =
				kernel_types_struct(code->types, "task_struct");
		return loaded;
	}
	if (base_of(operand) == NO_REGISTER)
		return loaded;
	base = &state->values[base_of(operand)];
	type = type_of(reading, base);
	if (type && base->offset + displacement >= 0)
		loaded.type = kernel_types_pointer_at(
			code->types, type,
			(uint64_t)(base->offset + displacement));
	return loaded;
}

/* Returns @value, @distance bytes further on in its object. */
static struct value moved(struct value value, int64_t distance)
{
	value.offset += value.is_known ? distance : 0;
	return value;
}

/* Returns the value that the instruction writes to its first operand. In an
 * object of unknown type, offsets count from the pointer that was read.
 */
static struct value result_of(struct reading *reading,
			      const struct state *state,
			      const struct step *step)
{
	const struct value unknown = { .is_known = false };
	const ZydisDecodedOperand *from = &step->operands[1];
	ZydisMnemonic mnemonic = step->instruction.mnemonic;
	int source = register_of(from);
	int target = register_of(&step->operands[0]);

	if (step->instruction.operand_width != 64)
		return unknown;
	if (mnemonic == ZYDIS_MNEMONIC_MOV && source != NO_REGISTER)
		return state->values[source];
	if (mnemonic == ZYDIS_MNEMONIC_MOV && is_plain_memory(from))
		return load(reading, state, step, from);
	if (mnemonic == ZYDIS_MNEMONIC_LEA && is_plain_memory(from) &&
	    base_of(from) != NO_REGISTER)
		return moved(state->values[base_of(from)],
			     from->mem.disp.value);
	if (target == NO_REGISTER || from->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return unknown;
	if (mnemonic == ZYDIS_MNEMONIC_ADD)
		return moved(state->values[target], from->imm.value.s);
	if (mnemonic == ZYDIS_MNEMONIC_SUB)
		return moved(state->values[target], -from->imm.value.s);
	return unknown;
}

/* Forgets the registers that the instruction writes. */
static void forget_written(struct state *state, const struct step *step)
{
	static const uint8_t clobbered[] = { RAX, RCX, RDX, RSI, RDI,
					     R8,  R9,  R10, R11 };

	for (size_t i = 0; is_call(step) && i < sizeof(clobbered); i++)
		forget(state, clobbered[i]);
	for (uint8_t i = 0; i < step->instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &step->operands[i];
		int number = register_of(operand);

		if (number != NO_REGISTER && number != RSP &&
		    operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			forget(state, number);
	}
}

/* Applies the instruction to @state. */
static void apply(struct reading *reading, struct state *state,
		  const struct step *step)
{
	const ZydisDecodedOperand *target = &step->operands[0];
	struct value value = result_of(reading, state, step);
	bool is_written = step->instruction.operand_count_visible &&
			  target->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	int number = register_of(target);
	size_t slot = is_written ? slot_of(reading, target) : SLOTS_MOST;

	forget_written(state, step);
	if (slot < SLOTS_MOST)
		state->slots[slot] = value;
	else if (is_written && number != NO_REGISTER && number != RSP)
		state->values[number] = value;
	if (is_call(step))
		state->values[RAX] = (struct value){
			.is_known = true,
			.callee = target_of(reading, step),
		};
}

/* Returns the state at the start of the function: its parameters. */
static struct state begin(const struct reading *reading)
{
	static const uint8_t parameters[] = { RDI, RSI, RDX, RCX, R8, R9 };
	struct state state = { .is_reached = true };

	for (uint32_t i = 0; i < sizeof(parameters); i++)
		state.values[parameters[i]] = (struct value){
			.is_known = true,
			.type = kernel_types_parameter(reading->code->types,
						       reading->code->function,
						       i),
		};
	return state;
}

/* Follows the values through the code once. Sets *@argument at the call. */
static void read_once(struct reading *reading, struct lock_argument *argument)
{
	const struct locking_code *code = reading->code;
	struct state state = begin(reading);
	struct step step;

	reading->has_changed = false;
	for (size_t at = 0; at < code->size && read_step(reading, at, &step);
	     at += step.instruction.length) {
		const uint64_t *label = number_map_find(&reading->labels, at);
		uint64_t target = target_of(reading, &step) - code->address;
		const struct value *value = &state.values[RDI];

		if (label) {
			arrive(reading, &state, *label);
			state = reading->states[*label];
		}
		if (!state.is_reached && reading->starts_anywhere &&
		    !is_padding(&step)) {
			state = (struct state){ .is_reached = true };
			if (label)
				arrive(reading, &state, *label);
		}
		if (code->address + at + step.instruction.length ==
		    code->return_address)
			*argument = (struct lock_argument){
				.is_known = value->is_known,
				.type = type_of(reading, value),
				.offset = value->offset,
				.callee = target_of(reading, &step),
			};
		apply(reading, &state, &step);
		label = is_call(&step) ?
				NULL :
				number_map_find(&reading->labels, target);
		if (label)
			arrive(reading, &state, *label);
		if (is_end(&step))
			state.is_reached = false;
	}
}

struct lock_argument locking_code_argument(const struct locking_code *code)
{
	struct reading reading = { .code = code };
	struct lock_argument argument = { .is_known = false };
	size_t count;

	ZydisDecoderInit(&reading.decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	count = find_labels(&reading);
	reading.states = count ? calloc(count, sizeof(*reading.states)) : NULL;
	reading.has_changed = reading.states;
	for (int i = 0; i < PASSES_MOST && reading.has_changed; i++) {
		read_once(&reading, &argument);
		/* Code that no branch has reached may be the target of jumps
		 * through tables: the next passes include it.
		 */
		if (!reading.has_changed && reading.has_tables &&
		    !reading.starts_anywhere)
			reading.has_changed = reading.starts_anywhere = true;
	}
	if (reading.has_changed)
		argument = (struct lock_argument){ .is_known = false };
	free(reading.states);
	number_map_free(&reading.labels);
	number_map_free(&reading.results);
	return argument;
}
