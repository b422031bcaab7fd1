/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_RETURN_STACK_H
#define KT_MACHINE_ARM_ETE_RETURN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* The return addresses of the newest branches with link. An indirect branch to
 * the top entry needs no address packet (TRCCONFIGR.RS). A decoder holds at
 * least 15 entries, so no unit may have more.
 */
enum { ETE_RETURN_STACK_DEPTH = 15 };

struct ete_return_stack {
	uint64_t addresses[ETE_RETURN_STACK_DEPTH];
	unsigned top; /* index of the next entry */
	unsigned count;
};

void ete_return_stack_clear(struct ete_return_stack *stack);
void ete_return_stack_push(struct ete_return_stack *stack, uint64_t address);

/* Pops the top entry and returns true if it is @target. Otherwise leaves the
 * stack unchanged, as a decoder does that receives an address.
 */
bool ete_return_stack_match(struct ete_return_stack *stack, uint64_t target);

#endif
