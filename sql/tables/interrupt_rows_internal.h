/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLES_INTERRUPT_ROWS_INTERNAL_H
#define KT_SQL_TABLES_INTERRUPT_ROWS_INTERNAL_H

#include "sql/rows/row_out.h"

struct attribution_input;
struct interrupt_row;

/* Adds @row to @out as a row of the table "interrupt", if @out wants it. The
 * source of accounts (account_rows.c) calls this after the pass. @choice has
 * the window of the sums, which are columns too. Errors are kept in @out.
 */
void interrupt_columns_add(const struct attribution_input *input,
			   const struct row_choice *choice, struct row_out *out,
			   const struct interrupt_row *row);

#endif
