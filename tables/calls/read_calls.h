/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALLS_READ_CALLS_H
#define KT_TABLES_CALLS_READ_CALLS_H

/* The calls of functions that were chosen with record --args, with their
 * arguments and results. For report --args, exports and SQL.
 *
 *	records of the probes --> arguments, results --+--> struct read_call
 *	call events ------------> times ---------------+
 *
 * A probe's record of a start is inside the function in the trace, so that the
 * innermost open function of this name is the call. The function may end in a
 * jump to another one, whose return is that of the call: so the call lasts as
 * long as the frame has a function. The record of the result is after that.
 *
 * Memory grows with the number of these calls. Errors: read_calls_end().
 */

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct array;
struct attribution_input;
struct read_calls;

/* A call of a function that was chosen with record --args. */
struct read_call {
	struct task task;
	uint32_t function;
	uint64_t begin_ns; /* of the call in the trace, else of its record */
	uint64_t end_ns;   /* of the same source; 0: it did not return */
	uint32_t depth;	   /* in the trace; READ_CALL_UNTRACED */
	/* its frame has ended: the next step may be a function that replaces
	 * it by a jump
	 */
	bool may_go_on;
	bool is_open;	 /* its frame, or what replaced it, is open */
	char *arguments; /* "file=0xffff888003c41200, count=4096"; owned */
	char *result;	 /* owned; NULL: it did not return */
};

/* The depth of a call that is not in the trace. */
#define READ_CALL_UNTRACED UINT32_MAX

/* Follows the pass of @input, whatever its filter; borrows it. Returns NULL
 * when out of memory.
 */
struct read_calls *read_calls_new(const struct attribution_input *input);
void read_calls_free(struct read_calls *calls);

/* Ends the pass. Sets *@list to the calls (struct read_call) in the order of
 * their starts, which @calls owns.
 *
 * Returns 0, or -ERROR_MEMORY if the pass ran out of memory.
 */
int read_calls_end(struct read_calls *calls, struct array **list);

/* Returns the call of @function by thread @tid that began at @begin_ns, after
 * read_calls_end(); NULL: there is none.
 */
const struct read_call *read_calls_find(const struct read_calls *calls,
					int32_t tid, uint32_t function,
					uint64_t begin_ns);

#endif
