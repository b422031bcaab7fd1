/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_INTERRUPT_COLUMNS_H
#define KT_TABLES_INTERRUPT_COLUMNS_H

#include "common/array.h"
#include "report/text/record_writer.h"

#include <stdio.h>

struct attribution_input;
struct function_table;
struct interrupt_accounts;
struct interrupt_grouping;
struct interrupt_row;
struct known_events;

/* Context for writing the rows of a table of interrupt work. All borrowed. */
struct interrupt_columns {
	const struct interrupt_grouping *grouping;
	const struct function_table *functions;
	const struct attribution_input *input;
	const struct interrupt_accounts *accounts;
};

/* Returns the name of @kind, an enum interrupt_kind: "softirq". */
const char *interrupt_kind_name(uint32_t kind);

/* Writes the fields of one row. */
void interrupt_columns_write(const struct interrupt_columns *columns,
			     struct record_writer *writer,
			     const struct interrupt_row *row);

/* Writes the totals of @rows (struct interrupt_row) as text. */
void interrupt_columns_sum(const struct array *rows, FILE *out);

/* Prints which events the recording lacks, for columns that are empty without
 * them.
 */
void interrupt_columns_explain(const struct attribution_input *input,
			       uint64_t rows, FILE *out);

#endif
