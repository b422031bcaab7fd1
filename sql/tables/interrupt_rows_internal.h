/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLES_INTERRUPT_ROWS_INTERNAL_H
#define KT_SQL_TABLES_INTERRUPT_ROWS_INTERNAL_H

#include "sql/rows/row_out.h"

struct attribution_input;
struct interrupt_row;

/* Adds a row of the table "interrupt" to @out. */
void interrupt_columns_add(const struct attribution_input *input,
			   const struct row_choice *choice, struct row_out *out,
			   const struct interrupt_row *row);

#endif
