/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_INTERRUPT_COLUMNS_H
#define KT_SQL_INTERRUPT_COLUMNS_H

struct attribution_input;
struct interrupt_row;
struct row_choice;
struct row_out;

/* Adds a row of the table "interrupt" to @out. */
void interrupt_columns_add(const struct attribution_input *input,
			   const struct row_choice *choice, struct row_out *out,
			   const struct interrupt_row *row);

#endif
