/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_ATOMS_H
#define KT_EXECUTION_FOLLOW_ATOMS_H

#include <stdint.h>

struct execution;
struct flow_input;
struct trace_branch;

/* Follows the trace of units with an atom for each branch: see TRACE_ATOMS. */

/* Sets up @execution, whose code is open, for @input's stream, if its unit
 * emits atoms. Returns 0 or -ERROR_MEMORY.
 */
int follow_atoms_init(struct execution *execution,
		      const struct flow_input *input);

/* Resets all state to unknown, including the code. Keeps the unit's settings.
 */
void follow_atoms_reset(struct execution *execution);

void follow_atoms_close(struct execution *execution);

/* As follow_branch(). */
int follow_atoms(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position);

#endif
