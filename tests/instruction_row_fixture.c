/* SPDX-License-Identifier: MIT */
#include "tests/instruction_row_fixture.h"

#include "common/error.h"
#include "execution/instruction/instruction_read.h"
#include "tests/run_suite.h"

#include <string.h>

static uint64_t address_of(enum instruction_set set)
{
	return set >= INSTRUCTION_A32 ? AT_32 : AT;
}

static void check_known(const struct instruction_row *row,
			const struct instruction *read)
{
	ck_assert_msg(read->length == row->size, "%s: length %d", row->name,
		      read->length);
	ck_assert_msg(read->kind == row->kind, "%s: kind %d", row->name,
		      read->kind);
	ck_assert_msg(read->target == row->target, "%s: to %#llx", row->name,
		      (unsigned long long)read->target);
	ck_assert_msg(read->may_take_long == row->is_long, "%s", row->name);
	ck_assert_msg(read->switches_trace == row->switches_trace, "%s",
		      row->name);
	ck_assert_msg(read->writes_page_table == row->writes_page_table, "%s",
		      row->name);
	ck_assert_msg(read->writes_trace == row->writes_trace, "%s", row->name);
	ck_assert_msg(read->interrupts == row->interrupts, "%s", row->name);
	ck_assert_msg(read->counter == row->counter, "%s", row->name);
}

void check_instruction_row(const struct instruction_row *row)
{
	uint8_t bytes[32];
	struct instruction read;
	int status;

	memset(bytes, 0xff, sizeof(bytes));
	memcpy(bytes, row->bytes, row->size);
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		status = instruction_read(row->set, address_of(row->set), bytes,
					  size, &read);
		if (row->is_unknown && size >= row->size) {
			ck_assert_msg(status == -ERROR_UNSUPPORTED,
				      "%s: %d of %zu", row->name, status, size);
		} else if (size < row->size) {
			ck_assert_msg(status == 0 ||
					      (row->is_unknown && status < 0),
				      "%s: %d of %zu", row->name, status, size);
		} else {
			ck_assert_msg(status == 1, "%s: %d of %zu", row->name,
				      status, size);
			check_known(row, &read);
		}
	}
}
