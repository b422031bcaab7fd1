/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALLS_READ_CALLS_H
#define KT_TABLES_CALLS_READ_CALLS_H

/* The calls of functions that were chosen with record --args, with their
 * arguments and results. For report --args, exports and SQL.
 *
 *	records of the probes --> arguments, results --+--> struct read_call
 *	call events ------------> times ---------------+
 *
 * The probe at a function's start makes its record when the trace already shows
 * the function as open: the call is the innermost open one of that function. A
 * function may end in a jump to another function, which then returns for it, so
 * the call lasts until its frame is closed. The record of the result arrives
 * after that.
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
	/* from the trace; from the probe's record if the call is not in the
	 * trace
	 */
	uint64_t begin_ns;
	/* from the trace if it has the return, else from the record of the
	 * result; 0: it did not return
	 */
	uint64_t end_ns;
	/* of its frame in the trace, or READ_CALL_UNTRACED */
	uint32_t depth;
	/* its frame was closed: the next call event may be the function that
	 * replaces it by a jump
	 */
	bool may_go_on;
	/* its function, or one that replaced it, has not returned */
	bool is_open;
	char *arguments; /* "file=0xffff888003c41200, count=4096"; owned */
	char *result;	 /* owned; NULL: it did not return */
};

/* The depth of a call that is not in the trace. */
#define READ_CALL_UNTRACED UINT32_MAX

/* Collects calls in the pass of @input, including those that its filter
 * excludes. Borrows the pointers of @input. Returns NULL when out of memory.
 */
struct read_calls *read_calls_new(const struct attribution_input *input);
void read_calls_free(struct read_calls *calls);

/* Sets *@list to all calls (struct read_call) in order of their starts; @calls
 * owns the list. Must be called after the pass.
 */
int read_calls_end(struct read_calls *calls, struct array **list);

/* Returns the call of @function by thread @tid that began at @begin_ns; NULL:
 * there is none. Must be called after read_calls_end().
 */
const struct read_call *read_calls_find(const struct read_calls *calls,
					int32_t tid, uint32_t function,
					uint64_t begin_ns);

#endif
