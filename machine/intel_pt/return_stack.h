/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_RETURN_STACK_H
#define KT_MACHINE_INTEL_PT_RETURN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* The return addresses of open calls, for return compression: a return to the
 * top entry is a TNT bit instead of a TIP (SDM, "RET Compression"). The stack
 * holds the newest 64 entries and drops older ones.
 */
enum { PT_RETURN_STACK_DEPTH = 64 };

struct pt_return_stack {
	uint64_t addresses[PT_RETURN_STACK_DEPTH];
	unsigned top; /* index of the next entry */
	unsigned count;
};

void pt_return_stack_clear(struct pt_return_stack *stack);
void pt_return_stack_push(struct pt_return_stack *stack, uint64_t address);

/* Pops the top entry if it is @target; otherwise empties the stack. Returns
 * true if @target was the top entry.
 *
 * After a return that was not compressed, a decoder keeps its entries, and
 * libipt does not pop. Emptying this stack limits later matches to entries that
 * both have.
 */
bool pt_return_stack_match(struct pt_return_stack *stack, uint64_t target);

#endif
