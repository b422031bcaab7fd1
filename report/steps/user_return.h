/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_USER_RETURN_H
#define KT_REPORT_USER_RETURN_H

#include "report/steps/call_stack.h"

/* Ways into user code that no kernel code has: inside call_stack only. */

/* The kernel goes back to user code, which is traced: to where it was entered
 * from, to a signal's handler, back from that, to a new program, or into a new
 * thread.  Returns 0 or -ERROR_MEMORY.
 */
int user_return_take(struct call_stack *stack,
		     const struct function_event *event,
		     struct call_stack_output *output);

/* User code goes on in a function that is open further out: longjmp, an
 * exception caught there.
 *
 * Returns whether there is one.
 */
bool user_return_unwind(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output);

#endif
