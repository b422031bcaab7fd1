/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/stack_copy.h"

#include "decoder/recording/sideband.h"
#include "symbolize/arch/arch.h"
#include "symbolize/unwind/user_memory.h"

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
