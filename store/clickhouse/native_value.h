/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_NATIVE_VALUE_H
#define KT_STORE_NATIVE_VALUE_H

#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>

struct byte_buffer;
struct store_entry;

/* Single values of ClickHouse's Native format (documentation, "Formats", Native
 * and RowBinary): numbers are little-endian, and a text follows its length as
 * LEB128.
 */

/* Append a number as LEB128, or a text. */
void native_put_number(struct byte_buffer *bytes, uint64_t number);
void native_put_text(struct byte_buffer *bytes, const char *text);

/* Returns whether a column is nullable. The start and end times by which tables
 * are sorted are not.
 */
bool native_may_be_null(const struct sql_column *column);

/* Returns the server's name of a type. */
const char *native_type_name(enum sql_type type, bool may_be_null);

/* Returns the entry's day as a ClickHouse Date: days since 1970, at most 65535.
 */
uint16_t native_day(const struct store_entry *entry);

#endif
