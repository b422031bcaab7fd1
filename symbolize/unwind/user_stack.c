/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/user_stack.h"

#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/arch/arch.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/unwind/stack_copy.h"
#include "symbolize/unwind/stack_walker.h"
#include "symbolize/unwind/user_memory.h"

#include <linux/perf_event.h>
#include <stdlib.h>

enum { DEEPEST = 256 };

struct user_stack {
	const struct symbols *symbols;
	const struct arch_frames *frames;
	struct user_memory *memory;
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
	stack->memory = user_memory_new(recording);
	stack->walker = stack_walker_new();
	if (stack->memory && stack->walker)
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

size_t user_stack_addresses(struct user_stack *stack,
			    const struct sideband_record *record,
			    uint64_t *addresses, size_t room)
{
	const struct stack_copy copy = {
		stack->frames,
		stack->memory,
		&record->sample.user,
	};

	if (!can_unwind(stack, copy.state->registers.abi) || !room ||
	    user_memory_look(stack->memory, record->pid, record->time_ns) < 0)
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
