/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_REQUEST_COLUMNS_H
#define KT_SQL_REQUEST_COLUMNS_H

struct request_row;
struct row_out;
struct task_names;

/* Adds a row of the table "request" to @out. */
void request_columns_add(const struct task_names *names, struct row_out *out,
			 const struct request_row *row);

#endif
