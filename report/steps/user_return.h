/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_USER_RETURN_H
#define KT_REPORT_USER_RETURN_H

#include "report/steps/call_stack.h"

/* Transitions to user code that do not exist in kernel code. Private to
 * call_stack*.c and its helpers.
 */

/* Applies a return of the kernel to traced user code: to the interrupted
 * address, to a signal handler, back from one, to a new program, or to the
 * start of a new thread. Returns 0 or -ERROR_MEMORY.
 */
int user_return_take(struct call_stack *stack,
		     const struct function_event *event,
		     struct call_stack_output *output);

/* Applies a jump of user code to an outer open function: longjmp(), or an
 * exception caught there.
 *
 * Returns whether such a function is open.
 */
bool user_return_unwind(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output);

#endif
