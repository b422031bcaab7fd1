/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/frame_value.h"

#include "symbolize/unwind/stack_copy.h"

#include <dwarf.h>

enum { DEPTH = 32 };

struct evaluation {
	const struct frame_context *context;
	uint64_t stack[DEPTH];
	size_t depth;
	bool is_place; /* the result is the address of the value */
};

bool frame_register(const struct frame_registers *registers, uint64_t number,
		    uint64_t *value)
{
	if (number >= FRAME_REGISTERS || !(registers->known >> number & 1))
		return false;
	*value = registers->values[number];
	return true;
}

void frame_register_set(struct frame_registers *registers, unsigned int number,
			uint64_t value)
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

bool frame_value(const struct frame_context *context, const Dwarf_Op *ops,
		 size_t count, uint64_t *value)
{
	struct evaluation evaluation = { .context = context };

	for (size_t i = 0; i < count; i++)
		if (!operate(&evaluation, &ops[i]))
			return false;
	return pop(&evaluation, value) &&
	       (!evaluation.is_place ||
		stack_copy_read(context->copy, *value, value));
}
