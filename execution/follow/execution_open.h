/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EXECUTION_OPEN_H
#define KT_EXECUTION_EXECUTION_OPEN_H

#include "execution/walk/execution.h"

struct flow_input;
struct symbols;

/* Makes @execution, which is zeroed, one of @input's stream, before the first branch.
 * Borrows all; @lists_blocks: records are flow items, not events.
 *
 * Returns 0 or a negative enum error: it can then only be closed.
 */
int execution_open(struct execution *execution, const struct flow_input *input,
		   const struct symbols *symbols, bool lists_blocks);

/* Goes on with the stream of @input, of which nothing is known but the code that was
 * read: that is the same and not older.  Returns 0, or -ERROR_MEMORY: it can then only
 * be closed, or renewed.
 */
int execution_renew(struct execution *execution,
		    const struct flow_input *input);

/* Goes on at another place of the same stream, knowing nothing; @rate as in
 * record_feed_begin().
 */
void execution_begin(struct execution *execution, uint64_t rate);

/* Half-built is allowed. */
void execution_close(struct execution *execution);

#endif
