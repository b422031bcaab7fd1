/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ACCOUNT_COLUMNS_H
#define KT_SQL_ACCOUNT_COLUMNS_H

#include <stdbool.h>

struct attribution_input;
struct row_choice;
struct row_out;
struct time_account;

/* The inputs of the rows of threads and processes. */
struct account_columns {
	const struct attribution_input *input; /* both borrowed */
	const struct row_choice *choice;
	bool by_thread; /* rows of "thread" instead of "process" */
};

struct account_columns account_columns_of(const struct attribution_input *input,
					  const struct row_choice *choice,
					  bool by_thread);

/* Adds a row to @out. */
void account_columns_add(const struct account_columns *columns,
			 struct row_out *out,
			 const struct time_account *account);

#endif
