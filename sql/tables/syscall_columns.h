/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SYSCALL_COLUMNS_H
#define KT_SQL_SYSCALL_COLUMNS_H

struct attribution_input;
struct row_out;
struct system_call;

/* Adds a row of the table "syscall" to @out. */
void syscall_columns_add(const struct attribution_input *input,
			 struct row_out *out, const struct system_call *call);

#endif
