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

/* How the rows of a table of interrupt work are written.  All borrowed. */
struct interrupt_columns {
	const struct interrupt_grouping *grouping;
	const struct function_table *functions;
	const struct attribution_input *input;
	const struct interrupt_accounts *accounts;
};

/* Returns a kind's name (enum interrupt_kind), as "softirq". */
const char *interrupt_kind_name(uint32_t kind);

/* Writes the fields of one row. */
void interrupt_columns_write(const struct interrupt_columns *columns,
			     struct record_writer *writer,
			     const struct interrupt_row *row);

/* Writes, for people, what @rows (struct interrupt_row) add up to. */
void interrupt_columns_sum(const struct array *rows, FILE *out);

/* Prints which events the recording would need to know more. */
void interrupt_columns_explain(const struct attribution_input *input,
			       uint64_t rows, FILE *out);

#endif
