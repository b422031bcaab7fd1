/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/native_value.h"

#include "common/bytes.h"
#include "store/entry/store_entry.h"

#include <string.h>

enum { SECONDS_OF_DAY = 86400 };

static void put_byte(struct byte_buffer *bytes, uint8_t byte)
{
	byte_buffer_add(bytes, &byte, sizeof(byte));
}

void native_put_number(struct byte_buffer *bytes, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		put_byte(bytes, (uint8_t)(number | 0x80));
	put_byte(bytes, (uint8_t)number);
}

void native_put_text(struct byte_buffer *bytes, const char *text)
{
	size_t length = strlen(text);

	native_put_number(bytes, length);
	byte_buffer_add(bytes, text, length);
}

bool native_may_be_null(const struct sql_column *column)
{
	return !sql_role_is_time(column->role);
}

const char *native_type_name(enum sql_type type, bool may_be_null)
{
	switch (type) {
	case SQL_INTEGER:
		return may_be_null ? "Nullable(Int64)" : "Int64";
	case SQL_REAL:
		return may_be_null ? "Nullable(Float64)" : "Float64";
	case SQL_TEXT:
		break;
	}
	return may_be_null ? "Nullable(String)" : "String";
}

uint16_t native_day(const struct store_entry *entry)
{
	int64_t day = entry->recorded_s / SECONDS_OF_DAY;

	return day < 0 || day > UINT16_MAX ? 0 : (uint16_t)day;
}
