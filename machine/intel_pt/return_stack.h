/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_RETURN_STACK_H
#define KT_MACHINE_INTEL_PT_RETURN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Return addresses of the calls under way, for return compression: a return
 * to the one on top takes a TNT bit in place of a TIP (SDM, "RET
 * Compression").  Holds the newest 64; older ones are forgotten.
 */
enum { PT_RETURN_STACK_DEPTH = 64 };

struct pt_return_stack {
	uint64_t addresses[PT_RETURN_STACK_DEPTH];
	unsigned top; /* where the next one goes */
	unsigned count;
};

void pt_return_stack_clear(struct pt_return_stack *stack);
void pt_return_stack_push(struct pt_return_stack *stack, uint64_t address);

/* Takes the top away if it is @target; empties the stack if not.
 *
 * A decoder keeps what it pushed after a return that was not compressed, and
 * libipt does not pop then: emptying ours keeps any later match on entries
 * that both have.  Returns true when @target was on top.
 */
bool pt_return_stack_match(struct pt_return_stack *stack, uint64_t target);

#endif
