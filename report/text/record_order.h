/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_ORDER_H
#define KT_REPORT_RECORD_ORDER_H

#include "report/text/record_writer.h"

#include <stdint.h>

/* Sorts the @count records of a table, which @fields writes, by @column:
 * largest numbers first, texts by the alphabet, equal ones as they were.
 *
 * Returns 0 and in *@order (by place: a record's index), which the caller
 * frees; -ERROR_NOT_FOUND if the table has no such column; -ERROR_MEMORY.
 */
int record_order(record_fields *fields, const void *ctx, uint64_t count,
		 const char *column, uint64_t **order);

#endif
