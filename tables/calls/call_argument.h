/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_ARGUMENT_H
#define KT_TABLES_CALL_ARGUMENT_H

#include <stdbool.h>
#include <stdio.h>

struct system_call;

/* Writes the arguments of @call, called @name, between parentheses: those that
 * it has, with flags by name, as strace does.  What pointers lead to, such as
 * paths, no trace tells.  @is_arm: the numbers are those of Arm's kernels.
 */
void call_arguments_write(const struct system_call *call, const char *name,
			  bool is_arm, FILE *out);

/* Writes what @call, called @name, returned, as " = 3" or
 * " = -1 ENOENT (No such file or directory)"; " = ?" where nothing tells.
 */
void call_result_write(const struct system_call *call, const char *name,
		       FILE *out);

#endif
