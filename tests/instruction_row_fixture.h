/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_INSTRUCTION_ROW_FIXTURE_H
#define KT_TESTS_INSTRUCTION_ROW_FIXTURE_H

#include "execution/instruction/instruction.h"

/* Addresses at which the rows' code is decoded. */
#define AT UINT64_C(0xffffffff81000000)
#define AT_32 UINT64_C(0x8000) /* A32 and T32 */

#define KIND(name) .kind = INSTRUCTION_##name
/* The bytes, and their number. */
#define BYTES(...) \
	.bytes = { __VA_ARGS__ }, .size = sizeof((uint8_t[]){ __VA_ARGS__ })

/* An instruction and its expected decoding. */
struct instruction_row {
	const char *name;
	enum instruction_set set;
	uint8_t bytes[16];
	uint8_t size;
	uint8_t kind;
	uint64_t target;
	bool is_unknown;
	bool is_long;
	bool switches_trace;
	bool writes_page_table;
	bool writes_trace;
	uint8_t interrupts; /* enum instruction_interrupts */
	uint64_t counter;
};

/* Asserts that the row is decoded as expected, whatever bytes follow it, and
 * also when truncated.
 */
void check_instruction_row(const struct instruction_row *row);

#endif
