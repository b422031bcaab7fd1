/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOMS_WALK_ATOMS_INTERNAL_H
#define KT_EXECUTION_ATOMS_WALK_ATOMS_INTERNAL_H

#include "execution/walk/execution.h"

#include <stdbool.h>
#include <stdint.h>

/* Walks the graph from execution->block, which has not run yet, for trace where
 * every branch has an atom. After an indirect branch without a further atom the
 * block is unknown: atoms.awaits_target.
 */

/* Follows @count branches, the oldest on top of @bits: a 1 is taken. Returns
 * the number of atoms left if execution cannot be followed.
 */
unsigned int walk_atoms(struct execution *execution, uint64_t bits,
			unsigned int count);

/* Goes from the indirect branch that ran to the return address of the innermost
 * call. Returns false if there is none.
 */
bool walk_atoms_back(struct execution *execution);

/* Like walk_atoms_back(), but goes to @address. */
void walk_atoms_jump(struct execution *execution, uint64_t address);

/* Runs up to the instruction at @address, which is not run; @is_call: if the
 * last instruction before it raises an exception, that is the next event.
 * Returns false, somewhere before @address, if the code does not lead there.
 */
bool walk_atoms_to(struct execution *execution, uint64_t address, bool is_call);

/* Runs up to and including the branch at @address, which is taken; all branches
 * before it are not. Returns false if the code does not lead there, or the
 * branch's target is unknown.
 */
bool walk_atoms_source(struct execution *execution, uint64_t address);

#endif
