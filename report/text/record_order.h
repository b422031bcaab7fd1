/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_ORDER_H
#define KT_REPORT_RECORD_ORDER_H

#include "report/text/record_writer.h"

#include <stdint.h>

/* Sorts the @count records of a table, written by @fields, by @column: numbers
 * falling, texts alphabetically, equal ones in their original order.
 *
 * Returns 0 and *@order (record indices in the new order), which the caller
 * frees; -ERROR_NOT_FOUND if the column does not exist; or -ERROR_MEMORY.
 */
int record_order(record_fields *fields, const void *ctx, uint64_t count,
		 const char *column, uint64_t **order);

#endif
