/* SPDX-License-Identifier: MIT */
#include "symbolize/events/function_event.h"

#include "decoder/flow/flow.h"
#include "symbolize/arch/arch.h"

#include <string.h>

_Static_assert(sizeof(struct function_event) == 32, "events are hot");

static const char *const names[] = {
	[FUNCTION_CALL] = "call",
	[FUNCTION_LOCAL_CALL] = "local-call",
	[FUNCTION_TAIL_CALL] = "tail-call",
	[FUNCTION_FAR_JUMP] = "far-jump",
	[FUNCTION_INLINED] = "inlined",
	[FUNCTION_NEW_PROGRAM] = "new-program",
	[FUNCTION_RETURN] = "return",
	[FUNCTION_EXCEPTION] = "break",
	[FUNCTION_LOCAL_EXCEPTION] = "local-break",
	[FUNCTION_EXCEPTION_RETURN] = "break-return",
	[FUNCTION_TRACE_START] = "start",
	[FUNCTION_OPEN] = "open",
	[FUNCTION_OPEN_EXCEPTION] = "open-break",
	[FUNCTION_OPEN_END] = "open-end",
	[FUNCTION_TRACE_STOP] = "stop",
	[FUNCTION_GAP] = "gap",
	[FUNCTION_SWITCH] = "switch",
	[FUNCTION_INTERRUPTS] = "interrupts",
	[FUNCTION_END] = "end",
};

const char *function_event_text(uint8_t kind)
{
	if (kind >= sizeof(names) / sizeof(*names) || !names[kind])
		return "?";
	return names[kind];
}

bool thunk_fold_covers(const struct symbol *symbol)
{
	return symbol->role == CODE_RETURN_THUNK ||
	       symbol->role == CODE_INDIRECT_THUNK ||
	       symbol->role == CODE_VECTOR;
}

void thunk_fold_begin(struct thunk_fold *fold, const struct symbol *symbol,
		      uint8_t exit, uint32_t from, uint64_t return_address)
{
	fold->active = true;
	fold->from = from;
	fold->return_address = return_address;
	if (exit == FLOW_EXIT_CALL || symbol->role == CODE_VECTOR)
		fold->exit = exit;
	else if (symbol->role == CODE_RETURN_THUNK)
		fold->exit = FLOW_EXIT_RETURN;
	else
		fold->exit = FLOW_EXIT_JUMP;
}

void thunk_fold_suspend(struct thunk_fold_stack *stack, struct thunk_fold *fold,
			uint64_t address)
{
	const unsigned int room = sizeof(stack->saved) / sizeof(*stack->saved);

	if (!fold->active)
		return;
	if (stack->count == room) {
		stack->count--;
		memmove(&stack->saved[0], &stack->saved[1],
			stack->count * sizeof(*stack->saved));
	}
	stack->saved[stack->count].fold = *fold;
	stack->saved[stack->count].address = address;
	stack->count++;
	fold->active = false;
}

bool thunk_fold_resume(struct thunk_fold_stack *stack, struct thunk_fold *fold,
		       uint64_t address)
{
	for (unsigned int i = stack->count; i-- > 0;) {
		if (stack->saved[i].address != address)
			continue;
		*fold = stack->saved[i].fold;
		/* Exceptions will not return to folds that were interrupted
		 * later than this one.
		 */
		stack->count = i;
		return true;
	}
	return false;
}
