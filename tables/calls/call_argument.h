/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALLS_CALL_ARGUMENT_H
#define KT_TABLES_CALLS_CALL_ARGUMENT_H

#include <stdbool.h>
#include <stdio.h>

struct system_call;

/* Returns the signature of system call @name, according to its manual page
 * (section 2): the letter of the result, then a letter for each argument. NULL
 * if unknown.
 */
const char *call_signature(const char *name);

/* Writes the recorded arguments of @call, called @name, between parentheses,
 * with flags by name, as strace -y does. The objects of pointers and
 * descriptors are written if recorded (call->items), else their numbers.
 * @is_arm: the call was made on arm64, where some flags have other values.
 */
void call_arguments_write(const struct system_call *call, const char *name,
			  bool is_arm, FILE *out);

/* Writes the result of @call, called @name, as " = 3" or " = -1 ENOENT (No such
 * file or directory)"; " = ?" if unknown.
 */
void call_result_write(const struct system_call *call, const char *name,
		       FILE *out);

#endif
