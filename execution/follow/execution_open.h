/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EXECUTION_OPEN_H
#define KT_EXECUTION_EXECUTION_OPEN_H

#include "execution/walk/execution.h"

struct flow_input;
struct symbols;

/* Sets up @execution, which is zeroed, for @input's stream, before its first
 * branch. Borrows all arguments. @lists_blocks: records are flow items, not
 * events.
 *
 * Returns 0 or a negative enum error: it can then only be closed.
 */
int execution_open(struct execution *execution, const struct flow_input *input,
		   const struct symbols *symbols, bool lists_blocks);

/* Restarts with the stream of @input, whose code image must be the same. Keeps
 * the blocks that were read, but no other state. Returns 0, or -ERROR_MEMORY:
 * it can then only be closed, or restarted.
 */
int execution_renew(struct execution *execution,
		    const struct flow_input *input);

/* Restarts at another position of the same stream, with all state unknown.
 * @rate as for record_feed_begin().
 */
void execution_begin(struct execution *execution, uint64_t rate);

/* Closes @execution, which may be half-built. */
void execution_close(struct execution *execution);

#endif
