/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_WALK_ATOMS_H
#define KT_EXECUTION_WALK_ATOMS_H

#include <stdbool.h>
#include <stdint.h>

struct execution;

/* Going along the graph from execution->block, which has not run yet, where
 * every branch takes an atom.  An indirect branch that none follows leaves no
 * block: atoms.awaits_target.
 */

/* Follows @count branches, the oldest on top of @bits: a 1 is taken.  Returns
 * how many are left where execution cannot be followed.
 */
unsigned int walk_atoms(struct execution *execution, uint64_t bits,
			unsigned int count);

/* Goes from the indirect branch that ran to where the innermost call returns
 * to.  Returns false if there is none.
 */
bool walk_atoms_back(struct execution *execution);

/* The same to @address. */
void walk_atoms_jump(struct execution *execution, uint64_t address);

/* Runs on to @address, which is not run; @is_call: if the last instruction asks
 * for an exception, that is what comes next.  Returns false, somewhere before
 * it, if the code does not lead there.
 */
bool walk_atoms_to(struct execution *execution, uint64_t address, bool is_call);

/* Runs on to the branch at @address, which is taken, no other on the way. */
bool walk_atoms_source(struct execution *execution, uint64_t address);

#endif
